"""All benchmarks: `make bench`, or `python -m tests.benchmarks [--json | --both]`."""

from tests.benchmarks import (
    ablation,
    classroom,
    decoding,
    hostile,
    interface,
    memory,
    readers,
    replicas,
    stories,
    training,
    visit,
    workers,
)
from tests.benchmarks.table import report

EVERY = (visit, interface, stories, readers, replicas, classroom, training, workers, decoding, ablation)

if __name__ == "__main__":
    report(__doc__, *(one.measure for one in EVERY), memory.idle, hostile.measure)
