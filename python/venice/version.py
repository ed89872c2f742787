"""Version of Venice, and digest of the engine that this process runs."""

from venice._native import build_info

__version__: str = build_info()[0]


def version_text() -> str:
    """Return the version as ``venice --version`` prints it; a build that is not tuned says so.

    A tuned build is what wheels have: compiled with a profile of the engine's runs.
    """
    kind = build_info()[1]
    hint = "" if kind == "tuned" else f" ({kind} build; `make tuned` builds a faster one)"
    return f"venice {__version__}{hint}"


def engine_digest() -> str:
    """Return the digest of all that decides the engine's results, as its build recorded it.

    It covers sources, presets and the lock file, so that two builds of one version are told apart.
    """
    return build_info()[2]
