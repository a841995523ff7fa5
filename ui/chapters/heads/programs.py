"""The lines of Python that compute the figures of all heads again; each leaves its numbers in `shown`."""

from transformer_core.tasks import Letters, Translation
from ui.chapters.shared.attention_programs import recording
from ui.chapters.shared.attention_values import MODULES, path
from ui.chapters.shared.model_program import model_snippet
from ui.model.at_hand import ModelAtHand
from ui.reading.sequences import Sequences


def _of_every_attention(at_hand: ModelAtHand, sequences: Sequences, tap: str) -> str:
    """`values`, one (h, T, S) for each attention: the encoder's, the decoder's, the cross-attention, layer by layer."""
    names = ", ".join(repr(module) for module in MODULES.values())
    return (
        f"{recording(at_hand, sequences)}"
        f"paths = [name.format(layer) for name in ({names}) for layer in range({at_hand.config.N})]\n"
        f"values = [trace[f'{{path}}.{tap}'][0] for path in paths]\n"
    )


def wall_snippet(at_hand: ModelAtHand, sequences: Sequences, shown: str) -> str:
    """A row for each query and key, which are its first two numbers; then a column per head, nan where it has none."""
    return (
        f"{_of_every_attention(at_hand, sequences, shown)}"
        "size = max(src.size(1), tgt.size(1))\n"
        "wall = torch.full((len(paths), values[0].size(0), size, size), torch.nan)\n"
        "for of_path, value in zip(wall, values):\n"
        "    of_path[:, : value.size(1), : value.size(2)] = value\n"
        "pairs = torch.cartesian_prod(torch.arange(size), torch.arange(size))\n"
        "shown = torch.cat([pairs, wall.flatten(2).flatten(0, 1).T], dim=1)\n"
        "print(shown)\n"
    )


def measures_snippet(at_hand: ModelAtHand, sequences: Sequences) -> str:
    """The five measures, a row per head."""
    return (
        f"{_of_every_attention(at_hand, sequences, 'weights')}"
        "def measures_of(weights):\n"
        "    near = [weights.diagonal(offset, -2, -1).mean(-1) for offset in (-1, 0, 1)]\n"
        "    entropy = -torch.xlogy(weights, weights).sum(-1).mean(-1)\n"
        "    away = (torch.arange(weights.size(1))[:, None] - torch.arange(weights.size(2))).abs()\n"
        "    return torch.stack([*near, entropy, (weights * away).sum(-1).mean(-1)], dim=-1)\n\n"
        "shown = torch.cat([measures_of(weights) for weights in values])\n"
        "print(shown)\n"
    )


def _task(at_hand: ModelAtHand) -> str:
    """`from transformer_core.tasks import … task = …`"""
    match at_hand.words:
        case Translation(direction):
            name, made = "Translation", repr(direction)
        case Letters(task):
            name, made = "Letters", repr(task)
        case _:
            config = at_hand.run
            name, made = "Copy", f"{config.vocab}, {config.length}, {config.min_length}"
    return f"from transformer_core.tasks import {name}\n\ntask = {name}({made})\n"


_FOUND = (  # of weights (…, h, T, S) and gold (T, S): the largest weight lies on an aligned word
    "gold.any(-1) & ((weights * gold).amax(-1) == weights.amax(-1))"
)


def looks_snippet(at_hand: ModelAtHand, sequences: Sequences) -> str:
    """Where each head, a row, looks at an aligned word, a column each; below, whether any does, and chance."""
    target = [*sequences.given[:1], *sequences.predicted]
    return (
        f"{recording(at_hand, sequences)}"
        "from transformer_core.experiments.alignment import reference_alignment\n"
        f"{_task(at_hand)}"
        f"gold = reference_alignment(task, src[0].tolist(), {target})\n"
        f"paths = [f'decoder.layers.{{layer}}.src_attn' for layer in range({at_hand.config.N})]\n"
        "weights = torch.cat([trace[f'{path}.weights'][0] for path in paths])\n"
        f"right = {_FOUND}\n"
        "chance = gold.sum(-1) / (src != 0).sum()\n"
        "shown = torch.cat([right, right.any(0, keepdim=True), chance[None]])\n"
        "print(shown)\n"
    )


