"""From h heads to one vector: side by side, times W_O; whose share is how large (paper, section 3.2.2)."""

import streamlit as st
from torch import nn

from transformer_core import MultiHeadedAttention
from transformer_core.head_merge import MergeSteps, merge_steps
from ui.chapters.shared.attention_values import SHOWN, names_of, path, recording
from ui.chapters.shared.attention_values import window as part
from ui.figures import Board, Figure, ProgramArgument, runnable
from ui.figures import merge as drawing
from ui.figures.merge import Merge
from ui.model import recorded
from ui.sections import Chapter, Quantity, Section, controls, show
from ui.settings.fields import CellSetting, Settings, cell, choice, whole, window
from ui.settings.shared import KINDS
from ui.text import Words

WORDS = ("head", "merged", "W_O", "output", "values", "weights", "shares", "number", "sizes", "position_axis")

# The paper's base model: 512 numbers, 8 heads.
SIZE = Quantity("size", 64, {"size.wrong.full": 512, "size.wrong.all_full": 4096})


class Merged(Settings):
    merge_kind: str = choice("cross", *KINDS)
    merge_layer: int = whole(0, 0, 5)
    merge_first: int = window(448)
    merge_cell: CellSetting = cell("output", 3, 0)


@Section("merge", settings=Merged, cell="share_cell=shares.0.0 size_cell=sizes.0.3", first=SIZE)
def merged_heads(chapter: Chapter[Merged]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    with st.container(horizontal=True):
        kind = controls.choose(chapter, "merge_kind")
        layer = controls.number_of(chapter, "merge_layer", at_hand.config.N)
    width, where = at_hand.config.d_model, path(kind, layer)
    in_model = part(controls.slider(chapter, "merge_first", 0, max(0, width - SHOWN), step=8), width)
    merge = _merge(chapter, where)
    names = names_of(Words("attention", chapter.lang), kind, chapter.typed, {})
    words = {word: say(f"merge.{word}") for word in WORDS}
    words |= {f"head {head}": say("view.head", head=head) for head in range(len(merge.heads))}

    given = (
        ProgramArgument(
            "heads",
            f"{recording(at_hand, chapter.typed)}heads = trace['{where}.heads'][0]\n"
            f"W_O = model.get_submodule('{where}').linears[3].requires_grad_(False)\n",
        ),
        *(ProgramArgument(f"W_O.{name}", "") for name in ("weight", "bias")),
    )

    def draw(name: str, board: Board, tensor: str, *shape: int, shown: str) -> None:
        program = runnable(merge_steps, *given, then=f".{shown}")
        origin = at_hand.provenance(tensor, *shape)
        show(chapter, Figure(name, board, origin, code=[merge_steps, MergeSteps], program=program))

    board = drawing.concat_board(merge, names, words, part(in_model.start, merge.d_k), in_model)
    draw("concat", board, f"{where}.output", *merge.output.shape, shown="output")
    if width > SHOWN:
        st.markdown(say("merge.window", shown=SHOWN, all=width))
    t, c = _output_cell(chapter, in_model.start)
    chapter.write("shares.text", t=t, c=c, token=names.queries[t])
    share, tensor = f"shares[:, {t}, {c}]", f"merge_steps({where}.heads)"
    board = drawing.share_board(merge, t, c, names, words)
    draw("shares", board, f"{tensor}.{share}", len(merge.heads), shown=f"{share}[:, None]")
    st.markdown(say("sizes.text"))
    board = drawing.size_board(merge, names, words)
    draw("sizes", board, f"|{tensor}.shares|", *merge.sizes.shape, shown="shares.norm(dim=-1)")


def _output_cell(chapter: Chapter[Merged], first: int) -> tuple[int, int]:
    """The number of the output that the reader has chosen: the first one of the row if it is another matrix's cell, and
    of a cell of W_O the one that its row makes."""
    name, row, column = chapter.settings.merge_cell or ("output", 0, 0)
    if name == "weight":
        return 0, first + row
    return row, first + (column if name == "output" else 0)


def _merge(chapter: Chapter[Merged], where: str) -> Merge:
    trace = recorded(chapter.at_hand, chapter.typed.src, chapter.typed.given)
    module = chapter.at_hand.load().get_submodule(where)
    assert isinstance(module, MultiHeadedAttention)
    to_output = module.linears[3]
    assert isinstance(to_output, nn.Linear)
    heads, merged, output = (trace[f"{where}.{name}"][0] for name in ("heads", "merged", "output"))
    weight, bias = to_output.weight.detach(), to_output.bias.detach()
    steps = MergeSteps(merged, output, weight, len(heads))
    return Merge(*(x.numpy() for x in (heads, steps.merged, weight, bias, steps.shares, steps.output)))
