"""Compute as another processor might: `pytest --noise 1`, or `make noise SEED=1`.

A processor rounds sums in the order in which it adds, and functions as its library does. Here every floating result of
such operations is multiplied by 1 + δ. δ depends on the operation, the shape and the seed alone: the same computation
stays the same to the bit, in workers' processes and threads too, and another shape does not.

How large δ may be, in units of the type's `eps` (2⁻²³ ≈ 1.19e-7 for float32), as was measured with PyTorch 2.13 and
NumPy 2.4 on one x86 processor that was told to compute as SSE4, AVX2 and AVX-512 ones do:

- `SUMMED` 2.5 eps (3.0e-7), for products, sums, softmax and layer norm. Products of positive numbers with 16 to 512
  addends differ by 1.5 eps in the median, by 4 at the 90th percentile and by 10 at most; softmax by 1.0 in the median
  and 3.1 at most. Sums of one tensor did not differ there; ARM's shorter vectors add in another order.
- `ONCE` 1 eps (1.2e-7), for functions of one number, and for a·b + c, which is rounded once or twice: libraries promise
  1 ulp for exp, sin, cos and log (which MKL rounds alike on every x86 processor, and NumPy, SLEEF on ARM and Apple's do
  not); `pow`, `sigmoid`, `tanh` and `lerp` differed by at most 1.5 where nothing cancels.
- Of float16's and bfloat16's results a share of `FLIPPED` 0.005, by one last bit: so many products of 512 addends did.

What every processor computes exactly stays: whole numbers; results of at most `EXACT` significant bits, as sums
of powers of two and 1/4 (one inexact result in 4096 is taken for one); a sum or a product that has a single addend.
Python's own `math` is left alone, for its last bits are 1e-16.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

VARIABLE = "NOISE"
START = Path(__file__).parent / "start"  # has the file that Python imports when it starts


@cache
def begin(seed: int) -> None:
    """From now on this thread, those that it starts and the processes that it starts compute with noise.

    Once in a process: a worker that runs tests has begun as Python started, and again as it read its options.
    """
    from tests.noise import arrays, tensors
    from tests.noise.pattern import choose

    choose(seed)
    arrays.begin()
    tensors.begin()
    os.environ |= in_processes(seed, os.environ)


def in_processes(seed: int, environment: Mapping[str, str]) -> dict[str, str]:
    """What makes a Python that is started with it compute with this noise."""
    paths = [str(START), *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    return {VARIABLE: str(seed), "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
