"""Runs on the workers of a Dask cluster, through Dask's own client.

1. Only this process claims runs and writes the store.

2. The number of submitted runs is limited to four for each thread of the workers.

3. If a worker dies, Dask restarts its run on another worker. A run that kills several workers has
   failed.

4. A file is passed as a path if all workers have the same file there; otherwise it is sent once,
   separately from the tasks. A workload file, which may refer to others, is sent as a complete
   definition.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from concurrent.futures import Executor, Future
from concurrent.futures import wait as wait_for_all
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from venice import version
from venice._native import UsageError, WorkloadError, complete_workload
from venice.files import output
from venice.options.run_options import RunOptions
from venice.options.trace_options import with_trace_options
from venice.schema_classes import DescribedDrive, DescribedWorkload
from venice.sweep.content import Contents
from venice.sweep.runner import run_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from venice.report import Report

PER_THREAD = 4
"""Number of submitted runs per thread of a worker, so that workers stay busy during transfers."""
_LEAST = 16
"""Number of submitted runs while the cluster has no workers."""
_PATIENCE_S = 10.0
"""Time limit for a response of the scheduler [s]."""
_COUNT_EVERY_S = 5.0
_FILES = ("drive", "trace", "workload", "load_state")


@contextmanager
def connected(address: str) -> Iterator[DaskExecutor]:
    """Yield an executor on the workers of a Dask cluster.

    Parameters
    ----------
    address
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``, or the file that it has written
        (``dask scheduler --scheduler-file FILE.json``).

    Raises
    ------
    UsageError
        If Dask is not installed, or no scheduler responds.
    """
    if find_spec("distributed") is None:
        raise UsageError(
            "`dask=` needs Dask, which is not installed; "
            "install it with: pip install 'venice-ssd[dask]'"
        )
    dask: Any = import_module("distributed")  # takes half a second to import, and is rarely needed
    try:
        if Path(address).suffix == ".json":
            if not Path(address).is_file():
                raise UsageError(f"{address}: there is no such file of a Dask scheduler")
            client = dask.Client(scheduler_file=address, timeout=_PATIENCE_S)
        else:
            _require_greeting(address)
            client = dask.Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(
            f"no Dask scheduler answers at {address}: {first}; expected an address as "
            "tcp://HOST:8786, or the scheduler's file"
        ) from None
    with client, DaskExecutor(client) as executor:
        yield executor


def _require_greeting(address: str) -> None:
    """Refuse a server that sends no greeting, which a Dask scheduler sends on every connection.

    Dask's client retries for minutes if the connection is accepted.

    Raises
    ------
    OSError
        If the connection is refused, or no greeting arrives within :data:`_PATIENCE_S`.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme != "tcp" or parts.hostname is None or parts.port is None:
        return
    end = (parts.hostname, parts.port)
    with socket.create_connection(end, timeout=_PATIENCE_S) as connection:
        if not select([connection], [], [], _PATIENCE_S)[0]:
            raise TimeoutError(f"connected, but no greeting within {_PATIENCE_S:.0f} s")


