"""The core's tests again, as other processors would compute: `python -m tests.processors`, or `make processors`.

Sums are rounded in the order in which a processor adds, and no test may hold for one order only. Libraries can be told
to do without what this processor has; what it lacks itself they cannot be told to do.
"""

import os
import subprocess
import sys

import torch

CORE = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "tests/core"]
WITHOUT_AVX = {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"}
WITH_AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
# By what PyTorch finds here. An ARM processor has nothing to do without: PyTorch's own name for it is not in the table.
OTHERS = {"AVX2": [WITHOUT_AVX], "AVX512": [WITHOUT_AVX, WITH_AVX2]}


def main() -> int:
    """0 = every run passed."""
    here = torch.backends.cpu.get_cpu_capability()
    failed = 0
    for settings in OTHERS.get(here, []):
        print(f"{here} computes as {settings['ATEN_CPU_CAPABILITY']}", flush=True)
        failed |= subprocess.run(CORE, env=os.environ | settings, check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
