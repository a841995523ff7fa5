"""What each word of the small languages is called in the other one, for who does not read it."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from transformer_core.tasks.grammar import ENGLISH, SIDES, beside_english, values_of
from transformer_core.tasks.rules import RuleWord, dictionary_forms_of

BRACKETS = ("(", "（")  # a gloss in these says what its word does, and translates nothing
OR = "/"  # between the glosses of a word that has several
UNSPACED = "zh"


@lru_cache
def glosses(other: str = "zh") -> Mapping[str, str]:
    """A gloss for each word of English and of another language, "zh" or "es": "花" is "flower", "看" is "read/watch".

    It is how the grammar's rules render the word, in the form that a dictionary has. Measure words and others that have
    no counterpart have what they do, in brackets.
    """
    values, grammar = values_of(other), beside_english(other)
    said, forms = values["glosses"], dictionary_forms_of(values)
    rendered: dict[tuple[str, int], dict[str, None]] = {}  # what stands for a word in each of its rules
    for rule in (rule for rules in grammar.rules.values() for rule in rules):
        both = [[part.text for part in side if isinstance(part, RuleWord) and part.paired] for side in rule.sides]
        for side in SIDES:
            space = "" if (side, other) == (ENGLISH, UNSPACED) else " "
            translating = [word for word in both[1 - side] if not said.get(word, "").startswith(BRACKETS)]
            meant = space.join(forms.get(word, word) for word in translating)
            for word in both[side]:
                rendered.setdefault((word, side), {})[meant] = None
    words = {word: side for side in SIDES for word in grammar.words(side)}
    return MappingProxyType(
        {word: said.get(word) or OR.join(rendered.get((word, side), ())) for word, side in words.items()}
    )
