"""Memory that one update has freed stays for the next one."""

import numpy as np

LARGEST = 2**25 - 2**16  # bytes: just below the most to which glibc raises its threshold, 32 MB


def keep_what_is_freed() -> None:
    """To be called before training. Elsewhere than with glibc it does nothing.

    An update takes some megabytes and frees them. At first glibc gives back to the system whatever is free at the end
    of its memory, from 128 KB on, and the system clears each page of it anew for the next update. Once it has seen a
    large block come and go it keeps twice as much (mallopt(3), M_MMAP_THRESHOLD). This one is never written to: it
    takes no memory itself.
    """
    np.empty(LARGEST, np.uint8)