class DaskExecutor(Executor):
    """Executor on a Dask client.

    Attributes
    ----------
    lost_errors
        Errors that mean that the worker of a run died.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401 Dask has no types
        dask: Any = import_module("distributed")
        self.lost_errors: tuple[type[BaseException], ...] = (dask.KilledWorker,)
        self._client = client
        self._running: set[Future[Any]] = set()
        self._sent: dict[str, tuple[str, Any]] = {}
        self._threads, self._counted = 0, 0.0

    @property
    def in_flight(self) -> int:
        """Maximum number of submitted runs, computed from the current number of workers."""
        now = time.monotonic()
        if now - self._counted > _COUNT_EVERY_S or not self._threads:
            self._threads, self._counted = sum(self._client.nthreads().values()), now
        return max(_LEAST, PER_THREAD * self._threads)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Submit a call to the cluster; for a run, send the files first."""
        if fn is not run_options:
            return self._submit(fn, *args, **kwargs)
        scenario: dict[str, Any] = dict(vars(with_trace_options(args[0])))
        names, contents = [], []
        for key in _FILES:
            given = scenario[key]
            if isinstance(given, DescribedWorkload):
                # The base of the drive may be a file that workers do not have.
                scenario[key] = given.complete()
                continue
            if key == "workload" and Path(str(given)).suffix.lower() == ".toml":
                # Workers may not have its base file, or files of its flows.
                scenario[key] = _complete(str(given))
                continue
            name = given.starts_from() if isinstance(given, DescribedDrive) else given
            if name is None or not Path(name).is_file():
                continue
            digest, content = self._travelling(Path(name))
            scenario[key] = _at(given, str(Path(name).absolute()))
            if content is not None:
                names.append((key, digest))
                contents.append(content)
        return self._submit(_run_sent, scenario, _build(), names, *contents)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the submitted calls, or cancel them; the cluster keeps running."""
        running = list(self._running)
        if cancel_futures:
            for future in running:
                future.cancel()
        elif wait:
            wait_for_all(running)

    def __exit__(self, *error: object) -> None:
        self.shutdown(cancel_futures=error[0] is not None)

    def _submit(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Submit a call to the client.

        Dask's own executor loses a result if its worker dies while the result is being sent: it
        reads the state of the call again after the result has arrived.
        """
        running = self._client.submit(fn, *args, pure=False, **kwargs)
        future: Future[Any] = Future()
        self._running.add(future)
        future.add_done_callback(lambda done: self._ended(done, running))
        running.add_done_callback(lambda _: _forward(running, future))
        return future

    def _ended(self, future: Future[Any], running: Any) -> None:  # noqa: ANN401 Dask has no types
        self._running.discard(future)
        if future.cancelled():
            running.cancel()

    def _travelling(self, path: Path) -> tuple[str, Any]:
        """Send a file once, if needed; return its digest and Dask's future for its contents."""
        name = str(path.absolute())
        if name not in self._sent:
            self._client.wait_for_workers(1)
            seen = self._client.run(_sees, name, _Version.of(path))
            self._sent[name] = ("", None) if all(seen.values()) else self._send(path)
        return self._sent[name]

    def _send(self, path: Path) -> tuple[str, Any]:
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        return digest, self._client.scatter(content, broadcast=True)


def _forward(running: Any, future: Future[Any]) -> None:  # noqa: ANN401 Dask has no types
    """Pass the result or the error of a call on the cluster to a future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(running.result())
    except BaseException as error:
        future.set_exception(error)


def _complete(name: str) -> object:
    """Return the complete definition in a workload file; an invalid file is reported by the run."""
    # Imported here, because most sweeps do not need these modules.
    from venice.workloads import Mix, Workload  # noqa: PLC0415
    from venice.workloads.build import built  # noqa: PLC0415

    try:
        definition = json.loads(complete_workload(name))
    except WorkloadError:
        return name
    return built(Mix if "flows" in definition else Workload, definition)


def _at(given: object, path: str) -> object:
    """Return the path of a file, or the drive with the path as its base file."""
    return given.on(path) if isinstance(given, DescribedDrive) else path


class _Version(NamedTuple):
    """Version of a file on this machine."""

    size: int
    changed_ns: int
    digest: str | None

    @classmethod
    def of(cls, path: Path) -> _Version:
        """Return the version of a file; the file is read unless its digest is known."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, Contents().digest(str(path.absolute())))


def _sees(name: str, version: _Version) -> bool:
    """Return true if this worker has the same file at the path, by time stamp or contents."""
    path = Path(name)
    if not path.is_file() or path.stat().st_size != version.size:
        return False
    if path.stat().st_mtime_ns == version.changed_ns:
        return True
    return Contents().digest(name) == version.digest is not None


def _build() -> str:
    """Return an identifier of this process's build; equal builds give equal reports."""
    return f"{version.__version__} (engine {version.engine_digest()})"


def _run_sent(
    scenario: dict[str, Any], build: str, names: list[tuple[str, str]], *contents: bytes
) -> Report:
    """Run a point on a worker of the cluster.

    Raises
    ------
    UsageError
        If the worker has another build of Venice, whose reports may differ.
    """
    if build != _build():
        raise UsageError(
            f"a worker of the cluster has Venice {_build()}, and this is {build}; "
            "install the same build for all"
        )
    for (key, digest), content in zip(names, contents, strict=True):
        given = scenario[key]
        name = given.starts_from() if isinstance(given, DescribedDrive) else given
        scenario[key] = _at(given, _kept(digest, Path(name).name, content))
    return run_options(RunOptions(**scenario))


def _kept(digest: str, name: str, content: bytes) -> str:
    """Return the path of a received file, which is written unless an earlier run did so.

    The file is in the worker's folder, which Dask removes with the worker.
    """
    worker: Any = import_module("distributed").get_worker()
    path = Path(worker.local_directory) / f"venice-{digest}" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with output.create(path) as file:
            file.write(content)
    return str(path)
