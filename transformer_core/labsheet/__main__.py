"""python -m transformer_core.labsheet check FILE..."""

import logging

from transformer_core import shell
from transformer_core.labsheet.command import main

if __name__ == "__main__":
    logging.disable(logging.WARNING)  # what a server of pages would be told, where links are opened
    shell.run(main)
