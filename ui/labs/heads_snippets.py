"""The lines of Python that compute the figures of all heads again."""

from ui.labs.attention_snippet import recording
from ui.labs.attention_values import Sequences, path
from ui.labs.model_snippet import model_snippet
from ui.session import ModelAtHand


def measures_snippet(at_hand: ModelAtHand, sequences: Sequences) -> str:
    """Every head's mean weight on the next position, as `following[name]` (h,); "" if the model has no snippet."""
    model = model_snippet(at_hand)
    return model and (
        f"{model}{recording(sequences)}"
        "following = {\n"
        "    name: weights[0].diagonal(1, -2, -1).mean(-1)\n"
        "    for name, weights in trace.items()\n"
        "    if name.endswith('attn.weights')\n"
        "}\n"
        "print(following)\n"
    )


def merge_snippet(at_hand: ModelAtHand, sequences: Sequences, kind: str, layer: int) -> str:
    """The output (T, d_model) of one multi-head attention, and each head's share of it (h, T, d_model)."""
    model = model_snippet(at_hand)
    where = path(kind, layer)
    return model and (
        f"{model}{recording(sequences)}"
        f"heads = trace['{where}.heads'][0]\n"
        f"W_O = model.get_submodule('{where}').linears[3]\n"
        "merged = heads.transpose(0, 1).flatten(1)\n"
        "output = (merged @ W_O.weight.T + W_O.bias).detach()\n"
        "blocks = W_O.weight.detach().chunk(len(heads), dim=1)\n"
        "shares = torch.stack([head @ block.T for head, block in zip(heads, blocks)])\n"
        "print((shares.sum(0) + W_O.bias.detach() - output).abs().max())\n"
    )
