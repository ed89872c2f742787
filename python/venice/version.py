"""Version of Venice, and digest of the engine that this process runs."""

from venice._native import build_info

__version__: str = build_info()[0]


def engine_digest() -> str:
    """Return the digest of all that decides the engine's results, as its build recorded it.

    It covers sources, presets and the lock file, so that two builds of one version are told apart.
    """
    return build_info()[2]
