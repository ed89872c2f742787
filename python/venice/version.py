"""Version of Venice, and digest of the engine that this process runs."""

from venice._native import build_info

__version__: str = build_info()[0]


def version_text() -> str:
    """Return the text of ``venice --version``, with a remark on untuned builds.

    Wheels are tuned: compiled with profile-guided optimisation.
    """
    kind = build_info()[1]
    hint = "" if kind == "tuned" else f" ({kind} build; `make tuned` builds a faster one)"
    return f"venice {__version__}{hint}"


def engine_digest() -> str:
    """Return the digest of the engine's sources, as recorded by its build.

    It covers sources, presets and the lock file, so that builds of one version can be
    distinguished.
    """
    return build_info()[2]
