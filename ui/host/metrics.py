"""How things go, for Prometheus: counts, times and bytes of all readers together, nothing of any one of them.

`GLASSFORMER_METRICS=1` switches it on: whoever reaches the port can read it then.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path

from ui.cache import cached
from ui.rerun_metrics import BOUNDS, Part, Times, all_reruns
from ui.session import readers
from ui.training_service.runs import all_runs

KIND = "text/plain; version=0.0.4; charset=utf-8"
STATES = ("waiting", "running", "paused", "done", "stopped", "failed", "lost")

Sample = tuple[str, float]  # what follows the metric's name, and the value
_PROC = Path("/proc")


def are_wanted() -> bool:
    return os.environ.get("GLASSFORMER_METRICS") == "1"


def report() -> str:
    """The text that Prometheus reads. Memory is there on Linux alone."""
    reruns, runs, held = all_reruns.seen, all_runs.states(), memory()
    return "".join(
        [
            _metric("readers", "gauge", "Pages that are open.", [("", readers())]),
            _metric("rerun_seconds", "histogram", "Time to draw a page, or a part of one.", _histograms(reruns)),
            _metric(
                "reruns_failed_total", "counter", "Reruns that ended in an error.",
                [(f'{{part="{part}"}}', times.failed) for part, times in reruns.items()],
            ),
            _metric(
                "runs", "gauge", "Training runs that are known, by state; those that wait are the queue.",
                [(f'{{state="{state}"}}', runs.get(state, 0)) for state in STATES],
            ),
            _metric(
                "memory_bytes", "gauge", "Memory, pages that processes share counted once.",
                [(f'{{process="{process}"}}', size) for process, size in held.items()],
            ),
            _metric("kept_bytes", "gauge", "Models and values that are kept for the next reader.", [("", cached.size)]),
        ]
    )  # fmt: skip


def memory() -> dict[str, int]:
    """Bytes of the server and of the processes that it has started, the workers; empty where there is no /proc."""
    own = os.getpid()
    if not (_PROC / str(own) / "smaps_rollup").exists():
        return {}
    return {"server": _bytes(own), "workers": sum(map(_bytes, _children(own)))}


def _metric(name: str, kind: str, meaning: str, samples: Iterable[Sample]) -> str:
    values = "".join(f"glassformer_{name}{further} {value:.15g}\n" for further, value in samples)
    return f"# HELP glassformer_{name} {meaning}\n# TYPE glassformer_{name} {kind}\n{values}" if values else ""


def _histograms(reruns: Mapping[Part, Times]) -> Iterator[Sample]:
    for part, times in reruns.items():
        for bound, count in zip((*BOUNDS, "+Inf"), accumulate(times.counts)):
            yield f'_bucket{{part="{part}",le="{bound}"}}', count
        yield f'_sum{{part="{part}"}}', times.seconds
        yield f'_count{{part="{part}"}}', sum(times.counts)


def _children(parent: int) -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(after_name[1]) == parent:
            yield int(folder.name)


def _bytes(process: int) -> int:
    """A page that n processes share counts as 1/n. 0 of one that has ended, or belongs to somebody else."""
    try:
        said = (_PROC / str(process) / "smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return sum(int(size) * 1024 for size in re.findall(r"^Pss: +(\d+) kB", said, re.MULTILINE))
