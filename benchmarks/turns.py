"""The processor time of several works, measured in turns, so that what else the machine does meets all of them."""

import statistics
import time
from collections.abc import Callable


def seconds(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Of each work: the lowest quarter of the rounds, in which each is called once."""
    samples: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, own in zip(works, samples):
            started = time.process_time()
            work()
            own.append(time.process_time() - started)
    return [statistics.quantiles(own, n=4)[0] for own in samples]
