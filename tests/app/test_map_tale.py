"""What the map says at each beat is true of the weights of the model at hand, whatever it reads."""

import base64
import json
import re
from functools import cache
from html import unescape
from typing import Any, NamedTuple

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, in_turn
from transformer_core import PAD, START
from transformer_core.experiments.agreement import NounSwap, noun_swap
from ui.inputs.sequence import parse
from ui.model.current_model import ModelAtHand, model_at_hand
from ui.model.recorded import forward, output_of
from ui.sections.sequence_fields import LONGEST
from ui.settings.chapters import MAP
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words, load

RUN = 'task:"reverse",steps:1,batch:2,N:3,d_model:16,h:2'
FLOWERS = "I buy two red flowers every day"
READ = [  # model, run, source
    ("translate", "", FLOWERS),
    ("translate", "", "two white cats sleep"),
    ("translate", "", "cats sleep"),
    ("translate", "", "我每天买两朵红色的花"),
    ("translate", "", "my my my"),
    ("spanish", "", FLOWERS),
    ("spanish", "", "two white cats sleep"),
    ("spanish", "", "¿dónde duermen los pájaros?"),
    ("fresh_translate", "", FLOWERS),
    ("trained", "", "1 3 2 5 4 6 7 8 9 10"),
    ("trained", "", "1 4 2 2 7 0 0"),
    ("trained", "", "5"),
    ("fresh", "", "1 3 2 5 4"),
    ("notes", "", "1 3 2 5 4"),
    ("run", RUN, "g d b a h c"),
]


class Told(NamedTuple):
    """What the map is told, and the numbers that it must tell of."""

    sent: dict[str, Any]
    at_hand: ModelAtHand
    src: tuple[int, ...]
    given: tuple[int, ...]
    values: dict[str, np.ndarray]

    @property
    def fits(self) -> NounSwap | None:
        """With another noun in the source, where the model writes both as the grammar has them."""
        swap = noun_swap(self.at_hand.words, self.src)
        if swap is None or (output_of(self.at_hand, self.src), output_of(self.at_hand, swap.source)) != swap[2:4]:
            return None
        return swap

    @property
    def last(self) -> int:
        return self.at_hand.config.N - 1

    @property
    def words(self) -> list[int]:
        """Places of the source that hold no symbol."""
        numbers = self.at_hand.source.of_numbers_alone
        end = self.at_hand.source.end
        return [
            at
            for at, token in enumerate(self.src)
            if token not in (PAD, end) and (token != START or (numbers and at > 0))
        ]

    @property
    def keys(self) -> int:
        return sum(token != PAD for token in self.src)


def message(app: AppTest) -> dict[str, Any]:
    assert not app.exception
    ((sent,),) = [json.loads(e.proto.json) for e in app.main.get("bidi_component")]
    return dict(sent)


@cache
def told(open_link: Open, model: str, run: str, text: str, lang: str = "en") -> Told:
    sent = message(open_link(MAP, lang=lang, model=model, run=run, src=text))
    at_hand = model_at_hand(Frame(model=model, run=run))
    src = parse(text, at_hand.source, LONGEST)
    output = output_of(at_hand, src)
    given = output[:-1] or output
    log_probs, trace = forward(at_hand.load(), src, given)
    values = {path: value[0].numpy() for path, value in trace.items()}
    return Told(sent, at_hand, src, given, values | {"probabilities": log_probs[0].exp().numpy()})


