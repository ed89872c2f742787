"""Signals are deferred until the thread that shares locks with other threads asks for them."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

import venice
from venice.execution.deferred_signals import deferred_signals
from venice.execution.pool import LOOK_S, stoppable_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


both = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@both
def test_a_deferred_signal_takes_effect_on_check(number: signal.Signals) -> None:
    with deferred_signals() as signals:
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signals.check()
        signals.check()  # the signal has taken effect


@both
def test_a_second_signal_acts_at_once(number: signal.Signals) -> None:
    with deferred_signals():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_a_pending_signal_takes_effect_at_the_end_of_the_block() -> None:
    def hold() -> None:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        hold()


def test_a_signal_acts_also_where_the_block_fails() -> None:
    def fail() -> None:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
            raise ZeroDivisionError

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_handlers_are_put_back_and_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with deferred_signals():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_thread_that_has_no_handlers_holds_nothing() -> None:
    seen: list[object] = []

    def hold() -> None:
        with deferred_signals() as signals:
            seen.append(signal.getsignal(signal.SIGINT))
            signals.check()

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


def test_the_threads_of_a_pool_end_soon_after_a_signal() -> None:
    waited: list[bool] = []

    def interrupt() -> None:
        with stoppable_pool(1) as (pool, shared):
            pool.submit(lambda: waited.append(shared.stop.wait(60)))
            signal.raise_signal(signal.SIGTERM)
            shared.signals.check()

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert waited in ([], [True])


def _sweep(folder: Path) -> None:
    axes = [{"seed": list(range(1000))}]
    venice.run_sweep(venice.Sweep.of({"workload": "random-read"}, axes, name="s"), folder)


def _compare(_: Path) -> None:
    venice.compare(workload="random-read", requests=50_000_000)


@pytest.mark.parametrize("run", [_sweep, _compare])
def test_runs_end_soon_after_a_signal(tmp_path: Path, run: Callable[[Path], None]) -> None:
    timer = threading.Timer(1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert time.monotonic() - began < 1 + LOOK_S + 5
