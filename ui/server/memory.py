"""How the memory of the server and of its worker is shared out.

GLASSFORMER_MEMORY sets, in megabytes, what both together may take at most; readers who train large models at the same
time need more. All constants are bytes.
"""

import ctypes
import os
import sys

MB = 2**20
DEFAULT = 1200
LEAST = 900


def _total() -> int:
    """What the environment says, if it says something that makes sense."""
    said = os.environ.get("GLASSFORMER_MEMORY", "")
    return max(LEAST, int(said)) if said.isascii() and said.isdigit() and len(said) < 8 else DEFAULT


BASE = 600 * MB  # both processes before anybody has trained anything, with what a run and its pages need for a moment
SMALL_RUNS = 120 * MB  # of all runs of small models: some sixty of the default size
_SPARE = _total() * MB - BASE - SMALL_RUNS
LARGE_RUNS = _SPARE * 2 // 3  # of all other runs
SENT = _SPARE // 10  # of files that readers have sent and no page has read yet
KEPT = _SPARE - LARGE_RUNS - SENT  # of models and values kept in the server for the next reader

_MALLOC_MMAP_THRESHOLD = -3  # glibc, malloc.h


def return_what_is_freed() -> None:
    """Let glibc give large blocks back when they are freed: left alone, it soon keeps them for later (mallopt(3))."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_MALLOC_MMAP_THRESHOLD, MB)
