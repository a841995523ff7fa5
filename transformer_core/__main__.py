"""`python -m transformer_core predict FILE TEXT…` asks a model, `train` trains one, `train-row` a GPT or a BERT."""

import sys

from transformer_core import shell
from transformer_core.predict import main as predict
from transformer_core.training.command import main as train
from transformer_core.training.row_command import main as train_row

COMMANDS = {"predict": predict, "train": train, "train-row": train_row}


def main() -> int:
    parser = shell.Parser(prog="python -m transformer_core", description="Use a model, or train one.", add_help=True)
    parser.add_argument(
        "command", choices=COMMANDS, help="`predict FILE TEXT…`; `train` and `train-row` have their own options"
    )
    first, rest = sys.argv[1:2], sys.argv[2:]
    return COMMANDS[parser.parse_args(first).command](rest)


if __name__ == "__main__":
    shell.run(main)
