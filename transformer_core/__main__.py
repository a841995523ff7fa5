"""`python -m transformer_core predict FILE TEXT…` asks a model, `python -m transformer_core train` trains one."""

import sys

from transformer_core import shell
from transformer_core.predict import main as predict
from transformer_core.training.command import main as train

COMMANDS = {"predict": predict, "train": train}


def main() -> int:
    parser = shell.Parser(prog="python -m transformer_core", description="Use a model, or train one.", add_help=True)
    parser.add_argument("command", choices=COMMANDS, help="`predict FILE TEXT…`, or `train` with its own options")
    first, rest = sys.argv[1:2], sys.argv[2:]
    return COMMANDS[parser.parse_args(first).command](rest)


if __name__ == "__main__":
    shell.run(main)
