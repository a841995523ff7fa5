"""Ctrl-C while a program of ours still imports PyTorch, which takes a second or two: it ends, without a traceback."""

import os
import signal
import sys

STATUS = 128 + signal.SIGINT

if sys.argv[:1] == ["-m"]:  # so Python has it while it looks for the module to run, and imports what that lies in
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(STATUS))
