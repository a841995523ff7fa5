"""python -m transformer_core.labsheet check FILE..."""

import sys

from transformer_core.labsheet.command import main

if __name__ == "__main__":
    sys.exit(main())
