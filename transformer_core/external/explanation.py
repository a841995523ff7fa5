"""What `explain` returns: the recorded values, the tokens' names, and figures for a notebook."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from transformer_core.external.attend import NEVER
from transformer_core.external.heatmap import Heatmap, HeatmapMatrix
from transformer_core.picture import heatmap
from transformer_core.tasks.vocabulary import Vocabulary
from transformer_core.trace import Recorded

if TYPE_CHECKING:
    from transformer_core.picture import Figure

ATTENTIONS = {"encoder": ("self_attn",), "decoder": ("self_attn", "src_attn")}
MAPS = ("products", "scores", "masked", "weights", "dropped", "bias")  # steps with a row per query, a column per key
Names = Vocabulary | Sequence[str] | Mapping[int, str]  # token -> what it is called


@dataclass(frozen=True, repr=False)
class Explanation:
    """One run of an encoder-decoder, or of a model of one stack, which is the "decoder" of a GPT and the "encoder" of
    a BERT. `trace` is what `record` gives of ours, the batch first.

    `differences` hold these names to the model: by path, how far an attention computed from its matrices is from the
    module's own output, and x + branch from what follows the sub-layer, in units of the largest number where that is
    above 1. Empty for a model of ours, which records itself. `remarks` say in which a model of Hugging Face's is
    another one than the paper's, and what of the trace it therefore lacks.
    """

    trace: Recorded
    ids: dict[str, Tensor]  # what the "encoder" reads (batch, S), and the "decoder" (batch, T)
    names: dict[str, Names | None]  # of either's tokens
    layers: dict[str, int]  # how many either has
    differences: dict[str, float]
    remarks: tuple[str, ...] = ()

    @property
    def log_probs(self) -> Tensor:
        """Of the token after each one of the target: (batch, T, vocab). ValueError if the model has no output layer."""
        if "generator.log_probs" not in self.trace:
            raise ValueError("the model has no output layer: what it says of the next token is not known")
        return self.trace["generator.log_probs"]

    def tokens(self, stack: str, sequence: int = 0) -> list[str]:
        """What the tokens are called that the "encoder" or the "decoder" reads: without names, their numbers."""
        ids = self.ids[self._known(stack)]
        _check(sequence, len(ids), "sequence")
        return [_name(token, self.names[stack]) for token in ids[sequence].tolist()]

    def weights(
        self, stack: str, layer: int, head: int | None = None, *, attention: str | None = None, sequence: int = 0
    ) -> Heatmap:
        """The attention weights of one layer of the "encoder" or the "decoder", all heads or one: a row per query.

        `attention` is "self_attn" or, in the decoder and there by default, "src_attn". ValueError for what there is
        not.
        """
        usual = "src_attn" if self._known(stack) == "decoder" and len(self.ids) > 1 else "self_attn"
        attention = attention or usual
        _check(layer, self.layers[stack], f"layer of the {stack}")
        path = f"{stack}.layers.{layer}.{attention}"
        if attention not in ATTENTIONS[stack] or (attention == "src_attn" and usual == "self_attn"):
            raise ValueError(f"the {stack} has no {attention}")
        if f"{path}.weights" not in self.trace:
            raise ValueError(f"{path}.weights was not wanted, and has not been kept")
        rows = self.tokens(stack, sequence)
        columns = rows if attention == "self_attn" else self.tokens("encoder", sequence)
        weights = self.trace[f"{path}.weights"][sequence].cpu()  # (h, T, S)
        masked = self.trace.get(f"{path}.masked")  # which may not have been wanted
        blocked = torch.zeros_like(weights) > 0 if masked is None else masked[sequence].cpu() <= NEVER
        if head is not None:
            _check(head, len(weights), "head")
        matrices = {
            f"head {at}": HeatmapMatrix(weights[at].double().numpy(), blocked[at].numpy())
            for at in (range(len(weights)) if head is None else [head])
        }
        return Heatmap(f"{path}.weights", matrices, rows, columns)

    def heatmap(self, path: str, *, sequence: int = 0, head: int | None = None) -> "Figure":
        """Any value of the trace as a figure of Plotly, a row for each token: of an attention in every head, or in one,
        with a column for each key, and what a mask blocks left blank. KeyError, with the nearest path, for a value that
        is not there.
        """
        value, (stack, *inside) = self.trace[path], path.split(".")
        side = "decoder" if stack in ("decoder", "tgt_embed", "generator") else "encoder"
        side = side if side in self.ids else next(iter(self.ids))
        tokens = self.tokens(side, sequence)
        rows = tokens if value.size(-2) == len(tokens) else ()
        if value.dim() < 4 or inside[-1] not in MAPS:
            return heatmap(path, value, sequence=sequence, head=head, rows=rows)
        keys = tokens if "self_attn" in inside else self.tokens("encoder", sequence)
        masked = self.trace.get(f"{path.rpartition('.')[0]}.masked")
        blocked = None if masked is None else masked <= NEVER
        return heatmap(path, value, sequence=sequence, head=head, rows=rows, columns=keys, blocked=blocked)

    def alignment(self, layer: int, *, sequence: int = 0) -> Heatmap:
        """The mean over the heads of a decoder layer's attention to the source: a row for the token that follows each
        one of the target, the last of them the model's likeliest, and a column for each token of the source.

        Where the weights are large the next word may come from; they are no proof that it does.
        """
        heads = self.weights("decoder", layer, attention="src_attn", sequence=sequence)
        rows = [*self.tokens("decoder", sequence)[1:], "…"]
        if "generator.log_probs" in self.trace:
            rows[-1] = _name(int(self.log_probs[sequence, -1].argmax()), self.names["decoder"])
        mean = np.mean([matrix.values for matrix in heads.matrices.values()], axis=0)
        blocked = np.all([matrix.blocked for matrix in heads.matrices.values()], axis=0)
        return Heatmap(heads.title, {"mean of all heads": HeatmapMatrix(mean, blocked)}, rows, heads.columns)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{stack} {tuple(ids.shape)}" for stack, ids in self.ids.items())
        return f"Explanation({len(self.trace)} values; {sizes})"

    def _repr_html_(self) -> str:
        """The attention to the source in the last layer, or to itself where there is one stack."""
        stack = list(self.layers)[-1]
        return self.weights(stack, self.layers[stack] - 1)._repr_html_()

    def _known(self, stack: str) -> str:
        if stack not in self.ids:
            there = " or ".join(f'"{name}"' for name in self.ids)
            raise ValueError(f"a stack is {there}, not {stack!r}")
        return stack


def _check(at: int, count: int, what: str) -> None:
    if not 0 <= at < count:
        raise ValueError(f"there is no {what} {at}: they are counted from 0 to {count - 1}")


def _name(token: int, names: Names | None) -> str:
    if names is None:
        return str(token)
    listed = names.names if isinstance(names, Vocabulary) else names
    try:
        return str(listed[token])
    except (LookupError, TypeError):
        raise ValueError(f"there is no name for token {token}") from None
