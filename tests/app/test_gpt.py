"""The chapter on GPT and BERT: what a reader types, what the models make of it, and what its story says of them."""

import pytest
import torch

from tests.app.boards import matrices, written
from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core import DecoderOnly
from transformer_core.after_2017.continuing import continued
from transformer_core.tasks.vocabulary import END, START
from ui.figures.actors import Word
from ui.model.rows import task_of
from ui.model.shipped import one_stack
from ui.text import LANGUAGES, Words, is_han

SAY = Words("gpt", "en")


@pytest.mark.parametrize(
    ("at_hand", "prompt", "row"),
    [
        ("translate", "two red flowers =", "two red flowers = 两 朵 红色 的 花"),
        ("trained", "我买", "我 买 一 本 书 = I buy a book"),
        ("trained", "", "two white cats sleep = 两 只 白色 的 猫 睡觉"),
        ("spanish", "two red flowers =", "two red flowers = dos flores rojas"),
        ("spanish", "", "two white cats sleep = dos gatos blancos duermen"),
    ],
)
def test_the_gpt_goes_on_with_what_is_typed_without_a_cache_too(
    open_link: Open, at_hand: str, prompt: str, row: str
) -> None:
    kind = "gpt_es" if at_hand == "spanish" else "gpt"
    task = task_of(kind)
    given = task.vocabulary.read(prompt or SAY("prompt.example"))
    model = one_stack(kind).model
    assert isinstance(model, DecoderOnly)
    alone = continued(model, torch.tensor([[START, *given]]), task.longest, END)[0].tolist()
    assert " ".join(task.vocabulary.names_of(alone[1:-1])) == row
    steps = len(alone) - 1 - len(given)
    app = open_link("gpt", model=at_hand, prompt=prompt, written=str(steps), lang="en")
    assert f"**{task.vocabulary.names[END]}**" in written(app).replace("\\", "")
    chances = matrices(app, "gpt.goes_on")["next"][0]
    assert chances[0] == max(chances)
    assert sum(chances) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("link", "word"),
    [
        ({"lang": "en"}, "dos"),
        ({"lang": "zh"}, "white"),
        ({"prompt": "two white cats ="}, "只"),
        ({"only": "fill"}, "两"),
    ],
)
def test_who_reads_english_meets_spanish_and_a_link_without_a_model_keeps_chinese(
    open_link: Open, link: dict[str, str], word: str
) -> None:
    """A newcomer's link sets nothing but the language."""
    app = open_link("gpt", model="", open="", **link)
    assert not app.exception
    assert word in written(app)


@pytest.mark.parametrize("chapter", ["gpt", "answer_cost", "further"])
def test_who_reads_english_meets_no_chinese(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, model="", open="", lang="en")
    assert not app.exception
    assert not is_han(written(app))


@pytest.mark.parametrize("setting", ["prompt", "sentence"])
@pytest.mark.parametrize(
    ("text", "said"), [("two crimson flowers", "crimson"), ("two " * 32, "31"), ("⟨pad⟩ ⟨s⟩", "140"), ("**x**", "x")]
)
def test_a_row_that_cannot_be_read_is_named_and_the_page_goes_on(
    open_link: Open, setting: str, text: str, said: str
) -> None:
    app = open_link("gpt", lang="en", **{setting: text.strip()})
    assert not app.exception
    (warning,) = app.warning
    assert said in warning.value
    assert matrices(app, "gpt.goes_on")["next"].shape == (1, 9)


def test_the_nearest_words_are_offered_for_an_unknown_one(open_link: Open) -> None:
    app = open_link("gpt", prompt="two whitte cats", lang="en")
    app.button(key="gpt.prompt.nearest").click().run()
    assert app.text_input(key="gpt:prompt").value == "two white cats"


def test_a_prompt_of_the_full_length_still_gets_one_word(open_link: Open) -> None:
    task = task_of("gpt")
    app = open_link("gpt", prompt="two " * (task.longest - 2), lang="en")
    assert SAY("goes_on.full", length=task.longest) in written(app)


def test_no_place_sees_a_later_one_and_the_bert_sees_all(open_link: Open) -> None:
    app = open_link("gpt", lang="en", prompt="two white cats sleep =", covered="2")
    assert "of all earlier positions change by 0." in written(app)
    weights = matrices(app, "gpt.one_row")["weights"]
    assert abs(weights[~torch.ones(weights.shape).tril().bool().numpy()]).max() == 0
    heads = matrices(app, "gpt.fill")["heads"]
    assert heads[:, :3].sum() > 0 < heads[:, 4:].sum()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("model", ["translate", "spanish"])
def test_the_story_tells_of_the_row_that_the_gpt_writes(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str, lang: str
) -> None:
    _, values, scenes = telling("gpt", open_link, monkeypatch, model=model, lang=lang)
    said = {scene.name: wide for scene, wide, _ in scenes}
    names = {actor.name for actor in said["half"].beats[-1].actors}
    assert not {name for name in names if "encoder" in name or "cross" in name or name == "memory"}
    assert {f"word {place}" for place in range(len(values.names))} <= names
    shown = said["writes"].beats[-1].actors
    last = [actor.text for actor in shown if isinstance(actor, Word) and actor.name.startswith("word")]
    assert last == values.names
    assert said["fills"].said["word"] == values.names[values.covered]
