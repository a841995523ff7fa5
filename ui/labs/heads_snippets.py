"""The lines of Python that compute the figures of all heads again."""

from ui.labs.attention_snippet import recording
from ui.labs.attention_values import Sequences, path
from ui.labs.model_snippet import model_snippet
from ui.session import ModelAtHand


def wall_snippet(at_hand: ModelAtHand, sequences: Sequences, shown: str) -> str:
    """`wall[name]` (h, T, S): what was tapped of every head."""
    return (
        f"{model_snippet(at_hand)}{recording(sequences)}"
        f"wall = {{name: value[0] for name, value in trace.items() if name.endswith('attn.{shown}')}}\n"
        "print(wall)\n"
    )


def measures_snippet(at_hand: ModelAtHand, sequences: Sequences) -> str:
    """The five measures of every head, `measures[name]` (5, h)."""
    return (
        f"{model_snippet(at_hand)}{recording(sequences)}"
        "def measures_of(weights):\n"
        "    near = [weights.diagonal(offset, -2, -1).mean(-1) for offset in (-1, 0, 1)]\n"
        "    entropy = -torch.xlogy(weights, weights).sum(-1).mean(-1)\n"
        "    away = (torch.arange(weights.size(1))[:, None] - torch.arange(weights.size(2))).abs()\n"
        "    return torch.stack([*near, entropy, (weights * away).sum(-1).mean(-1)])\n\n"
        "measures = {name: measures_of(w[0]) for name, w in trace.items() if name.endswith('attn.weights')}\n"
        "print(measures)\n"
    )


def merge_snippet(at_hand: ModelAtHand, sequences: Sequences, kind: str, layer: int) -> str:
    """The output (T, d_model) of one multi-head attention, each head's share (h, T, d_model) and its size (h, T)."""
    where = path(kind, layer)
    return (
        f"{model_snippet(at_hand)}{recording(sequences)}"
        f"heads = trace['{where}.heads'][0]\n"
        f"W_O = model.get_submodule('{where}').linears[3]\n"
        "merged = heads.transpose(0, 1).flatten(1)\n"
        "output = (merged @ W_O.weight.T + W_O.bias).detach()\n"
        "blocks = W_O.weight.detach().chunk(len(heads), dim=1)\n"
        "shares = torch.stack([head @ block.T for head, block in zip(heads, blocks)])\n"
        "sizes = shares.norm(dim=-1)\n"
        "print(output, shares, sizes, (shares.sum(0) + W_O.bias.detach() - output).abs().max(), sep='\\n')\n"
    )


def view_snippet(heads: int, length: int, d_k: int) -> str:
    return (
        "import torch\n\n"
        f"m, t, d = (torch.arange(size) for size in {(heads, length, d_k)})\n"
        "heads = 100 * m[:, None, None] + 10 * t[:, None] + d\n"
        "merged = heads.transpose(0, 1).flatten(1)\n"
        f"viewed = heads.view({length}, {heads * d_k})\n"
        "print(merged, viewed, torch.equal(merged, viewed), sep='\\n')\n"
    )
