"""All benchmarks: `make bench`, or `python -m tests.benchmarks [--json | --both]`."""

from tests.benchmarks import ablation, hostile, interface, memory, readers, training
from tests.benchmarks.table import report

if __name__ == "__main__":
    report(
        __doc__, interface.measure, readers.measure, training.measure, ablation.measure, memory.idle, hostile.measure
    )
