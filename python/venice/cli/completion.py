"""``venice completion``: a script with which a shell completes commands, options and names."""

from __future__ import annotations

from click.shell_completion import get_completion_class

from venice.cli import bash_completion, options
from venice.cli.command import command
from venice.cli.commands import COMPLETE_VARIABLE, VENICE
from venice.cli.screen import print_text
from venice.cli.value_types import Keyword

_SHELLS = ("bash", "zsh", "fish")


@command()
@options.argument("shell", metavar="SHELL", type=Keyword(_SHELLS), help="Shell: bash, zsh or fish.")
def completion(shell: str) -> None:
    """Print a shell's completion script.

    bash: source <(venice completion bash); zsh: source <(venice completion zsh), after compinit;
    fish: venice completion fish | source.
    """
    bash_completion.install()
    found = get_completion_class(shell)
    if found is not None:
        print_text(found(VENICE, {}, "venice", COMPLETE_VARIABLE).source())