def many_looks_snippet(at_hand: ModelAtHand, count: int) -> str:
    """Of how many words each head looks at an aligned one; below, any head, and chance."""
    return (
        f"{model_snippet(at_hand)}from transformer_core.experiments.alignment import words_looked_at\n"
        f"{_task(at_hand)}"
        f"found = words_looked_at(model.eval(), task, {count})\n"
        "right = found.right.flatten(0, 1)\n"
        "rows = torch.cat([right, right.any(0, keepdim=True), found.chance[None]])\n"
        "shown = rows.double().mean(-1, keepdim=True)\n"
        "print(shown)\n"
    )


def merge_snippet(at_hand: ModelAtHand, sequences: Sequences, kind: str, layer: int, shown: str) -> str:
    """The `output` (T, d_model) of one multi-head attention, and each head's share of it, `shares` (h, T, d_model)."""
    where = path(kind, layer)
    return (
        f"{recording(at_hand, sequences)}"
        f"heads = trace['{where}.heads'][0]\n"
        f"W_O = model.get_submodule('{where}').linears[3]\n"
        "merged = heads.transpose(0, 1).flatten(1)\n"
        "output = (merged @ W_O.weight.T + W_O.bias).detach()\n"
        "blocks = W_O.weight.detach().chunk(len(heads), dim=1)\n"
        "shares = torch.stack([head @ block.T for head, block in zip(heads, blocks)])\n"
        f"shown = {shown}\nprint(shown)\n"
    )


def contributions_snippet(at_hand: ModelAtHand, sequences: Sequences, row: int, token: int, rival: int) -> str:
    """What each head adds to the difference of two logits: a row per attention of the decoder."""
    return (
        f"{model_snippet(at_hand)}from transformer_core import padding_mask, record, target_mask\n"
        "from transformer_core.experiments.contributions import contributions\n\n"
        f"src, tgt = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n"
        "with torch.no_grad(), record(model.eval()) as trace:\n"
        "    model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))\n\n"
        f"found = contributions(model, trace, {row}, {token}, {rival})\n"
        "print(found.difference, found.total, found.remainder)\n"
        "shown = found.heads.contributions.flatten(0, 1)\nprint(shown)\n"
    )


def ablation_snippet(at_hand: ModelAtHand, count: int, ranked: bool) -> str:
    """What each head, a column, adds to the loss when it is off, a row per attention; or `ranked`, the head whose
    absence adds most first and above it the model as it is: loss, what is added, exact match."""
    in_order = (
        "order = [0, *sorted(range(1, len(every)), key=lambda row: -added[row])]\n"
        "shown = torch.tensor([(every[row].loss, added[row], every[row].exact_match) for row in order])\n"
    )
    in_place = f"shown = torch.tensor(added[1:]).view(-1, {at_hand.config.h})\n"
    return (
        f"{model_snippet(at_hand)}from transformer_core.experiments.ablation import ablations\n"
        f"{_task(at_hand)}"
        f"every = [scores for _, scores in ablations(model.eval(), task.held_out({count}))]\n"
        "added = [scores.loss - every[0].loss for scores in every]\n"
        f"{in_order if ranked else in_place}"
        "print(shown)\n"
    )


def view_snippet(heads: int, length: int, d_k: int) -> str:
    """The merged matrix, and below it the one that counting anew gives."""
    return (
        "import torch\n\n"
        f"m, t, d = (torch.arange(size) for size in {(heads, length, d_k)})\n"
        "heads = 100 * m[:, None, None] + 10 * t[:, None] + d\n"
        "merged = heads.transpose(0, 1).flatten(1)\n"
        f"viewed = heads.view({length}, {heads * d_k})\n"
        "shown = torch.cat([merged, viewed])\nprint(shown)\n"
    )
