"""What the story of heads asks: how many sentences come out right with one of them off; and the same of another one."""

from ui.chapters.heads.story.chosen import HeadsStoryValues
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked

NEEDED = Choice("story_needed", ("most", "part", "none"), right="most")


def of_another(v: HeadsStoryValues, seed: int) -> Version | None:
    layers, heads = v.kept.shape
    told = v.written.layer, v.written.head
    others = [(layer, head) for layer in range(layers) for head in range(heads) if (layer, head) != told]
    return one_of(seed, others, lambda at: _of(v, *at)) if v.unseen else None


def _of(v: HeadsStoryValues, layer: int, head: int) -> Version | None:
    kept, heads = int(v.kept[layer, head]), v.kept.shape[1]
    labels = ranked({"most": kept, "part": round(v.sentences * (1 - 1 / heads)), "none": 0})
    said = {"layer": layer, "head": head, "heads": heads, "n": v.sentences, "kept": kept}
    told = {"told": v.written.head, "told_kept": int(v.kept[v.written.layer, v.written.head])}
    return Version("most", said | told, labels) if labels else None


SPARED = Inquiry(NEEDED, ("average", "alike", "trained"), "alike", of_another)
