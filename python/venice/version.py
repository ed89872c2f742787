"""Version of Venice, and digest of the engine that this process runs."""

from functools import cache

from venice import _native
from venice._native import build_info, own_policies
from venice.engine.packages import selected_package

__version__: str = build_info()[0]


def version_text() -> str:
    """Return the text of ``venice --version``, with a remark on untuned builds.

    Wheels are tuned: compiled with profile-guided optimisation.
    """
    kind = build_info()[1]
    hint = "" if kind == "tuned" else f" ({kind} build; `make tuned` builds a faster one)"
    return "\n".join([f"venice {__version__}{hint}", *_policies_text()])


def _policies_text() -> list[str]:
    """Return a line on the package with policies that provides the engine, if there is one."""
    package = selected_package()
    if package is None:
        return []
    names = ", ".join(f"{name} ({kind.replace('_', ' ')})" for kind, name, _ in own_policies())
    return [f"policies of {package}: {names or 'none'}"]


@cache
def engine_digest() -> str:
    """Return the digest of the engine, so that builds of one version can be distinguished.

    That of the built-in engine covers sources, presets and the lock file, and is recorded by its
    build. An engine with policies of another package is identified by its file: that build knows
    which sources it has, Venice does not.
    """
    package = selected_package()
    if package is None:
        return build_info()[2]
    import hashlib  # noqa: PLC0415 for engines of packages alone

    with open(str(_native.__file__), "rb") as file:  # noqa: PTH123 pathlib takes longer to import
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
