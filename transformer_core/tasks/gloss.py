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
    values = values_of(other)
    said, forms = values["glosses"], dictionary_forms_of(values)
    words = {word: side for side in SIDES for word in beside_english(other).words(side)}
    return MappingProxyType(
        {word: said.get(word) or _rendered(word, side, said, forms, other) for word, side in words.items()}
    )


def _rendered(word: str, side: int, said: Mapping[str, str], forms: Mapping[str, str], other: str) -> str:
    """What stands for the word in each of its rules, without what has a duty alone."""
    found: dict[str, None] = {}
    space = "" if (side, other) == (ENGLISH, UNSPACED) else " "
    for rule in (rule for rules in beside_english(other).rules.values() for rule in rules):
        if RuleWord(word, paired=True) in rule.sides[side]:
            others = [part.text for part in rule.sides[1 - side] if isinstance(part, RuleWord) and part.paired]
            meant = [forms.get(other, other) for other in others if not said.get(other, "").startswith(BRACKETS)]
            found[space.join(meant)] = None
    return OR.join(found)
