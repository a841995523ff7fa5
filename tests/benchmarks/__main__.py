"""All benchmarks: `make bench`, or `python -m tests.benchmarks [--json | --both]`."""

from tests.benchmarks import interface, memory, training
from tests.benchmarks.table import report

if __name__ == "__main__":
    report(__doc__, interface.measure, training.measure, memory.idle)
