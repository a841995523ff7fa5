"""All benchmarks: `make bench`, or `python -m benchmarks [--json | --both]`; of Ray where it is installed."""

from importlib.util import find_spec

from benchmarks import (
    ablation,
    classroom,
    decoding,
    earlier,
    exercises,
    hostile,
    interface,
    memory,
    notes_copy,
    readers,
    recipes,
    replicas,
    rows,
    stories,
    training,
    visit,
    workers,
)
from benchmarks.table import Measure, report


def of_cluster() -> list[Measure]:
    if find_spec("ray") is None:
        return []
    from benchmarks import cluster

    return [cluster.measure]


EVERY = (
    visit,
    interface,
    earlier,
    stories,
    exercises,
    readers,
    replicas,
    classroom,
    training,
    rows,
    recipes,
    notes_copy,
    workers,
    decoding,
    ablation,
)

if __name__ == "__main__":
    report(__doc__, *(one.measure for one in EVERY), *of_cluster(), memory.idle, hostile.measure)
