"""How the memory of the server and of its workers is shared out, and how many workers there are.

GLASSFORMER_MEMORY sets, in megabytes, what all together may take at most; readers who train large models at the same
time need more. GLASSFORMER_WORKERS sets how many runs are at work at the same time, as far as that memory holds them.
Neither takes more than the machine, or the container, has.
"""

import ctypes
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_log = logging.getLogger(__name__)

MB = 2**20
DEFAULT = 1200  # MB, with one worker
BOTH = 625  # MB of the server and one worker: 618 to 623 after every chapter and a run, shared files once
LEAST = 690  # MB: both, and a class of small runs; with less, the system takes back pages of files, and pages are slow
OWN = 160  # MB of a worker besides the first: 154 after runs of any size, and 95 of PyTorch's files, which it shares
AT_WORK = 20  # MB that the translator's run takes besides while it has its turn
FURTHER = OWN + AT_WORK
FILE = 9 * MB  # the largest that a reader may send, with what is sent around it
MOST = 64  # workers
CGROUP, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")  # of Linux, version 2; a container's own is its root


class Shares(NamedTuple):
    """Bytes."""

    processes: int  # server and workers after every chapter and a run each
    small_runs: int  # all runs of small models: some sixty of the default size
    large_runs: int  # all other runs
    sent: int  # files that readers have sent and no page has read yet
    kept: int  # models and values kept in the server for the next reader


def settle(environ: Mapping[str, str], cores: int, memory: int | None) -> tuple[int, int]:
    """Megabytes of all processes together, and workers, on a machine with so many cores and bytes.

    The environment decides where it says something that makes sense. Without, one core is left for the pages where
    there are more than two, and every worker brings its own memory, as far as half of the machine's holds it. All
    together never get more than the machine has, nor less than LEAST.
    """
    said, workers = _number(environ, "GLASSFORMER_MEMORY"), _number(environ, "GLASSFORMER_WORKERS")
    if workers is None:
        workers = cores if cores <= 2 else cores - 1
    workers = min(max(1, workers), MOST)
    if said is not None:
        total = max(LEAST, _within(said, memory))
        return total, _fitting(workers, total)
    if memory is not None:
        workers = _fitting(workers, memory // 2 // MB)
    return max(LEAST, _within(DEFAULT + (workers - 1) * FURTHER, memory)), workers


def _within(total: int, memory: int | None) -> int:
    return total if memory is None else min(total, memory // MB)


def _fitting(workers: int, total: int) -> int:
    return max(1, min(workers, 1 + (total - DEFAULT) // FURTHER))


def share_out(total: int, workers: int) -> Shares:
    """Of so many megabytes. Where they are few, small runs get three fifths of what is free."""
    processes = (BOTH + (workers - 1) * OWN) * MB
    free = total * MB - processes
    small_runs = min((126 + (workers - 1) * AT_WORK) * MB, free * 3 // 5)
    spare = free - small_runs
    sent = max(spare // 10, FILE)
    large_runs = (spare - sent) * 4 // 5
    return Shares(processes, small_runs, large_runs, sent, spare - sent - large_runs)


def warn_if_short(memory: int | None) -> None:
    """A line in the log where the machine has fewer bytes than LEAST."""
    if memory is not None and memory < LEAST * MB:
        _log.warning("%d MB of memory are too few: the server and a worker need %d.", memory // MB, LEAST)


def _number(environ: Mapping[str, str], name: str) -> int | None:
    said = environ.get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 8 else None


def cores_of_machine() -> int:
    """At least 1: those that this process may run on, and no more than its control group's share of time."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    shares = [int(quota) // int(period) for quota, period in map(str.split, _limits("cpu.max")) if quota.isdigit()]
    return max(1, min([usable, *shares]))


def memory_of_machine() -> int | None:
    """Bytes; None where the system does not say."""
    bounds = [int(limit) for limit in _limits("memory.max") if limit.isdigit()]
    with suppress(AttributeError, OSError, ValueError):  # Windows, and a system that does not know these names
        bounds.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(bounds, default=None)


def _limits(name: str) -> Iterator[str]:
    """A setting of this process's control group, and of those around it."""
    with suppress(OSError):
        _, version2, group = MINE.read_text().rpartition("0::/")
        own = CGROUP / group.strip()
        for folder in (own, *own.parents) if version2 else ():
            if folder.is_relative_to(CGROUP) and (folder / name).exists():
                yield (folder / name).read_text().strip()


TOTAL, WORKERS = settle(os.environ, cores_of_machine(), memory_of_machine())  # TOTAL in MB
_, SMALL_RUNS, LARGE_RUNS, SENT, KEPT = share_out(TOTAL, WORKERS)

_MALLOC_MMAP_THRESHOLD = -3  # glibc, malloc.h


def return_what_is_freed() -> None:
    """Let glibc give large blocks back when they are freed: left alone, it soon keeps them for later (mallopt(3))."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_MALLOC_MMAP_THRESHOLD, MB)


def give_back_what_is_free() -> None:
    """Let glibc give back now what was freed: a worker would keep 100 MB of a large run while others need them.

    As malloc_trim(3) says. Unlike a threshold it costs a run nothing while it is at work.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
