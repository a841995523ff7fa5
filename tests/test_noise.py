"""The noise of `pytest --noise`: what it leaves as it is, how large it is, and where it reaches."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.noise import in_processes
from tests.noise.pattern import EPS, SUMMED

ROOT = Path(__file__).resolve().parents[1]


def computed(seed: int | None) -> dict[str, Any]:
    """By a process of its own, without noise if there is no seed."""
    environment = os.environ | ({"PYTHONPATH": ""} if seed is None else in_processes(seed, {}))
    command = [sys.executable, "-W", "error", "-m", "tests.noise.every"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


once = cache(computed)


def relative(one: Any, other: Any) -> float:
    """The largest difference, as a share of the number."""
    if isinstance(one, list):
        return max(relative(*pair) for pair in zip(one, other, strict=True))
    return abs(one - other) / abs(other or 1.0)


def test_every_operation_has_noise_of_a_few_last_bits() -> None:
    plain, noisy = once(None)["every"], once(1)["every"]
    sizes = {name: relative(noisy[name], plain[name]) / EPS[name.split()[-1]] for name in plain}
    assert {name: size for name, size in sizes.items() if not 0.25 < size < 3 * SUMMED} == {}


def test_the_same_computation_is_the_same_to_the_bit_in_threads_and_other_processes_too() -> None:
    one = once(1)
    assert one["every"] == one["again"] == one["in a thread"] == one["without gradients"] == one["begun twice"]
    assert one == computed(1)


def test_another_shape_and_another_seed_are_rounded_otherwise() -> None:
    plain, one, two = once(None), once(1), once(2)
    assert plain["a row"] == plain["a row of all"]
    assert one["a row"] != one["a row of all"]
    assert [name for name in one["every"] if one["every"][name] == two["every"][name]] == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_exact_on_every_processor_stays_exact(seed: int) -> None:
    assert {name: gap for name, gap in once(seed)["off by"].items() if gap} == {}
