"""What is right, of each question and its second version, recomputed in another way from the model's own numbers."""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.inquiries import EVERY, MODELS, Placed, made
from transformer_core import DecoderOnly, padding_mask
from transformer_core.after_2017.continuing import CachedReader
from transformer_core.positions import position_steps
from ui.chapters.further.values import COUNT
from ui.figures.number import percent
from ui.model.recorded import output_of as written
from ui.model.rows import task_of
from ui.model.shipped import one_stack
from ui.sections.inquiry import SEEDS, short
from ui.sections.question import Choice
from ui.text import LANGUAGES, Words

Said = dict[str, str]


def value(text: str) -> float:
    return float(text.replace("−", "-").rstrip("%"))


def near(text: str, expected: float) -> bool:
    """Whether a number of three digits says this one, from others that were rounded alike."""
    return math.isclose(value(text), expected, rel_tol=0.03)


# Of the values of a page: which option of its first question is right.


def attention(v: Any) -> str:
    weights, scores = v.head.weights[v.row], v.head.scores[v.row]
    part = scores[v.best] / np.clip(scores, 0, None).sum()
    return "exaggerated" if weights[v.best] > part > 0 else "none"


def loss(v: Any) -> str:
    sizes = np.abs(v.gradient)
    return "all" if (sizes > 0).all() else "none"


def backward(v: Any) -> str:
    return "whole" if all(math.isclose(one.gradient, one.past, rel_tol=1e-6) for one in v.sums) else "none"


