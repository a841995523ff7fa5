"""What new models say, each from a seed of its own: the last picture of the notes' fourth document."""

import numpy as np

from transformer_core.experiments.untrained import Untrained, outputs_of_untrained
from ui.cache import cached
from ui.figures import Board, Figure, Panel, number
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

MODELS = 10
GIVEN = Untrained(
    src=tuple(range(1, 11)), start=0, vocab=11, N=2, d_model=64, d_ff=256, h=8
)  # but for the width, theirs


class OfUntrained(Settings):
    untrained_seed: int = whole(0, 0, 90)  # of the first of the models


@Section("untrained", settings=OfUntrained, cell="untrained_cell", text="text")
def untrained(chapter: Chapter[OfUntrained]) -> None:
    say = chapter.say
    first = controls.slider(chapter, "untrained_seed")
    seeds = range(first, first + MODELS)
    outputs = cached.get_or_make(("untrained", GIVEN, first), lambda: outputs_of_untrained(GIVEN, seeds)).numpy()
    panel = Panel(
        "untrained",
        outputs,
        say("untrained.outputs"),
        row_labels=[str(seed) for seed in seeds],
        col_labels=[str(place) for place in range(outputs.shape[1])],
        row_axis=say("untrained.seed_axis"),
        col_axis=say("untrained.place_axis"),
        scale="plain",
        print_values=True,
        meaning="decoder",
        padded_cols=[0],
    )
    figure = Figure(
        "untrained",
        Board([panel]),
        provenance(f"greedy_decode · make_model(11, 11, N=2, d_model={GIVEN.d_model})", *outputs.shape),
        code=[outputs_of_untrained],
        program=(
            "from transformer_core.experiments.untrained import Untrained, outputs_of_untrained\n\n"
            f"shown = outputs_of_untrained({GIVEN}, {seeds})\nprint(shown)\n"
        ),
        alt=say("untrained.alt", models=MODELS),
    )
    show(chapter, figure)
    chapter.write("untrained.why", models=MODELS, **_counted(outputs), start=GIVEN.start, d_model=GIVEN.d_model)


def _counted(outputs: np.ndarray) -> dict[str, str]:
    """Of the tokens that the models have chosen themselves, the outputs (models, turns) without their first column."""
    chosen = outputs[:, 1:]
    kinds = [len(set(row.tolist())) for row in chosen]
    again = chosen[:, 1:] == chosen[:, :-1]
    return {
        "copied": str(int((chosen == np.array(GIVEN.src[1:])).all(1).sum())),
        "kinds": number(float(np.mean(kinds)), 2),
        "turns": str(chosen.shape[1]),
        "again": f"{again.mean():.0%}",
        "different": str(len({row.tobytes() for row in chosen})),
    }