def plain(markup: str) -> str:
    """As it is read, without what words mean."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<rt.*?</rt>", "", markup)))


def blanks(lang: str, key: str, sentence: str) -> dict[str, str] | None:
    """What stands in the blanks of a text; None if the sentence is not made of it."""
    pattern = ""
    for at, part in enumerate(re.split(r"\{\{(\w+)\}\}", load(MAP)[key][lang])):
        blank = f"(?P={part})" if f"(?P<{part}>" in pattern else f"(?P<{part}>.+?)"
        pattern += blank if at % 2 else re.escape(part)
    found = re.fullmatch(pattern, sentence)
    return found and found.groupdict()


def beat(read: Told, index: int, *keys: str, lang: str = "en") -> tuple[str, dict[str, str]]:
    """Which of the texts a sentence is made of, and what stands in its blanks."""
    sentence = plain(read.sent["beats"][index])
    found = {key: blanks(lang, f"tale.{key}", sentence) for key in keys}
    ((key, values),) = [(key, values) for key, values in found.items() if values is not None]
    return key, values


def percent(text: str) -> tuple[float, float]:
    """Between which numbers it lies."""
    if text.startswith(">"):
        return float(text[1:-1]) / 100, 1.0 + 1e-6
    digits = len(text.rstrip("%").partition(".")[2])
    return (float(text[:-1]) - 0.51 * 10**-digits) / 100, (float(text[:-1]) + 0.51 * 10**-digits) / 100


def holds(text: str, number: float) -> bool:
    low, high = percent(text)
    return low <= number <= high


@in_turn(("model", "run", "text"), READ)
def test_the_word_that_collects_does_so_in_that_head_and_where_none_does_the_sentence_says_less(
    open_link: Open, model: str, run: str, text: str, lang: str
) -> None:
    read = told(open_link, model, run, text, lang)
    weights = read.values[f"encoder.layers.{read.last}.self_attn.weights"]  # (h, S, S)
    names, tokens = read.at_hand.source.labels(read.src), read.src
    others = [(i, j) for i in read.words for j in read.words if tokens[i] != tokens[j]]
    ((query, key),) = read.sent["threads"][0]["told"]
    keys = ("most", "some", "fits", "even", "alone")
    said_, values = beat(read, 3, *(f"encoder_{key}" for key in keys), lang=lang)
    clear = [
        float(rows[i, j])
        for rows in weights
        for i, j in others
        if rows[i].argmax() == j and rows[i, j] >= 2 / read.keys
    ]
    if said_ == "encoder_fits":
        (swap,) = [read.fits]
        assert swap is not None
        asking = {place for word in swap.agree for place in swap.stands_for[word]} - {swap.place}
        looking = [float(rows[i, key]) for rows in weights for i in asking if rows[i].argmax() == swap.place]
        row = weights[int(values["head"]), query]
        assert (values["query"], values["other"]) == (names[query], names[key])
        assert (query in asking, key) == (True, swap.place)
        assert row[key] == pytest.approx(max(looking))
        assert holds(values["share"], float(row[key]))
    elif said_ in ("encoder_most", "encoder_some"):
        row = weights[int(values["head"]), query]
        assert (values["query"], values["other"]) == (names[query], names[key])
        assert (query, key) in others
        assert int(row.argmax()) == key
        assert row[key] == pytest.approx(max(clear))
        assert holds(values["share"], float(row[key]))
        assert (row[key] > 0.5) == (said_ == "encoder_most")
        threads = np.frombuffer(base64.b64decode(read.sent["threads"][0]["bytes"]), np.uint8).reshape(-1, len(row))
        assert np.abs(threads / 255 - weights[int(values["head"])]).max() <= 0.51 / 255
    else:
        assert not clear
        assert (query, key) == (-1, -1)
        assert (said_ == "encoder_alone") == (not others)
        if others:
            assert holds(values["share"], max(float(weights[:, i, j].max()) for i, j in others))


@in_turn(("model", "run", "text"), READ)
def test_each_turn_looks_where_most_of_its_weights_fall_and_writes_the_word_with_its_probability(
    open_link: Open, model: str, run: str, text: str, lang: str
) -> None:
    read = told(open_link, model, run, text, lang)
    looks = read.values[f"decoder.layers.{read.last}.src_attn.weights"].mean(0)  # (T, S)
    sources, given = read.at_hand.source.labels(read.src), read.at_hand.target.labels(read.given)
    every, end = read.at_hand.target.every, read.at_hand.target.end
    pairs = read.sent["threads"][2]["told"]
    beats = read.sent["beats"]
    assert len(beats) == 1 + 16 + len(read.given)
    for turn in range(1, len(read.given) + 1):
        at, row = (11 if turn == 1 else 15 + turn), looks[turn - 1]
        keys = ("cross", "cross_even") if turn == 1 else ("later_fits", "later", "later_even", "later_end")
        said_, values = beat(read, at, *keys, lang=lang)
        best = int(row.argmax())
        stands_out = best in read.words and (row[best] > 0.5 or row[best] >= 2 / read.keys)
        assert pairs[turn - 1] == [turn - 1, best if stands_out else -1]
        if "other" in values:
            assert stands_out
            assert values["other"] == sources[best]
            assert holds(values["share"], float(row[best]))
        else:
            assert said_ == "later_end" or not stands_out
        if turn > 1:
            probabilities = read.values["probabilities"][turn - 1]
            written = every.index(values["word"])
            assert probabilities[written] == pytest.approx(probabilities.max())
            assert holds(values["chance"], float(probabilities[written]))
            assert values["last"] == given[turn - 1]
            assert (said_ == "later_end") == (written == end)
            follows = read.fits is not None and turn in read.fits.agree
            assert (said_ == "later_fits") == (follows and stands_out)
            if read.fits is not None and said_ == "later_fits":
                assert values["noun"] == sources[read.fits.place]


@in_turn(("model", "run", "text"), READ)
def test_what_is_said_of_the_other_blocks_is_what_the_model_has_computed(
    open_link: Open, model: str, run: str, text: str, lang: str
) -> None:
    read = told(open_link, model, run, text, lang)
    config, every = read.at_hand.config, read.at_hand.target.every
    names = read.at_hand.source.labels(read.src)
    _, source = beat(read, 1, "source", lang=lang)
    _, positions = beat(read, 2, "positions", lang=lang)
    hero = int(positions["place"])
    assert (source["word"], source["id"]) == (names[hero], str(read.src[hero]))
    assert int(source["d_model"]) == config.d_model
    assert positions["word"] == names[hero]
    if read.sent["threads"][0]["told"][0][0] >= 0:
        assert hero == read.sent["threads"][0]["told"][0][0]
    for at, side, place in ((5, "encoder", hero), (13, "decoder", 0)):
        _, values = beat(read, at, "feed_forward", lang=lang)
        hidden = read.values[f"{side}.layers.{read.last}.feed_forward.hidden"][place]
        assert (int(values["firing"]), int(values["d_ff"])) == (int((hidden > 0).sum()), config.d_ff)
    _, target = beat(read, 7, "target", lang=lang)
    assert int(target["id"]) == read.given[0]
    _, linear = beat(read, 15, "linear", lang=lang)
    logits = read.values["generator.logits"][0]
    assert logits[every.index(linear["word"])] == pytest.approx(logits.max())
    assert float(linear["score"]) == pytest.approx(float(logits.max()), abs=0.051)
    assert int(linear["vocab"]) == config.tgt_vocab
    _, softmax = beat(read, 16, "softmax", "softmax_only", lang=lang)
    assert softmax["word"] == linear["word"]
    assert holds(softmax["chance"], float(read.values["probabilities"][0].max()))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_in_spanish_red_looks_at_the_flowers_that_rojas_must_fit(open_link: Open, lang: str) -> None:
    read = told(open_link, "spanish", "", FLOWERS, lang)
    _, values = beat(read, 3, "encoder_fits", lang=lang)
    assert (values["query"], values["other"]) == ("red", "flowers")
    turn = read.at_hand.target.labels(read.given).index("rojas")
    _, values = beat(read, 15 + turn, "later_fits", lang=lang)
    assert (values["word"], values["other"], values["noun"]) == ("rojas", "red", "flowers")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_flowers_collects_from_red(open_link: Open, lang: str) -> None:
    read = told(open_link, "translate", "", FLOWERS, lang)
    _, values = beat(read, 3, "encoder_most", lang=lang)
    assert (values["query"], values["other"]) == ("flowers", "red")


@in_turn(("model", "run", "text"), READ)
def test_a_sentence_is_short_and_has_no_blank_left(open_link: Open, model: str, run: str, text: str, lang: str) -> None:
    sent = told(open_link, model, run, text, lang).sent
    for sentence in map(plain, (*sent["beats"][:-1], *sent["still"])):
        assert len(sentence.split()) <= 40
        assert len(sentence) <= 140
        assert "{{" not in sentence
    assert [bool(still) for still in sent["still"]] == [False] * 6 + [True] * 10


@pytest.mark.parametrize(("model", "run", "text"), READ)
def test_while_it_plays_one_sentence_tells_of_each_idea(open_link: Open, model: str, run: str, text: str) -> None:
    sent = told(open_link, model, run, text).sent
    spoken = [beat for beat, picture in zip(sent["beats"][1:], sent["pictures"]) if not picture["brief"]]
    assert len(spoken) == len(set(spoken)) == 8
    assert all(len(plain(sentence)) <= 90 for sentence in spoken)


@pytest.mark.parametrize(("lang", "glossed", "of"), [("en", "买", "buy"), ("zh", "flowers", "花")])
def test_words_of_the_other_language_are_explained_where_they_are_written_and_read(
    open_link: Open, lang: str, glossed: str, of: str
) -> None:
    sent = told(open_link, "translate", "", FLOWERS, lang).sent
    meant = {
        token: gloss
        for line in ("source", "read", "wrote")
        for token, gloss in zip(sent[line]["tokens"], sent[line]["glosses"], strict=True)
    }
    assert meant[glossed] == of
    assert {bool(gloss) for token, gloss in meant.items() if token.startswith("⟨")} == {False}
    assert f">{of}</text>" in sent["sentence"]
    assert f">{of}</rt>" in "".join(sent["beats"])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("model", "src", "unknown"),
    [
        ("translate", "two elephants sleep softly", ["elephants", "softly"]),
        ("translate", "我每天买宇宙的花", ["宇宙"]),
        ("trained", "1 3 hello 99", ["hello", "99"]),
        ("translate", "<b>x</b>", ["<b>", "x", "</b>"]),
    ],
)
def test_unknown_words_are_named_and_marked_in_the_readers_sentence_and_nothing_plays(
    open_link: Open, model: str, src: str, unknown: list[str], lang: str
) -> None:
    app = open_link(MAP, model=model, src=src, lang=lang)
    sent = message(app)
    assert app.warning
    assert (sent["turns"], sent["wrote"]["tokens"], sent["threads"]) == ([], [], [])
    source = sent["source"]
    marked = [word for word, is_unknown in zip(source["tokens"], source["unknown"], strict=True) if is_unknown]
    assert list(dict.fromkeys(marked)) == unknown
    (why,) = sent["beats"]
    assert [unescape(word) for word in re.findall(r'<b class="wrong">(.*?)</b>', why)] == unknown
    shown = [unescape(word) for word in re.findall(r'class="given unknown"[^>]*>([^<]*)<', sent["sentence"])]
    assert list(dict.fromkeys(shown)) == unknown


@pytest.mark.parametrize("src", ["", "9 " * 60, "0 0"])
def test_what_cannot_be_read_for_another_reason_plays_nothing_either(open_link: Open, src: str) -> None:
    app = open_link(MAP, model="trained", src=src, lang="en")
    sent = message(app)
    assert app.warning
    assert (sent["turns"], sent["beats"]) == ([], [Words(MAP, "en")("tale.unread")])
    assert not any(sent["source"]["unknown"])
