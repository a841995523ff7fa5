"""The lines of Python that compute the figures of all heads again; each leaves its numbers in `shown`."""

from ui.chapters.shared.attention_programs import recording
from ui.chapters.shared.attention_values import MODULES, path
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
