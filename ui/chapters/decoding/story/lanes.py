"""Two lanes: training, which is given the right answer and has all rows at once, and generating, which is not."""

from ui.chapters.decoding.story.places import DecodingLayout
from ui.chapters.decoding.story.values import DecodingStoryValues
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, pace


def lanes(v: DecodingStoryValues, stage: Stage) -> Told:
    at = DecodingLayout.of(v, stage)
    upper, lower = ((50, 136), (256, 342)) if stage.wide else ((76, 142), (276, 342))
    right, rows = v.named(v.right), len(v.right) - 1
    forced = v.named([v.right[0], *v.forced.probabilities.argmax(-1).tolist()])[1:]
    own = v.named(v.fork.turns[-1].output)

    def judged(text: str, place: int) -> str:
        if not v.known:
            return "decoder"
        return "right" if place < len(right) and text == right[place] else "wrong"

    def arrow(name: str, column: int, ys: tuple[float, float]) -> Line:
        x, gap = at.columns[column], 1.1 * at.size
        above, below = ys
        low = above + gap + (0.7 * at.size if v.glosses else 0)
        return Line(name, x, below - gap, x, low, color="decoder", arrow=True)

    def lane(kind: str, ys: tuple[float, float], passes: int) -> list[Actor]:
        """Its name, how often the model has run, and what its two rows are."""
        above, below = ys
        wide = stage.wide
        x, y = (12, (above + below) / 2) if wide else (8, above - 40)
        name, count = f"lane {kind}", f"passes {kind}"
        size, text, passed = (17 if wide else 14), v.say(f"story.{kind}"), v.say("story.passes")
        if wide:
            title = Word(name, x, y - 10, text, size=size, weight=600, align="left")
            return [
                title,
                Word(count, x, y + 12, passed, value=passes, size=14, color="quiet", align="left"),
            ]
        title = Word(name, x, y, text, size=size, weight=600, align="left")
        return [title, Word(count, 352, y, passed, value=passes, size=14, color="quiet", align="right")]

    def training(done: bool) -> list[Actor]:
        above, below = upper
        shown = [*lane("training", upper, int(done))]
        shown += [at.word(f"right {n}", right[n], n, below, "right" if v.known else "decoder") for n in range(rows)]
        if done:
            shown += [arrow(f"rise {n}", n, upper) for n in range(rows)]
            shown += [
                at.word(f"said {n}", forced[n], n, above, judged(forced[n], n + 1), born=f"right {n}")
                for n in range(rows)
            ]
        return shown

    def generating(turns: int) -> list[Actor]:
        above, below = lower
        parts = v.fork.turn - 1
        shown = [*lane("generating", lower, turns)]
        for n in range(max(1, turns)):
            color = "chosen" if n == parts + 1 else "decoder"
            shown.append(at.word(f"in {n}", own[n], n, below, color, born=f"other {n - 1}" if n else ""))
        for n in range(turns):
            color = "chosen" if n == parts else "decoder"
            shown += [arrow(f"climb {n}", n, lower), at.word(f"other {n}", own[n + 1], n, above, color, born=f"in {n}")]
        return shown

    beats = [Beat(tuple(training(False)), 0.7, 0.5), Beat(tuple(training(True)), 0.8, 0.8)]
    passes = len(v.fork.turns)
    fast = pace(passes, 1.5)
    for turns in range(passes + 1):
        slow = turns in (0, v.fork.turn, v.fork.turn + 1)
        beats.append(Beat((*training(True), *generating(turns)), *((0.5, 0.3) if slow else fast)))
    said = {"rows": rows, "passes": passes, "turn": v.fork.turn}
    origin = v.at_hand.provenance("generator.log_probs", rows, len(v.turns[0].logits))
    link = v.link(1, open="lanes", slip=str(v.fork.turn), slip_token=str(v.fork.token))
    return Told(tuple(beats), origin, said, link, "" if v.known else "own")
