"""All benchmarks: `make bench`, or `python -m tests.benchmarks [--json | --both]`."""

from tests.benchmarks import hostile, interface, memory, readers, training
from tests.benchmarks.table import report

if __name__ == "__main__":
    report(__doc__, interface.measure, readers.measure, training.measure, memory.idle, hostile.measure)
