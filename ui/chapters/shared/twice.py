"""A field whose first text has a word that stands twice, in the words of the model at hand."""

from ui.shell import Chapter

SENTENCES = {  # none was trained on
    "translate en-zh": "this cat watches this bird",
    "translate both": "this cat watches this bird",
    "translate zh-en": "我的猫看我的鸟",
    "reverse": "g d b g d a",
    "sort": "g d b g d a",
}


def suit(chapter: Chapter, setting: str) -> None:
    """Until something is typed, `setting` is its default for a model of numbers, else the sentence for its words."""
    numbers, words = getattr(chapter.settings.default(), setting), chapter.at_hand.words
    if getattr(chapter.settings, setting) in {numbers, *SENTENCES.values()}:
        chapter.put(setting, numbers if words is None else SENTENCES[words.name])
