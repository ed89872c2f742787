"""``--dask``: run the simulations of a command on a Dask cluster."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from venice.cli.usage import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor


@contextmanager
def on_cluster(address: str | None, workers: int | None) -> Iterator[Executor | None]:
    """Yield an executor over the workers of a Dask cluster; ``None`` without an address.

    Raises
    ------
    OptionError
        If `--workers` is also given, or no Dask scheduler answers.
    """
    if address is None:
        yield None
        return
    if workers is not None:
        raise OptionError(
            "--workers",
            "`--workers` and `--dask` cannot be combined",
            "expected: one of them; the cluster has its own workers",
        )
    from venice.sweep.cluster import connected  # noqa: PLC0415 half a second, and needed by few

    with connected(address) as executor:
        yield executor
