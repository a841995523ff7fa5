"""What stays behind when a reader has gone: Streamlit keeps a session's fragments, with all that they can reach."""

import gc
import weakref

import pytest
from streamlit.runtime.fragment import MemoryFragmentStorage

from tests.app.answers import right
from tests.app.conftest import Open
from ui.cache import cached
from ui.model.current_model import model_at_hand
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.frame import Frame

MODEL = Frame(model="fresh", fresh=77)


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_no_fragment_of_a_page_holds_the_model(open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str) -> None:
    storages: list[MemoryFragmentStorage] = []
    begin = MemoryFragmentStorage.__init__

    def remembered(self: MemoryFragmentStorage) -> None:
        begin(self)
        storages.append(self)

    monkeypatch.setattr(MemoryFragmentStorage, "__init__", remembered)
    app = open_link(chapter, **MODEL.to_query(), **right(chapter))
    assert not app.exception
    weights = [weakref.ref(weight) for weight in model_at_hand(MODEL).load().parameters()]
    assert all(weight() is not None for weight in weights)
    cached.clear()
    gc.collect()
    assert any(storage._fragments for storage in storages) or chapter == MAP
    assert [weight() for weight in weights if weight() is not None] == []
