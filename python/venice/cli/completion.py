"""``venice completion``: a script with which a shell completes commands, options and names.

The script has all words in it, so that a shell asks no Python while somebody types.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from string import Template
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from venice.cli.commands import COMMANDS, Group
from venice.cli.declared import Argument
from venice.cli.screen import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from venice.cli.declared import Command, Names, Parameter

_POSIX = """\
# Completion of venice in $shell, made by: venice completion $shell
_venice_is_command() {
    case "$$1" in
$is_command
    *) return 1 ;;
    esac
}
_venice_commands() {
    case "$$1" in
$commands
    esac
}
_venice_options() {
    case "$$1" in
$options
    esac
}
# Fails where what is before takes no value.
_venice_values() {
    case "$$1" in
$values
    *) return 1 ;;
    esac
}
# The values that have names, of a key that stands before =.
_venice_values_of() {
    case "$$1" in
$settings
    esac
}
"""
_BASH = """\
_venice() {
    local line=$${COMP_LINE:0:COMP_POINT} at=venice typed place last word before words prefix= list=
    # Not COMP_WORDS: they end at =, which options and settings have inside.
    read -ra typed <<< "$$line"
    if [[ $$line == *[[:space:]] ]]; then typed+=(""); fi
    last=$$(($${#typed[@]} - 1))
    for ((place = 1; place < last; place++)); do
        if _venice_is_command "$$at $${typed[place]}"; then at="$$at $${typed[place]}"; fi
    done
    word=$${typed[last]} before=$${typed[last-1]}
    if [[ $$word == --*=* ]]; then before=$${word%%=*} word=$${word#*=}; fi
    if ! words=$$(_venice_values "$$at $$before"); then
        case "$$word" in
        -*) words=$$(_venice_options "$$at") ;;
        *) words=$$(_venice_commands "$$at") ;;
        esac
    elif [[ $$word == *=* ]]; then
        words=$$(_venice_values_of "$${word%%=*}") word=$${word#*=}
    fi
    # Of a list, what is behind its last comma.
    if [[ $$word == *,* ]]; then list=$${word%,*}, word=$${word##*,}; fi
    # What is replaced begins behind the last =, unless that was told to part no words.
    if [[ $$COMP_WORDBREAKS == *=* ]]; then prefix=$$list; else prefix=$${typed[last]%"$$word"}; fi
    COMPREPLY=($$(compgen -P "$$prefix" -W "$$words" -- "$$word"))
    if [[ $${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2> /dev/null; fi
}
# Where no word fits, a file does.
complete -o default -F _venice venice
"""
_ZSH = """\
_venice() {
    local word=$${words[CURRENT]} before=$${words[CURRENT-1]} at=venice place found after=()
    for ((place = 2; place < CURRENT; place++)); do
        if _venice_is_command "$$at $${words[place]}"; then at="$$at $${words[place]}"; fi
    done
    if [[ $$word == --*=* ]]; then
        before=$${word%%=*} word=$${word#*=}
        compset -P 1 '*='
    fi
    if ! found=$$(_venice_values "$$at $$before"); then
        case "$$word" in
        -*) found=$$(_venice_options "$$at") ;;
        *) found=$$(_venice_commands "$$at") ;;
        esac
    elif [[ $$word == *=* ]]; then
        found=$$(_venice_values_of "$${word%%=*}")
        compset -P 1 '*='
    fi
    # Of a list, what is behind its last comma.
    if [[ -n $$found ]]; then compset -P '*,'; fi
    # What ends in = goes on. Where no word fits, a file does.
    if [[ $$found == *= ]]; then after=(-S ''); fi
    compadd "$${after[@]}" -- $${=found} || _files
}
compdef _venice venice
"""
_FISH = """\
# Completion of venice in fish, made by: venice completion fish
function __venice_at
    set -l at venice
    for word in (commandline -opc)[2..]
        contains -- "$$at $$word" $is_command; and set at "$$at $$word"
    end
    test "$$at" = "$$argv"
end
# What is typed of an option's value.
function __venice_word
    commandline -ct | string replace -r '^--[^=]*=' ''
end
# Words, each behind what is typed of a list up to its last comma.
function __venice_listed
    set -l before (string match -r '^.*,' -- (__venice_word))
    printf '%s\\n' "$$before"$$argv
end
function __venice_values_of
    switch "$$argv"
$settings
    end
end
# Keys, each with its =, or behind that the values that have names.
function __venice_settings
    set -l word (__venice_word)
    set -l key (string split -m 1 = -- $$word)[1]
    switch "$$word"
    case '*,*'
        __venice_listed (__venice_values_of $$key)
    case '*=*'
        string replace -r '^' "$$key=" -- (__venice_values_of $$key)
    case '*'
        printf '%s=\\n' $keys
    end
end
$rules
"""


class _Option(NamedTuple):
    names: Sequence[str]
    help: str
    takes_value: bool
    values: Names


class _Words(NamedTuple):
    """What may follow the words of a command, or of a group."""

    commands: Mapping[str, str]
    """Names, with what they do."""
    options: Sequence[_Option]
    placed: Sequence[str]
    """Values of arguments."""


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print a script that completes commands, options and names in a shell.

    bash: venice completion bash > ~/.local/share/bash-completion/completions/venice

    zsh: venice completion zsh > ~/.venice.zsh, and source ~/.venice.zsh in ~/.zshrc after compinit.

    fish: venice completion fish > ~/.config/fish/completions/venice.fish
    """
    say(script(shell), end="")


def script(shell: str) -> str:
    """Write the script for a shell."""
    tree = dict(_tree("venice", COMMANDS))
    if shell == "fish":
        settings = _settings(tree)
        return Template(_FISH).substitute(
            is_command=" ".join(map(_quoted, tree)),
            settings="\n".join(_fish_cases(settings)),
            keys=" ".join(map(_quoted, settings)),
            rules="\n".join(_fish_rules(tree)),
        )
    found = Template(_POSIX).substitute(
        shell=shell,
        is_command=_cases(dict.fromkeys(tree, "return 0")),
        commands=_cases(
            {path: _echo([*words.commands, *words.placed]) for path, words in tree.items()}
        ),
        options=_cases(
            {
                path: _echo(name for option in words.options for name in option.names)
                for path, words in tree.items()
            }
        ),
        values=_cases(dict(_values(tree))),
        settings=_cases({key: _echo(values) for key, values in _settings(tree).items() if values}),
    )
    return found + Template(_BASH if shell == "bash" else _ZSH).substitute()


def _tree(path: str, group: Group) -> Iterator[tuple[str, _Words]]:
    """Give what may follow each command, by the words that call it."""
    commands = {name: _summary(one) for name, one in group.commands.items()}
    usual = None if group.usual is None else dict(_of(path, group))[f"{path} {group.usual}"]
    helps = [_Option(["--help"], "Show this message and exit.", takes_value=False, values=())]
    if path == "venice":
        helps.append(_Option(["--version"], "Show the version.", takes_value=False, values=()))
    yield path, _Words(commands, helps if usual is None else usual.options, ())
    yield from _of(path, group)


def _of(path: str, group: Group) -> Iterator[tuple[str, _Words]]:
    for name, one in group.commands.items():
        inner = f"{path} {name}"
        if isinstance(one, Group):
            yield from _tree(inner, one)
        else:
            yield inner, _words(one.load(inner))


def _words(command: Command) -> _Words:
    options = [
        _Option(option.names, option.help, not parameter.is_flag, _names(parameter))
        for parameter, option in command.options
    ]
    options += [
        _Option(option.off.names, option.off.help, takes_value=False, values=())
        for _, option in command.options
        if option.off is not None
    ]
    options.append(_Option(["--help"], "Show this message and exit.", takes_value=False, values=()))
    return _Words({}, options, [name for one in command.arguments for name in _names(one)])


def _names(parameter: Parameter) -> Names:
    """Name the values that a parameter can have, where they have names."""
    values = parameter.declared.values
    return parameter.choices if values is None else values()


def _summary(one: object) -> str:
    text = one.help if isinstance(one, Group) else one.load("").function.__doc__  # type: ignore[attr-defined]
    return str(text).partition("\n")[0]


def _values(tree: Mapping[str, _Words]) -> Iterator[tuple[str, str]]:
    for path, words in tree.items():
        for option in words.options:
            if option.takes_value:
                is_keyed = isinstance(option.values, Mapping)
                listed = [f"{key}=" for key in option.values] if is_keyed else option.values
                for name in option.names:
                    yield f"{path} {name}", _echo(listed)


def _settings(tree: Mapping[str, _Words]) -> dict[str, Sequence[str]]:
    """Give the keys that options take before a ``=``, each with the names of its values."""
    options = [option for words in tree.values() for option in words.options]
    keyed = [option.values for option in options if isinstance(option.values, Mapping)]
    return {key: values for one in keyed for key, values in one.items()}


def _fish_cases(settings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for key, values in settings.items():
        if values:
            listed = " ".join(map(_quoted, values))
            yield f"    case {_quoted(key)}"
            yield f"        printf '%s\\n' {listed}"


def _cases(lines: Mapping[str, str]) -> str:
    """Write the lines of a ``case``, those that do the same in one."""
    by_line: dict[str, list[str]] = {}
    for path, line in lines.items():
        by_line.setdefault(line, []).append(_quoted(path))
    return "\n".join(f"    {' | '.join(paths)}) {line} ;;" for line, paths in by_line.items())


def _echo(words: Iterable[str]) -> str:
    listed = " ".join(words)
    return f"echo {_quoted(listed)}" if listed else ":"


def _fish_rules(tree: Mapping[str, _Words]) -> Iterator[str]:
    for path, words in tree.items():
        rule = f"complete -c venice -n {_quoted(f'__venice_at {path}')}"
        for name, text in words.commands.items():
            yield f"{rule} -f -a {name} -d {_quoted(text)}"
        if words.placed:
            yield f"{rule} -a {_quoted(' '.join(words.placed))}"
        for option in words.options:
            names = " ".join(map(_fish_name, option.names))
            yield f"{rule} {names} -d {_quoted(option.help)}{_fish_values(option)}"


def _fish_values(option: _Option) -> str:
    if isinstance(option.values, Mapping):
        return " -x -a '(__venice_settings)'"
    if not option.takes_value:
        return ""
    if not option.values:
        return " -r -a ''"
    listed = " ".join(option.values)
    return f" -r -a {_quoted(f'(__venice_listed {listed})')}"


def _fish_name(name: str) -> str:
    return f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _quoted(text: str) -> str:
    """Quote for all three shells: fish takes no quotes between quotes as the others do."""
    return shlex.quote(text.replace("'", "’"))
