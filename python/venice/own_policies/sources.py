"""Source code of the engine, from which a package with policies is built."""

from __future__ import annotations

from pathlib import Path

from venice._native import UsageError
from venice.version import __version__

_ENGINE = Path("crates", "engine", "Cargo.toml")


def find_sources(given: Path | None) -> Path:
    """Return the folder of the source code.

    Without a given folder, it is the checkout that contains this package, its virtual environment
    or the working folder.

    Raises
    ------
    UsageError
        If a folder does not contain the source code, or none is given and there is no checkout.
    """
    if given is not None:
        if not given.joinpath(_ENGINE).is_file():
            raise UsageError(
                f"`{given}` does not contain {_ENGINE}; expected: the unpacked source archive of"
                f" Venice {__version__}, or a checkout"
            )
        return given.resolve()
    here = Path.cwd()
    for checkout in (*Path(__file__).absolute().parents, here, *here.parents):
        if checkout.joinpath(_ENGINE).is_file():
            return checkout
    raise UsageError(
        "the installed package does not contain the sources of the engine; expected: `--source DIR`"
        f" with a checkout of Venice {__version__}, or with its source archive, from\n"
        f"pip download --no-deps --no-binary :all: venice-ssd=={__version__}\n"
        f"tar xf venice_ssd-{__version__}.tar.gz"
    )
