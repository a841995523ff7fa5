"""What a run is watched by: a few fixed pairs, what the model makes of them, and one of its parameters."""

import numpy as np
import torch
from torch import Tensor, nn

from transformer_core.devices import model_device
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.tasks.padding import padded
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.trace import record
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import evaluating, log_probs_of
from transformer_core.training.memory import PAIRS, rows_recorded
from transformer_core.training.report import Probe

PROBE = (1, 3, 2, 5, 4, 6, 7, 8, 9, 10)  # the sequence that the lecture notes decode
FOLLOWED = "decoder.layers.0.src_attn.linears.0.weight"  # W_Q of the first cross-attention
PROBED_OF = 12  # of so many sources held out the longest are watched, in a task that has words of its own


def watched_of(config: TrainConfig) -> list[tuple[int, ...]]:
    """The sources a run watches: in a task with words of its own the longest of a few that are held out.

    In the others PROBE alone, no longer than the run's sequences, each token within its vocabulary.
    """
    if config.words is not None:
        sources = [
            tuple(token for token in row if token != PAD) for row in config.words.held_out(PROBED_OF).src.tolist()
        ]
        return sorted(sources, key=len, reverse=True)[:PAIRS]
    return [
        tuple(token if token < config.vocab else 2 + token % (config.vocab - 2) for token in PROBE[: config.length])
    ]


def probe_of(config: TrainConfig) -> tuple[int, ...]:
    """The source whose cross-attention a run watches."""
    return watched_of(config)[0]


def followed(model: EncoderDecoder) -> nn.Parameter:
    """The matrix whose first number a run reports at every step: FOLLOWED, or the first of a model without that."""
    parameters = dict(model.named_parameters())
    return parameters.get(FOLLOWED, next(one for one in parameters.values() if one.dim() > 1))


def source_tokens(config: TrainConfig) -> list[int]:
    """Those that are words or numbers, by their ids."""
    symbols = () if config.words is None else (START, config.vocabularies[0].end)
    return [token for token in range(1, config.vocab) if token not in symbols]


def embedded_of(config: TrainConfig) -> list[int]:
    """The source's tokens whose embeddings are recorded: as many as there is room for, those of what is watched before
    others."""
    seen = {token for source in watched_of(config) for token in source}
    tokens = sorted(source_tokens(config), key=lambda token: token not in seen)
    return sorted(tokens[: rows_recorded(config)])


class Watched:
    """The sources of `watched_of` with their targets; another first one if `probe` says so.

    ValueError if the task has words of its own and does not say its target.
    """

    def __init__(self, config: TrainConfig, probe: tuple[int, ...] | None = None) -> None:
        self.h = config.h
        sources = [probe or probe_of(config), *watched_of(config)[1:]]
        targets = [_target(config, source) for source in sources]
        self.probe = Pairs(padded(sources[:1]), padded(targets[:1]))
        self.pairs = Pairs(padded(sources), padded(targets))
        self._batch = Batch(*self.pairs)
        self._embedded = embedded_of(config)

    def through(self, model: EncoderDecoder, block_norms: np.ndarray) -> Probe:
        """What a model makes of them as it is now, beside the lengths of its blocks' gradients."""
        with evaluating(model), torch.inference_mode(), record(model, _is_shown) as trace:
            log_probs = log_probs_of(model, self._batch.to(model_device(model)))
        T, S = self.probe.tgt.size(1) - 1, self.probe.src.size(1)
        maps = [weights[0, :, :T, :S] for weights in trace.values()]
        weights = torch.stack(maps) if maps else torch.empty(0, self.h, T, S)
        table = next(model.src_embed.parameters()).detach()[self._embedded]
        choices = log_probs.argmax(-1).to(torch.int16)
        return Probe(
            _array(weights.half()), _array(log_probs[0, :T]), _array(choices), _array(table.half()), block_norms
        )


def _array(values: Tensor) -> np.ndarray:
    found: np.ndarray = values.cpu().numpy()
    return found


def _is_shown(path: str) -> bool:
    return path.endswith(".src_attn.weights")


def _target(config: TrainConfig, source: tuple[int, ...]) -> list[int]:
    """In the tasks on rows of numbers the source itself."""
    target = config.answer(source)
    if target is None:
        raise ValueError(f"the task {config.task} has no target for the probe {source}")
    return target
