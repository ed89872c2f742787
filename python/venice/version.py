"""Version of Venice, and digest of the engine that this process runs."""

from functools import cache

from venice import _native
from venice._native import build_info, own_policies
from venice.engine.packages import selected_package

__version__: str = build_info()[0]


def version_text() -> str:
    """Return the text of ``venice --version``, with a remark if the build is not tuned.

    Wheels are tuned, that is, compiled with profile-guided optimisation.
    """
    kind = build_info()[1]
    hint = "" if kind == "tuned" else f" ({kind} build; `make tuned` builds a faster one)"
    return "\n".join([f"venice {__version__}{hint}", *_policies_text()])


def _policies_text() -> list[str]:
    """Return a line on the package with policies that provides the engine, if one is installed."""
    package = selected_package()
    if package is None:
        return []
    names = ", ".join(f"{name} ({kind.replace('_', ' ')})" for kind, name, _ in own_policies())
    return [f"policies of {package}: {names or 'none'}"]


@cache
def engine_digest() -> str:
    """Return the digest of the engine, which distinguishes builds of one version.

    The digest of the built-in engine covers its sources, presets and lock file, and is recorded by
    its build. The digest of an engine in a package with policies covers the engine's file, because
    Venice does not know its sources.
    """
    package = selected_package()
    if package is None:
        return build_info()[2]
    import hashlib  # noqa: PLC0415 for engines of packages alone

    with open(str(_native.__file__), "rb") as file:  # noqa: PTH123 pathlib takes longer to import
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
