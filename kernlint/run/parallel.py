"""Many files over several processes, with the same outcome as one after the other.

A process that dies (a compiler library can take it down) costs the file it was working on, not the run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic, TypeVar

T = TypeVar("T")

MOST = 64
"""No more processes than this, whatever is asked for."""

FEW = 12
"""Fewer items than this are done in this process unless a number of processes was asked for."""


def processes(asked: int | None, items: int) -> int:
    """How many processes to use: as asked, else one per CPU this process may use, and one for a few items."""
    if asked is not None:
        return max(1, min(asked, items, MOST))
    if items < FEW:
        return 1
    try:
        cpus = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        cpus = os.cpu_count() or 1
    return max(1, min(cpus, items // 4))


def _nothing(result: object) -> None:
    """Nobody waits to be told."""


class Work(Generic[T]):
    """``run(index)`` for each index below ``count``, where ``died(index)`` stands in for a process that died.

    Under the ``spawn`` start method (everywhere but on Linux) ``run`` must be picklable; results must be everywhere.
    """

    def __init__(self, run: Callable[[int], T], died: Callable[[int], T], count: int) -> None:
        self._run = run
        self._died = died
        self._count = count
        self._each: Callable[[T], None] = _nothing

    def results(self, jobs: int, each: Callable[[T], None] | None = None) -> list[T]:
        """All results in order, computed by ``jobs`` processes (1: by this one); ``each`` is called with each as soon
        as it is there."""
        self._each = each or _nothing
        if jobs <= 1:
            results = []
            for index in range(self._count):
                results.append(self._run(index))
                self._each(results[-1])
            return results
        done: dict[int, T] = {}
        todo: Sequence[int] = range(self._count)
        self._pass(todo, jobs, done)
        # After a death nobody knows which file it was: those left get a process each.
        for index in [index for index in todo if index not in done]:
            self._pass([index], 1, done)
            if index not in done:
                self._keep(index, self._died(index), done)
        return [done[index] for index in range(self._count)]

    def _pass(self, indices: Sequence[int], jobs: int, done: dict[int, T]) -> None:
        """Compute what can be; a dead process ends the pass early."""
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(self._run, os.getpid()))
        futures: dict[Future[T], int] = {}
        try:
            futures.update((pool.submit(_work, index), index) for index in indices)
            for future in as_completed(futures):
                self._keep(futures[future], future.result(), done)
        except BrokenProcessPool:
            for future, index in futures.items():
                if index not in done and future.done() and not future.cancelled() and future.exception() is None:
                    self._keep(index, future.result(), done)
        except BaseException:
            for child in multiprocessing.active_children():
                child.kill()  # they hold nothing, and one that has only begun may not heed a gentler word
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _keep(self, index: int, result: T, done: dict[int, T]) -> None:
        done[index] = result
        self._each(result)


_current: Callable[[int], Any] | None = None


def _start(run: Callable[[int], Any], parent: int) -> None:
    """In a new process: remember the work, leave an interrupt to the parent, which ends everything in order, and end
    when the parent does, however that ends."""
    global _current
    _current = run
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _follow(parent)


_PR_SET_PDEATHSIG = 1
"""``prctl(2)``: the signal that this process gets when its parent ends."""


def _follow(parent: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes  # loaded already where libclang is

    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)  # it ended before we had asked


def _work(index: int) -> Any:
    assert _current is not None
    return _current(index)
