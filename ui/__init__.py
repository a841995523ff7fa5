"""What the chapters share: colours, words, settings, figures and the frame around them."""

import os
import signal
import sys

if sys.argv[:1] == ["-m"]:  # a program of ours, with all its imports still before it, is interrupted: no traceback
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))

if __name__ == "ui":  # and not glassformer.ui, as the installed command is found, before it has made this folder known
    from ui import process_setup

    process_setup.prepare()  # every page comes by here first, long before it has imported PyTorch
