"""A model that was trained elsewhere: a state dict with the names of the Annotated Transformer, or of the notes.

Such a file holds weights alone. Their shapes tell N, d_model, d_ff and both vocabularies; into how many heads d_model
is cut, and on which side of the residual sum the normalisation stands, no shape tells. Neither dropout nor a task does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, overload

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.positions import position_code
from transformer_core.tasks import Vocabulary
from transformer_core.training.checkpoint import LARGEST, Checkpoint, checkpoint_of, content_of, filled
from transformer_core.training.config import ConfigError, TrainConfig, check_heads
from transformer_core.training.names import is_state, our_names, refuse_objects, state_in
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.row_file import (
    OneStackCheckpoint,
    is_one_stack,
    one_stack_from_transformers,
    one_stack_of,
    transformers_settings,
)
from transformer_core.training.shape import POSITIONS, ModelShape
from transformer_core.training.sharded import held_in, is_sharded
from transformer_core.training.tensor_file import held

HEADS, MOST_HEADS = 8, 16  # the paper's, where d_model can be cut so, and its larger model's
MOST = 2**31  # of anything
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SAME_CODE = 2e-3  # how far two float32 position codes lie apart at most, at position 5000
SIZES = {  # the tensor whose rows and columns tell them
    "src_embed.0.lut.weight": ("vocab", "d_model"),
    "tgt_embed.0.lut.weight": ("target", "d_model"),
    "encoder.layers.0.feed_forward.w_1.weight": ("d_ff", "d_model"),
}
LAYER = re.compile(r"(?:en|de)coder\.layers\.(\d{1,4})\.")
LAST_NORMS = re.compile(r"(encoder|decoder)\.norm\.")
TABLES = ("src_embed.0.lut.weight", "tgt_embed.0.lut.weight", "generator.proj.weight")  # with a row per token
POSITION_TABLES = ("src_embed.1.lut.weight", "tgt_embed.1.lut.weight")
BUFFERS = ("src_embed.1.pe", "tgt_embed.1.pe")


@dataclass(frozen=True)
class ImportedConfig:
    """What is known of such a model: its shape. Its tokens are numbers; of its training nothing is known.

    Token 0 is taken for padding and 1 for the start symbol, for that is so in the notes' and the paper's copy task.
    ConfigError if its heads do not fit.
    """

    shape: ModelShape
    words: None = None  # no task of ours
    length: int = 10  # tokens of the rows that it is tried with

    def __post_init__(self) -> None:
        for name in ("src_vocab", "tgt_vocab", "N", "d_model", "d_ff", "h"):
            if not 1 <= (value := getattr(self.shape, name)) <= MOST:
                message = f"{name} must lie between 1 and {MOST}, not {value}"
                raise ConfigError("range", message, name=name, low=1, high=MOST, value=value)
        check_heads(self.d_model, self.h)

    @property
    def vocab(self) -> int:
        return self.shape.src_vocab

    @property
    def tgt_vocab(self) -> int:
        return self.shape.tgt_vocab

    @property
    def N(self) -> int:
        return self.shape.N

    @property
    def d_model(self) -> int:
        return self.shape.d_model

    @property
    def d_ff(self) -> int:
        return self.shape.d_ff

    @property
    def h(self) -> int:
        return self.shape.h

    @property
    def norm_first(self) -> bool:
        return self.shape.norm_first

    @property
    def scale(self) -> bool:
        return self.shape.scale

    @property
    def positions(self) -> bool:
        return self.shape.positions

    @property
    def learned_positions(self) -> bool:
        return self.shape.position_rows > 0

    @property
    def dropout(self) -> float:
        return self.shape.dropout

    @property
    def parameters(self) -> int:
        return self.shape.parameters

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        return Vocabulary.of_numbers(self.vocab), Vocabulary.of_numbers(self.tgt_vocab)

    def answer(self, source: Sequence[int]) -> None:
        """Nobody knows what such a model was trained to say."""


ModelConfig = TrainConfig | ImportedConfig  # what is known of a model: the run that it comes from, or its shape
Check = Callable[[ModelConfig], None]


class Imported(NamedTuple):
    model: EncoderDecoder  # in evaluation mode
    config: ImportedConfig


@overload
def load_any(
    source: str | Path | bytes | Mapping[str, Any],
    h: int | None = None,
    norm_first: bool | None = None,
    most: int = LARGEST,
    *,
    check: Check,
) -> Checkpoint | Imported: ...


@overload
def load_any(
    source: str | Path | bytes | Mapping[str, Any],
    h: int | None = None,
    norm_first: bool | None = None,
    most: int = LARGEST,
    *,
    check: None = None,
) -> Checkpoint | Imported | OneStackCheckpoint: ...


def load_any(
    source: str | Path | bytes | Mapping[str, Any],
    h: int | None = None,
    norm_first: bool | None = None,
    most: int = LARGEST,
    *,
    check: Check | None = None,
) -> Checkpoint | Imported | OneStackCheckpoint:
    """A model from a file, or its content: one that `save` wrote, or a state dict, which `h` and `norm_first` are for.

    A file of `torch.save` or of safetensors, or a folder with its parts. The state dict may lie in what a training loop
    saves (`{"state_dict": …}`, `{"model_state_dict": …}`, beside whatever else), be that of an `nn.DataParallel`, of
    averaged weights, of a model that `torch.compile` has wrapped in whole or in part, or of a module that holds it as
    `model`, or be that of a module which was saved whole. `model.state_dict()` itself will do for a file. Left open,
    `h` is the paper's 8, or the most below that divides d_model, and `norm_first` is whether the stacks end with a
    normalisation: the pre-norm form needs one. Embeddings and generator share one matrix if their numbers are the same.
    The model lies where the state dict does, or on the CPU. NotAModel, a ValueError in words, if the file is neither,
    if its model takes more than `most` bytes, or if `check`, which is given what is known of the model before that is
    built, raises a ConfigError.

    A decoder-only or an encoder-only model comes from a file of `save_one_stack`, or from a folder in which
    `transformers` has saved a GPT-2, BERT, Llama, Mistral or Mixtral. None of these is read where there is a `check`.
    """
    found = state_in(_held(source, most) if isinstance(source, str | Path | bytes) else source)
    if check is None and (settings := transformers_settings(source)) is not None:
        return one_stack_from_transformers(settings, found, most)
    if is_state(found):
        return imported_from(found, h, norm_first, most, check=check)
    refuse_objects(found)
    if is_one_stack(found):
        if check is not None:
            raise NotAModel("one_stack", "the file holds a model of one stack, and the chapters draw encoder-decoders")
        return one_stack_of(found, most)
    return checkpoint_of(found, most, check)


def _held(source: str | Path | bytes, most: int) -> Any:
    if isinstance(source, str | Path) and is_sharded(Path(source)):
        return held_in(Path(source), most)
    return held(content_of(source, most))


def heads_of(d_model: int) -> list[int]:
    """The numbers of heads that d_model can be cut into, up to the most of a usual model."""
    return [h for h in range(1, MOST_HEADS + 1) if d_model % h == 0]


def imported_from(
    found: Mapping[Any, Any],
    h: int | None = None,
    norm_first: bool | None = None,
    most: int = LARGEST,
    *,
    check: Check | None = None,
) -> Imported:
    """The model of a state dict, as `load_any` reads it."""
    state = our_names(found)
    config = _config(state, h, norm_first, check)
    left_out = (*BUFFERS, *TABLES[1:]) if config.shape.tied else BUFFERS
    weights = {name: weight for name, weight in state.items() if name not in left_out}
    model = filled(config.shape.build, weights, most, FLOATS).to(next(iter(weights.values())).device)
    for name in BUFFERS:
        _check_code(name, state.get(name), config.d_model)
    return Imported(model, config)


def _config(state: Mapping[str, object], h: int | None, norm_first: bool | None, check: Check | None) -> ImportedConfig:
    """What the names and shapes tell, before anything is built. NotAModel if they tell nothing, or too much."""
    sizes: dict[str, int] = {}
    for name, axes in SIZES.items():
        weight = state.get(name)
        if weight is None:
            raise NotAModel("missing", f"the file is no such model: {name} is missing", names=name)
        if not isinstance(weight, Tensor) or weight.dim() != len(axes):
            raise NotAModel("tensor", f"{name} is no plain matrix of numbers", name=name)
        sizes = dict(zip(axes, weight.shape)) | sizes
    layers = {int(found[1]) for name in state if (found := LAYER.match(name))}
    N = 1 + max(layers, default=0)
    if len(layers) < N:  # known before a layer is built
        lacking = f"encoder.layers.{min(set(range(N)) - layers)}"
        raise NotAModel("missing", f"the file is no such model: {lacking} is missing", names=lacking)
    last_norm = any(map(LAST_NORMS.match, state))
    d_model = sizes["d_model"]
    try:
        config = ImportedConfig(
            ModelShape(
                sizes["vocab"],
                sizes["target"],
                N=N,
                d_model=d_model,
                d_ff=sizes["d_ff"],
                h=max(each for each in heads_of(d_model) if each <= HEADS) if h is None else h,
                norm_first=last_norm if norm_first is None else norm_first,
                notes_norm=any(name.endswith(".a_2") for name in state),
                last_norm=last_norm,
                position_rows=_position_rows(state),
                tied=_tied(state),
            )
        )
        if check is not None:
            check(config)
        return config
    except ConfigError as problem:
        raise NotAModel(problem.reason, str(problem), **problem.values) from problem


def _tied(state: Mapping[str, object]) -> bool:
    """Whether both embeddings and the generator have the same numbers, as one matrix has them under three names."""
    first, *others = (state.get(name) for name in TABLES)
    if not isinstance(first, Tensor) or first.is_meta:
        return False
    return all(
        isinstance(other, Tensor)
        and (other.shape, other.dtype, other.device) == (first.shape, first.dtype, first.device)
        and torch.equal(first, other)
        for other in others
    )


def _position_rows(state: Mapping[str, object]) -> int:
    """Of the source's table of learned positions, as many as the target's must have; 0 where there is none."""
    name = POSITION_TABLES[0]
    table = state.get(name)
    if table is None:
        return 0
    if not isinstance(table, Tensor) or table.dim() != 2:
        raise NotAModel("tensor", f"{name} is no plain matrix of numbers", name=name)
    return table.size(0)


def _check_code(name: str, code: object, d_model: int) -> None:
    """The buffer may be left out; if it is there it must be the paper's, for that is what the model will add."""
    if code is None:
        return
    if not isinstance(code, Tensor) or code.is_meta or code.dtype not in FLOATS:
        raise NotAModel("tensor", f"{name} is not a tensor of {FLOATS[0]}", name=name)
    if code.dim() != 3 or code.size(0) != 1 or not 0 < code.size(1) <= POSITIONS or code.size(2) != d_model:
        shape, wanted = f"{tuple(code.shape)!s:.60}", f"(1, 1…{POSITIONS}, {d_model})"
        raise NotAModel("shape", f"{name} has shape {shape} instead of {wanted}", name=name, shape=shape, wanted=wanted)
    if not torch.allclose(code[0].cpu().float(), position_code(code.size(1), d_model), rtol=0, atol=SAME_CODE):
        raise NotAModel("code_differs", f"{name} is not the position code of the paper", name=name)
