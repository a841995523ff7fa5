"""The lines of Python that make the model at hand again, in a prompt at the project's root."""

from ui.session import ModelAtHand


def model_snippet(at_hand: ModelAtHand) -> str:
    """`import torch … model = …`, or "" for a moment of a training run, which takes the whole run to make."""
    if at_hand.kind == "trained":
        source = "from transformer_core.checkpoint import load\n\nmodel = load('assets/model/copy.pt').model\n"
    elif at_hand.kind in ("fresh", "notes"):
        c = at_hand.config
        sizes = f"{c.vocab}, {c.vocab}, {c.N}, {c.d_model}, {c.d_ff}, {c.h}, {c.dropout}"
        source = (
            f"from transformer_core import make_model\n\ntorch.manual_seed({at_hand.seed})\n"
            f"model = make_model({sizes}).eval()\n"
        )
    else:
        return ""
    return f"import torch\n{source}"
