"""The version, said once: by the engine."""

from venice._native import build_info

__version__: str = build_info()[0]
