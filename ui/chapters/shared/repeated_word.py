"""A field whose first text has a word that stands twice, in the words of the model at hand."""

from typing import Any

from ui.frame.chapter import Chapter

SENTENCES = {  # no model was trained on any of them
    "translate en-zh": "this cat likes this doctor",
    "translate both": "this cat likes this doctor",
    "translate zh-en": "这只猫喜欢这个医生",
    "reverse": "g d b g d a",
    "sort": "g d b g d a",
}


def suit(chapter: Chapter[Any], setting: str) -> None:
    """Until something is typed, `setting` is its default for a model of numbers, else the sentence for its words."""
    numbers, words = getattr(chapter.settings.default(), setting), chapter.at_hand.words
    if getattr(chapter.settings, setting) in {numbers, *SENTENCES.values()}:
        chapter.put(setting, numbers if words is None else SENTENCES[words.name])
