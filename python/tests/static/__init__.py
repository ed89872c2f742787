"""Programs that mypy checks and no test runs.

Each line with ``type: ignore`` has one mistake of a user. mypy is strict, so it also reports an
ignored line in which it finds no mistake.
"""
