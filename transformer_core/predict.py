"""Let a trained model answer in the shell, and say where it looked.

python -m transformer_core predict model.safetensors "I buy two red flowers"
python -m transformer_core predict model.safetensors "1 5 3 2" --attention
python -m transformer_core predict gpt.safetensors "two red flowers sleep ="
python -m transformer_core predict bert.safetensors "I buy two <mask> flowers"
"""

import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.decoding.greedy import greedy_steps
from transformer_core.masks import padding_mask
from transformer_core.shell import Parser
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.row_answers import row_answer
from transformer_core.training.row_file import OneStackCheckpoint
from transformer_core.training.state_dict import Imported, load_any


@dataclass(frozen=True)
class Prediction:
    """What greedy decoding makes of a source, and the attention that each output token was chosen with."""

    source: str
    output: str
    log_prob: float  # of the whole output, its end symbol included; nats
    sources: list[str]  # tokens of the source
    outputs: list[str]  # tokens of the output after the start symbol
    attention: Tensor  # (outputs, sources): cross-attention of the last layer, the mean over its heads


def predicted(checkpoint: Checkpoint | Imported, text: str) -> Prediction:
    """The output for a text in the words of the model. ValueError (UnknownWord) if it does not know one of them."""
    config, model = checkpoint.config, checkpoint.model
    source, target = config.vocabularies
    tokens = source.sequence(source.read(text))
    if len(tokens) == len(source.sequence([])):
        raise ValueError("there is no word in an empty text")
    src, most = torch.tensor([tokens]), config.words.longest[1] if config.words else len(tokens)
    written, log_prob, rows = list[int](), 0.0, list[Tensor]()
    with torch.inference_mode():
        for step in greedy_steps(model, src, padding_mask(src, PAD), most, end=target.end):
            written.append(int(step.choice))
            log_prob += float(step.log_probs.max())
            last = max(int(path.split(".")[2]) for path in step.trace if path.endswith("src_attn.weights"))
            rows.append(step.trace[f"decoder.layers.{last}.src_attn.weights"][0, :, -1].mean(0))
    return Prediction(
        text, target.text(written), log_prob, source.labels(tokens), target.labels(written), torch.stack(rows)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0 = every text has an output; 2 = the file or a text failed, and stderr says so."""
    torch.set_num_threads(1)
    parser = Parser(prog="python -m transformer_core predict", description="What a trained model makes of texts.")
    parser.add_argument("file", metavar="FILE", help="a trained model, or a state dict, whose tokens are numbers")
    parser.add_argument("texts", metavar="TEXT", nargs="+", help="sources, in the words of the model; - reads lines")
    parser.add_argument("--attention", action="store_true", help="where each output token looked, as a table")
    parser.add_argument("--h", type=int, metavar="HEADS", help="heads of a state dict, which does not say them")
    parser.add_argument("--json", action="store_true", help="an object a line instead")
    said = parser.parse_args(arguments)
    try:
        checkpoint = load_any(said.file, said.h)
    except OSError as problem:
        parser.refuse(f"{said.file}: {problem.strerror}")
    except (ValueError, ImportError) as problem:
        parser.refuse(f"{said.file}: {problem}")
    if isinstance(checkpoint, OneStackCheckpoint) and said.attention:
        parser.refuse(f"{said.file}: a model of one stack has no attention from an output to a source")
    status = 0
    for text in _texts(said.texts):
        try:
            if isinstance(checkpoint, OneStackCheckpoint):
                answer = {"source": text, "output": row_answer(checkpoint, text)}
                print(json.dumps(answer, ensure_ascii=False) if said.json else " → ".join(answer.values()))
                continue
            found = predicted(checkpoint, text)
        except ValueError as problem:
            print(f"{parser.prog}: {text!r:.60}: {problem}", file=sys.stderr)
            status = 2
            continue
        print(_as_json(found) if said.json else f"{found.source} → {found.output}")
        if said.attention and not said.json:
            print("\n".join(table(found)))
    return status


def table(found: Prediction) -> Iterator[str]:
    """A line for each output token: its attention to each token of the source, in percent."""
    wide = max(5, *(_cells(name) + 1 for name in found.sources))
    names = max(map(_cells, found.outputs))
    yield " " * names + "".join(" " * (wide - _cells(name)) + name for name in found.sources)
    for name, row in zip(found.outputs, found.attention.tolist()):
        yield name + " " * (names - _cells(name)) + "".join(f"{weight:{wide}.0%}" for weight in row)


def _cells(text: str) -> int:
    """The columns of a terminal that a text takes: a Chinese character has two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _texts(given: Sequence[str]) -> Iterator[str]:
    for text in given:
        yield from (line.rstrip("\n") for line in sys.stdin if line.strip()) if text == "-" else [text]


def _as_json(found: Prediction) -> str:
    values = vars(found) | {"attention": [[round(weight, 6) for weight in row] for row in found.attention.tolist()]}
    return json.dumps(values, ensure_ascii=False)
