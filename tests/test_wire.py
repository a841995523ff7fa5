"""The reader without a browser meets the app as a browser would."""

import re
from typing import NamedTuple

import pytest

from tests.wire import Answer, Reader
from ui.settings.chapters import BESIDE, CHAPTERS, MAP


def test_a_link_opens_its_chapter_with_its_settings(url: str) -> None:
    with Reader(url, "masks", {"size": "7", "lang": "zh"}) as reader:
        assert reader.opened.exceptions == []
        assert reader.widgets["masks:size"].proto.default == [7]
        assert reader.query == "size=7&lang=zh"


def test_the_server_is_told_of_the_pages_and_does_not_look_for_them_in_each_run(url: str) -> None:
    with Reader(url, "masks") as reader:
        (told,) = [message.navigation for message in reader.opened.messages if message.HasField("navigation")]
    assert [page.url_pathname for page in told.app_pages] == ["", *CHAPTERS, *BESIDE], "it would sort them"


def test_a_control_in_a_fragment_runs_only_that_and_one_outside_the_whole_page(url: str) -> None:
    with Reader(url, "attention", {"open": "projection"}) as reader:
        part = reader.change({"attention:part": reader.widgets["attention:part"].proto.options[1].content})
        assert reader.query == "open=projection&part=k"
        assert len(part.deltas) < len(reader.opened.deltas) / 4
        assert reader.widgets["attention:part"].fragment in reader.fragments
        whole = reader.change({"frame:src": "1 2 3"})
        assert reader.query.endswith("cell=products.1.2&part=k&part_cell=projected.2.0&src=1+2+3")
        assert len(whole.deltas) >= len(reader.opened.deltas)


def test_a_button_counts_once(url: str) -> None:
    with Reader(url, "masks", {"size": "7"}) as reader:
        reader.press("中文")
        assert reader.query == "size=7&lang=zh"
        reader.rerun()
        assert reader.query == "size=7&lang=zh"
        assert "English" in reader.widgets


class Drawn(NamedTuple):
    """Of the chapter of masks: how many runs came back, and which sections were drawn in them, titles and figures."""

    runs: int
    folds: set[str]
    figures: set[str]


def drawn(answer: Answer) -> Drawn:
    folds = [delta.add_block.id for delta in answer.deltas if delta.add_block.HasField("expandable")]
    captions = [shown.id for shown in answer.shown("button_group")]
    named = [
        {name for id in ids for name in re.findall(rf"masks\.(\w+)\.{part}$", id)}
        for ids, part in ((folds, "section"), (captions, "caption"))
    ]
    return Drawn(sum(message.HasField("new_session") for message in answer.messages), *named)


def test_a_section_that_is_folded_does_not_run_when_what_it_reads_has_changed(url: str) -> None:
    with Reader(url, "masks", {"open": ""}) as reader:
        folds = drawn(reader.opened).folds
        assert folds > {"fill", "rows"}
        moved = drawn(reader.change({"masks:width": 6}))
        assert (moved.runs, moved.folds, moved.figures & folds) == (1, set(), set())
    with Reader(url, "masks", {"open": "rows"}) as reader:
        moved = drawn(reader.change({"masks:width": 6}))
        assert (moved.folds, moved.figures & folds) == (set(), {"rows"})


def test_a_section_that_is_opened_runs_with_the_titles_around_it_and_what_it_sets_without_them(url: str) -> None:
    with Reader(url, "masks", {"open": ""}) as reader:
        before = drawn(reader.opened)
        (fill,) = (one for one in reader.opened.deltas if one.add_block.id.endswith("masks.fill.section"))
        opened = drawn(reader.unfold(fill))
        assert (opened.runs, opened.figures) == (1, {"fill"})
        assert "fill" in opened.folds <= before.folds
        assert "open=fill" in reader.query
        option = reader.widgets["masks:fill_with"].proto.options[1].content
        assert drawn(reader.change({"masks:fill_with": option})) == (1, set(), {"fill"})


@pytest.mark.parametrize("page", ["masks", ""])
def test_what_is_large_is_sent_once(url: str, page: str) -> None:
    with Reader(url, page) as reader:
        again = reader.rerun()
        menu = [one for one in reader.opened.messages if '<nav class="menu"' in one.delta.new_element.html.body]
        assert [one.metadata.cacheable for one in menu] == [True] * len(menu) != []
        large = sum(message.ByteSize() for message in reader.opened.messages if message.metadata.cacheable)
        assert large > reader.opened.size / 4
        assert again.size < reader.opened.size - 0.9 * large
        assert again.shown("bidi_component") == reader.opened.shown("bidi_component")


@pytest.mark.parametrize("page", ["attention", "training", "scaling"])
def test_nothing_stands_beside_a_fragment(url: str, page: str) -> None:
    """Where a fragment is asked for while the page runs, the browser puts it in the first place of its container."""
    with Reader(url, page, {"scene": "0"}) as reader:
        placed = [(tuple(message.metadata.delta_path), message.delta) for message in reader.opened.messages]
    first: dict[str, tuple[int, ...]] = {}
    for path, delta in placed:
        if delta.fragment_id:
            first.setdefault(delta.fragment_id, path)
    assert first
    for own in first.values():
        assert {
            path[: len(own)] for path, _ in placed if path[: len(own) - 1] == own[:-1] and len(path) >= len(own)
        } == {own}


MOST = {  # elements and blocks of a newcomer's page: each costs the server 0.1 ms in every run, and the browser more
    MAP: 73, "tokens": 59, "positions": 70,
    "why_attention": 68, "attention": 71, "scaling": 90, "masks": 77, "heads": 78,
    "layers": 81, "walkthrough": 73, "decoding": 76, "ways": 93, "loss": 74, "backward": 95, "training": 104,
    "gpt": 51, "answer_cost": 50, "further": 34, "verify": 59, "practice": 90, "symptoms": 51,
    "questions": 43, "teachers": 75, "route": 105,
}  # fmt: skip


def test_a_page_has_no_more_elements_than_it_had(url: str) -> None:
    found = {}
    for chapter in (MAP, *CHAPTERS, *BESIDE):
        with Reader(url, "" if chapter == MAP else chapter, {"lang": "en"}) as reader:
            found[chapter] = len(reader.opened.deltas)
    assert {chapter: count for chapter, count in found.items() if count > MOST[chapter]} == {}