def why_attention(v: Any) -> str:
    return {v.n: "all", v.n // 2: "half", 1: "one"}[len(v.steps["recurrent"])]


def scaling(v: Any) -> str:
    return "tower" if v.weights(256).max() > 0.5 > 0.4 > v.weights(256, divided=True).max() else "none"


def decoding(v: Any) -> str:
    at = v.fork.turn
    own, other = v.output, v.fork.turns[-1].output
    return "anew" if own[:at] == other[:at] and own[at] != other[at] == v.fork.token else "none"


def ways(v: Any) -> str:
    return "grows" if v.shares(0.5).max() > v.shares().max() else "none"


def masks(v: Any) -> str:
    changed = (v.under.difference > 0).numpy()
    return "from" if (changed == np.tril(np.ones_like(changed))).all() else "none"


def layers(v: Any) -> str:
    return "lost" if 0 < abs(v.like_unhooked[-1]) < v.like[-1] else "none"


def heads(v: Any) -> str:
    return "most" if v.unseen and v.kept.min() > v.sentences / 2 and v.sentences > 8 else "none"


def positions(v: Any) -> str:
    still = v.largest["without"] < 1e-4 * v.ends["without"]
    apart = np.abs(v.first["without"][1] - v.first["without"][3]).max() > 1e-2
    return "moved" if still and apart else "none"


def tokens(v: Any) -> str:
    one, other = (v.twice.vectors[at] for at in v.twins)
    return "same" if (one == other).all() else "none"


def walkthrough(v: Any) -> str:
    shape = v.tensors["encoder.layers.0.self_attn.scores"].shape[-2:]
    return "pairs" if shape == (len(v.src), len(v.src)) else "none"


def gpt(v: Any) -> str:
    look = v.look
    row = v.weights[look.layer, look.head, look.place + 1]
    return "self" if row[1 : v.equals + 1].sum() > 0.5 > row[v.equals + 1] else "none"


def answer_cost(v: Any) -> str:
    """What the cache of the shipped GPT keeps is keys and values, and predicts what all rows predict."""
    model, row = one_stack("gpt").model, torch.tensor([[1, 5, 9, 7]])
    reader = CachedReader(cast(DecoderOnly, model))
    reader.next(row[:, :3])
    shape = (1, model.shape.key_heads, 3, model.shape.d_k)
    assert all([each.shape for each in layer.written] == [shape, shape] for layer in reader.layers)
    with torch.inference_mode():
        apart = (reader.next(row[:, 3:]) - model.generator(model(row))[:, -1]).abs().max()
    return "both" if apart < 1e-4 else "none"


def further(v: Any) -> str:
    return "rotary" if v.shares[:, 3].min() > 0.9 > 0.6 > max(v.shares[-1, 1:3]) else "none"


FIRST: dict[str, Callable[[Any], str]] = {
    "attention": attention, "loss": loss, "backward": backward, "why_attention": why_attention, "scaling": scaling,
    "decoding": decoding, "ways": ways, "masks": masks, "layers": layers, "heads": heads, "positions": positions,
    "tokens": tokens, "walkthrough": walkthrough, "gpt": gpt, "answer_cost": answer_cost,
    "further": further,
}  # fmt: skip


@pytest.mark.parametrize("placed", [one for one in EVERY if "scene" in one.link], ids=lambda placed: placed.chapter)
@pytest.mark.parametrize("model", MODELS)
def test_the_first_answer_is_what_the_scenes_show(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, placed: Placed, model: str
) -> None:
    values = made(open_link, monkeypatch, placed, model=model).values
    assert FIRST[placed.chapter](values) == placed.inquiry.first.right


# Of the values of a page and its second version: whether what that says is so.


def attention_again(v: Any, again: Choice) -> bool:
    said = again.said
    rows = [row for row, word in enumerate(v.words) if word == said["word"]]
    lead = value(said["high"]) - value(said["next"])
    shares = [np.sort(v.head.weights[row])[::-1] for row in rows]
    measured = [short(float(share[0] / share[1])) for share in shares]
    return again.labels["exaggerated"] in measured and math.isclose(math.exp(lead), value(said["ratio"]), rel_tol=0.1)


def loss_again(v: Any, again: Choice) -> bool:
    p = v.word.before[v.shown[v.names.index(again.said["word"])]]
    return again.said["p"] == short(float(p)) and near(again.said["lift"], 1 - v.word.before[v.word.right])


def backward_again(v: Any, again: Choice) -> bool:
    said = again.said
    (one,) = [one for one in v.sums if one.path == said["path"]]
    return again.labels["whole"] == said["gradient"] == said["past"] == short(one.gradient)


def why_attention_again(v: Any, again: Choice) -> bool:
    return again.labels["all"] == again.said["n"] != str(v.n)


def scaling_again(v: Any, again: Choice) -> bool:
    lead = value(again.said["high"]) - value(again.said["next"])
    return 0.6 < value(again.labels["tower"]) / 100 < 1 / (1 + math.exp(-lead)) + 0.01


def decoding_again(v: Any, again: Choice) -> bool:
    said, turn = again.said, int(again.said["turn"])
    own, other = v.named(v.output[1:]), said["output"].split(" ")
    return said["words"].split(" ") == own[: turn - 1] == other[: turn - 1] and other[turn - 1] == said["loser"]


def ways_again(v: Any, again: Choice) -> bool:
    logits, temperature = torch.from_numpy(v.logits).double(), value(again.said["T"])
    before, after = (float((logits / each).softmax(-1).max()) for each in (1.0, temperature))
    grows = "grows" if temperature < 1 else "shrinks"
    return again.right == grows == ("grows" if after > before else "shrinks") and again.said["after"] == percent(after)


def masks_again(v: Any, again: Choice) -> bool:
    rows, place = int(again.said["rows"]), int(again.said["place"])
    return v.words[place - 1] == again.said["word"] and int(again.labels["from"]) == rows - place + 1


def layers_again(v: Any, again: Choice) -> bool:
    ends = np.isclose(v.every_like[:, v.row], [v.like[-1], v.like_unhooked[-1]], atol=1e-6)
    return bool(ends.all()) and value(again.said["unhooked"]) < value(again.said["hooked"])


def heads_again(v: Any, again: Choice) -> bool:
    kept = v.kept[int(again.said["layer"]), int(again.said["head"])]
    return again.labels["most"] == str(kept) and 0 < kept <= v.sentences == int(again.said["n"])


def positions_again(v: Any, again: Choice) -> bool:
    """Two encodings without positions, by hand."""
    order = again.said["order"].split(" ")
    encoder, table = v.at_hand.load().encoder, v.at_hand.load().src_embed[0]
    inner = [v.words[1:4].index(word) for word in order]
    tokens = [v.tokens[0], *(v.tokens[1 + at] for at in inner), *v.tokens[4:]]
    with torch.inference_mode():
        first, other = (encoder(table(torch.tensor([each])), None)[0] for each in (v.tokens, tokens))
    was, to = int(again.said["from"]), int(again.said["to"])
    return v.words[was] == again.said["word"] == order[to - 1] and torch.allclose(first[was], other[to], atol=1e-4)


def tokens_again(v: Any, again: Choice) -> bool:
    code = position_steps(10, v.d_model).code
    apart = float((code[int(again.said["first"])] - code[int(again.said["again"])]).abs().max())
    return again.right == "places" and near(again.said["difference"], apart)


def walkthrough_again(v: Any, again: Choice) -> bool:
    return again.labels["pairs"] == f"{again.said['turn']} × {len(v.src)}" and again.said["turn"] != str(v.turn)


def gpt_again(v: Any, again: Choice) -> bool:
    """The words of the row, as a reader of the section on it sees them."""
    row = v.weights[int(again.said["layer"]), int(again.said["head"]), v.names.index(again.said["word"])]
    return v.names[int(row[1 : v.equals + 1].argmax())] == again.labels["self"] and row.max() > 0.5


def answer_cost_again(v: Any, again: Choice) -> bool:
    return int(again.labels["both"]) == sum(range(1, int(again.said["n"]) + 1)) and int(again.said["n"]) != v.n


def further_again(v: Any, again: Choice) -> bool:
    """Greedy decoding, token by token, behind so many paddings."""
    by, task, model = int(again.said["places"]), task_of(v.kind), one_stack(v.kind).model
    right = 0
    for row in task.held_out(COUNT):
        row = row[row != 0].tolist()
        ys = torch.tensor([[0] * by + row[: row.index(task.equals) + 1]])
        while ys.size(1) < by + len(row):
            with torch.inference_mode():
                ys = torch.cat([ys, model.generator(model(ys))[:, -1:].argmax(-1)], 1)
        right += ys[0, by:].tolist() == row
    return again.labels["sinusoids"] == percent(right / COUNT, 0)


def map_again(chapter: Any, again: Choice) -> bool:
    source, text = chapter.at_hand.source, again.said["text"]
    read = [int(word) for word in text.split()] if source.of_numbers_alone else source.sequence(source.read(text))
    turns = len(written(chapter.at_hand, tuple(read))) - 1
    return again.right == "once" and (again.said["words"], again.said["turns"]) == (str(len(read)), str(turns))


def training_again(_: Any, again: Choice) -> bool:
    return near(again.labels["log"], math.log(int(again.said["size"]) - 1))


def verify_again(chapter: Any, again: Choice) -> bool:
    say = chapter.say
    notices = {say("broken_option.mask"): "causality", say("broken_option.axis"): "rows"}
    return notices[again.said["broken"]] == again.right and again.said["error"] != "0"


def nucleus_again(of: Any, again: Choice) -> bool:
    """The probabilities of the turn once more, added up by NumPy."""
    turn, bound = int(again.said["turn"]), value(again.said["p"])
    output = written(of.at_hand, of.src)
    source, model = torch.tensor([of.src]), of.at_hand.load()
    mask = padding_mask(source, 0)
    with torch.inference_mode():
        ys = torch.tensor([output[:turn]])
        last = model.decode(model.encode(source, mask), mask, ys, torch.tril(torch.ones(1, turn, turn)) > 0)[:, -1]
        shares = np.sort(model.generator(last)[0].exp().numpy())[::-1]
    return again.labels["varies"] == str(int((np.cumsum(shares) < bound).sum()) + 1)


SECOND: dict[str, Callable[[Any, Choice], bool]] = {
    "attention": attention_again, "loss": loss_again, "backward": backward_again, "why_attention": why_attention_again,
    "scaling": scaling_again, "decoding": decoding_again, "masks": masks_again, "layers": layers_again,
    "heads": heads_again, "positions": positions_again, "tokens": tokens_again, "walkthrough": walkthrough_again,
    "gpt": gpt_again, "answer_cost": answer_cost_again, "further": further_again, "map": map_again,
    "training": training_again, "verify": verify_again, "story_squeeze": ways_again, "ask_nucleus": nucleus_again,
}  # fmt: skip


@pytest.mark.parametrize("placed", EVERY, ids=lambda placed: placed.inquiry.first.name)
@pytest.mark.parametrize("model", MODELS)
def test_the_second_answer_is_what_the_model_computes_and_each_reply_is_explained(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, placed: Placed, model: str
) -> None:
    inquiry, values = placed.inquiry, made(open_link, monkeypatch, placed, model=model).values
    holds = SECOND.get(inquiry.first.name) or SECOND[placed.chapter]
    questions = set()
    for seed in (1, 2, 3, SEEDS):
        again = inquiry.version(values, seed)
        assert again is not None
        assert holds(values, again), (again.said, again.labels, again.right)
        assert again.right in again.options
        for lang in LANGUAGES:
            say = Words(placed.chapter, lang)
            assert len({again.label(say, option) for option in again.options}) == len(again.options) > 2
            for option in again.options:
                assert again.text(say, "right" if option == again.right else f"wrong.{option}")
            questions.add((lang, again.text(say, "question")))
        assert inquiry.version(values, seed) == again, "a link shows the same"
    assert len(questions) > len(LANGUAGES), "another seed asks of something else"
