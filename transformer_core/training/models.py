"""The model of a run: drawn from its seed, or built around weights that are there already."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast, get_args

import torch
from torch import Tensor, nn
from torch.nn.utils import vector_to_parameters
from torch.overrides import TorchFunctionMode

from transformer_core.after_2017.one_stack import OneStack
from transformer_core.experiments.rivals import Rival, make_rival
from transformer_core.learned_positions import LearnedPositions
from transformer_core.model import EncoderDecoder
from transformer_core.positions import PositionalEncoding, position_table
from transformer_core.training.config import TrainConfig

INITIAL, BATCHES, FRESH, DROPOUT = range(4)  # the streams of random numbers of a run, and one besides that few need
M = TypeVar("M", bound=nn.Module)
NOISE = 2**33  # beyond those of every seed


def fresh_model(config: TrainConfig) -> EncoderDecoder:
    """The model before its first update: a function of the settings alone. The global seed is left as it was.

    The matrices with a row per token, both embeddings' and the generator's, start alike, for the paper lets them share
    one (section 3.4): so small that embeddings and logits spread by `embedding_std`, and so do learned positions. All
    others start as Xavier's, the layers of a rival as PyTorch's.
    """
    with torch.random.fork_rng(devices=[]):
        model = structure(config)
    _share_position_code(model)
    draw(model, config.embedding_std, config.width, stream(config.seed, INITIAL))
    return model


def draw(model: EncoderDecoder | OneStack, embedding_std: float | None, width: int, generator: torch.Generator) -> None:
    """Give a model of vectors of this width the parameters that `fresh_model` says."""
    tables = {module.lut for module in model.modules() if isinstance(module, LearnedPositions)}
    for module in model.modules():
        if isinstance(module, nn.GRU | nn.Conv1d):
            bound = 1 / math.sqrt(next(module.parameters())[0].numel())
            for parameter in module.parameters():
                nn.init.uniform_(parameter, -bound, bound, generator=generator)
        if not isinstance(module, nn.Linear | nn.Embedding):
            continue
        drawn = isinstance(module, nn.Embedding) or module is model.generator.proj  # a row per token, or per position
        if drawn and embedding_std is not None:
            grows = 1.0 if module in tables else math.sqrt(width)  # only tokens are multiplied by √d_model
            nn.init.normal_(module.weight, std=embedding_std / grows, generator=generator)
        else:
            nn.init.xavier_uniform_(module.weight, generator=generator)
        if isinstance(module, nn.Linear) and module.bias is not None:
            bound = 1 / math.sqrt(module.in_features)
            nn.init.uniform_(module.bias, -bound, bound, generator=generator)


def with_weights(build: Callable[[], M], weights: Tensor) -> M:
    """The model that `build` makes, in evaluation mode, with these weights (parameters,) in the order of
    `parameters()`, whose memory it shares."""
    model = unfilled(build)
    vector_to_parameters(weights, model.parameters())
    return model.eval()


def unfilled(build: Callable[[], M]) -> M:
    """The model that `build` makes, its parameters holding whatever memory held."""
    with _Unfilled():
        model = build()
    _share_position_code(model)
    return model


def outline(build: Callable[[], M]) -> M:
    """The model that `build` makes, without its numbers: it takes no memory."""
    with _Unfilled(), torch.device("meta"):
        return build()


def shapes(build: Callable[[], nn.Module]) -> dict[str, Tensor]:
    """The parameters of that outline."""
    return dict(outline(build).named_parameters())


def structure(config: TrainConfig) -> EncoderDecoder:
    if config.architecture in get_args(Rival):
        rival = cast(Rival, config.architecture)
        return make_rival(rival, config.vocab, config.tgt_vocab, config.width, config.N, config.length, config.dropout)
    return config.shape.build()


class _Unfilled(TorchFunctionMode):
    """Within it new parameters hold whatever memory held: no time goes into numbers that are replaced at once."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in (Tensor.uniform_, Tensor.normal_):
            return args[0]
        if func in (nn.init.uniform_, nn.init.normal_, nn.init.kaiming_uniform_):
            return kwargs["tensor"]
        return func(*args, **(kwargs or {}))


def _share_position_code(model: nn.Module) -> None:
    """One table for all models of a size: for a small model it is five times as large as all that is learned."""
    for module in model.modules():
        if isinstance(module, PositionalEncoding):
            module.pe = _shared_table(*module.pe.shape[1:], module.silent)


@lru_cache(maxsize=2)
def _shared_table(length: int, d_model: int, silent: bool) -> Tensor:
    return position_table(length, d_model, silent=silent)


def stream(seed: int, purpose: int, device: torch.device | str = "cpu") -> torch.Generator:
    return torch.Generator(device).manual_seed(4 * seed + purpose)
