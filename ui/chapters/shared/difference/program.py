"""The lines of Python that compute the difference of two models in one matrix again."""

from ui.chapters.shared.model_program import model_snippet
from ui.inputs.sequences import TypedSequences
from ui.model import ModelAtHand


def difference_snippet(
    a: ModelAtHand, b: ModelAtHand, sequences: TypedSequences | None, tensor: str, head: int | None
) -> str:
    """Of a value that is recorded while both read the `sequences`, in one head if it has some; or of a parameter."""
    models = f"{model_snippet(a)}first = model\n\n{model_snippet(b)}second = model\n\n"
    if sequences is None:
        values = f"    return model.get_parameter('{tensor}').detach().double()\n\n"
        return f"{models}def values(model):\n{values}{_SHOWN}"
    part = "[0]" if head is None else f"[0, {head}]"
    return (
        f"{models}from transformer_core import padding_mask, record, target_mask\n\n"
        f"src, tgt = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n\n"
        "def values(model):\n"
        "    with torch.no_grad(), record(model.eval()) as trace:\n"
        "        model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))\n"
        f"    return trace['{tensor}']{part}.double()\n\n"
        f"{_SHOWN}"
    )


_SHOWN = "shown = values(first) - values(second)\nprint(shown)\nprint(shown.abs().max(), shown.abs().mean())\n"
