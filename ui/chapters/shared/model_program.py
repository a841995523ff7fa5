"""The lines of Python that make the model at hand again, in a prompt at the project's root."""

from collections.abc import Sequence

from transformer_core.tasks import Letters, OwnPairs, Translation
from transformer_core.training.config import TrainConfig
from ui.model import ModelAtHand
from ui.model.shipped import EVERY

SAVED_PAIRS = "open('pairs.tsv', encoding='utf-8').read()"  # a reader's own, as the chapter on training saves them


def model_snippet(at_hand: ModelAtHand) -> str:
    """`import torch … model = …`. A moment of a run is trained again, on the same machine to the very same numbers;
    an untrained model is step 0 of its run."""
    config = at_hand.config
    if at_hand.kind in EVERY:
        file = f"assets/model/{EVERY[at_hand.kind]}"
        source = f"from transformer_core.training.checkpoint import load\n\nmodel = load('{file}').model\n"
    elif at_hand.own is not None:
        form = f", h={config.h}, norm_first={config.norm_first}" if at_hand.step is None else ""
        load = f"load_any('{at_hand.own.file}'{form})"
        source = f"from transformer_core.training.state_dict import load_any\n\nmodel = {load}.model\n"
    else:
        source = (
            "from transformer_core.train import train_to\nfrom transformer_core.training.config import TrainConfig\n\n"
            "torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike\n"
            f"model = train_to({config_source(at_hand.run)}, {at_hand.step})\n"
        )
    if at_hand.fault:
        source += (
            "\nfrom transformer_core.exercises.faults.which_fault import hidden\n\n"
            f"model = hidden(model.eval(), {at_hand.fault})\n"
        )
    if at_hand.how != "none":
        source += (
            f"\nfrom transformer_core.verify.broken import broken\n\nmodel = broken(model.eval(), {at_hand.how!r})\n"
        )
    return f"import torch\n{source}"


def decoding_snippet(at_hand: ModelAtHand, function: str, src: Sequence[int], prefix: Sequence[int], *more: str) -> str:
    """The model, the source in `src`, and in `found` what a `function` of the core writes for it, which goes on from
    the `prefix`; `more` is what else it is given."""
    given = [str(at_hand.most(tuple(src))), *more, *([f"prefix={list(prefix)}"] if prefix else [])]
    return (
        f"{model_snippet(at_hand)}from transformer_core import {function}, padding_mask\n\n"
        f"src = torch.tensor([{list(src)}])\n"
        f"found = {function}(model, src, padding_mask(src), {', '.join(given)})\n"
    )


def task_snippet(at_hand: ModelAtHand) -> str:
    """`from transformer_core.tasks import … task = …`"""
    match at_hand.words:
        case Translation(direction):
            name, made = "Translation", repr(direction)
        case Letters(task):
            name, made = "Letters", repr(task)
        case OwnPairs():
            name, made = "OwnPairs", SAVED_PAIRS
        case _:
            config = at_hand.run
            name, made = "Copy", f"{config.vocab}, {config.length}, {config.min_length}"
    return f"from transformer_core.tasks import {name}\n\ntask = {name}({made})\n"


def config_source(config: TrainConfig) -> str:
    """`TrainConfig(N=2, seed=3)`: the seed, and what differs from the default and does not follow from the rest."""
    default = TrainConfig().to_dict() | {"seed": None, "d_ff": 4 * config.d_model}
    if config.words is not None:
        default |= {name: getattr(config, name) for name in ("vocab", "length", "min_length")}
    said = {name: repr(value) for name, value in config.to_dict().items() if value != default[name]}
    if config.pairs:
        said["pairs"] = SAVED_PAIRS
    return f"TrainConfig({', '.join(f'{name}={value}' for name, value in said.items())})"
