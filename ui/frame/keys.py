"""The keys of the page, of a story, of a figure and of a lecture, which `?` lists: `assets/keys.js`."""

from ui.text import Words

# What a key does stands in the texts of the frame, under `keys.<group>.<name>`.
KEYS: dict[str, dict[str, str]] = {
    "page": {"search": "/", "keys": "?"},
    "story": {"scene": "← →", "play": "Space"},
    "figure": {"move": "← → ↑ ↓", "choose": "Enter", "label": "Shift ← ↑", "play": "K", "step": ", .", "clear": "Esc"},
    "lecture": {
        "on": "→ Space", "back": "←", "scroll": "↑ ↓ Home End", "move": "Shift ← →", "controls": "M", "notes": "N",
        "code": "Q",
    },
}  # fmt: skip


def told(lang: str) -> dict[str, object]:
    """The list, in words: its title and its groups, each with its name and with keys and what they do."""
    say = Words("shell", lang)
    space = say("keys.space")
    groups = [
        {
            "name": say(f"keys.{group}.title"),
            "keys": [[pressed.replace("Space", space), say(f"keys.{group}.{name}")] for name, pressed in of.items()],
        }
        for group, of in KEYS.items()
    ]
    return {"title": say("keys.title"), "close": say("search.close"), "groups": groups}
