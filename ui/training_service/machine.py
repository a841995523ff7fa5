"""What of this machine the server may use: cores, and memory."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CGROUP, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")  # of Linux, version 2; a container's own is its root


def cores() -> int:
    """At least 1: those that this process may run on, and no more than its control group's share of time."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    shares = [int(quota) // int(period) for quota, period in map(str.split, _limits("cpu.max")) if quota.isdigit()]
    return max(1, min([usable, *shares]))


def memory() -> int | None:
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
