"""What a chapter's story is made of, and its scenes, as its page tells them to a reader."""

from typing import Any

import pytest

from tests.app.conftest import Open
from ui.frame.chapter import Chapter
from ui.page.story import Scene, Story, Told


def telling(
    chapter: str, open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str
) -> tuple[Any, dict[str, tuple[Told, Told]]]:
    """The values, and each scene by its name, on the wide stage and on the narrow one."""
    seen: list[tuple[Any, dict[str, tuple[Told, Told]]]] = []

    def noted(story: Story[Any], given: Chapter[Any]) -> list[tuple[Scene[Any], Told, Told]]:
        made = tell(story, given)
        seen.append((story.values(given), {scene.name: (wide, narrow) for scene, wide, narrow in made}))
        return made

    tell = Story.tell
    with monkeypatch.context() as patch:
        patch.setattr(Story, "tell", noted)
        patch.setattr("ui.page.story.text_made", lambda at_hand, what, write: write())  # told anew
        app = open_link(chapter, **{"scene": "1", "lang": "en", **link})
    assert not app.exception
    (found,) = seen
    return found
