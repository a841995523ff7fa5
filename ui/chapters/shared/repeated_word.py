"""A field whose first text has a word that stands twice, in the words of the model at hand."""

from transformer_core.tasks import OwnPairs, Vocabulary
from transformer_core.tasks.vocabulary import END
from ui import state
from ui.sections import AnyChapter

SENTENCES = {  # no model was trained on any of them
    "translate en-zh": "this cat likes this doctor",
    "translate both": "this cat likes this doctor",
    "translate zh-en": "这只猫喜欢这个医生",
    "reverse": "g d b g d a",
    "sort": "g d b g d a",
}


def suit(chapter: AnyChapter, setting: str) -> None:
    """Until something is typed, `setting` is its default for a model of numbers, else the sentence for its words."""
    numbers, words, put = getattr(chapter.settings.default(), setting), chapter.at_hand.words, f"{setting}.suited"
    if getattr(chapter.settings, setting) in {numbers, *SENTENCES.values(), state.recall(put)}:
        own = of_three(chapter.at_hand.source) if isinstance(words, OwnPairs) else ""
        suited = own or (numbers if words is None else SENTENCES[words.name])
        chapter.put(setting, state.remember(put, suited))


def of_three(vocabulary: Vocabulary) -> str:
    """The first word, another one if there is one, and the first again."""
    first, *others = range(END + 1, len(vocabulary))
    return vocabulary.text([first, *others[:1], first])
