"""The core on a simulated device. PyTorch counts devices at its first backward pass, so they have a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.long
def test_on_a_device_that_refuses_what_gpus_refuse() -> None:
    files = [str(HERE / name) for name in ("refusals_alone.py", "devices_alone.py", "train_devices_alone.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    plain = {**os.environ, "PYTHONPATH": ""}  # what a device refuses is no matter of last bits (tests/noise)
    done = subprocess.run(command, cwd=HERE.parents[1], env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
