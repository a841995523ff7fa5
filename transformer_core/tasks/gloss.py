"""What each word of the small language is called in the other one, for who does not read it."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from transformer_core.tasks.grammar import ENGLISH, FILE, SIDES, english_chinese
from transformer_core.tasks.rules import RuleWord, dictionary_forms_of

BRACKETS = ("(", "（")  # a gloss in these says what its word does, and translates nothing
OR = "/"  # between the glosses of a word that has several


@lru_cache(maxsize=1)
def glosses() -> Mapping[str, str]:
    """A gloss for each word of both languages: "花" is "flower", "flowers" is "花", "看" is "read/watch".

    It is how the grammar's rules render the word, in the form that a dictionary has. Measure words and others that have
    no counterpart have what they do, in brackets.
    """
    values: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    said, forms = values["glosses"], dictionary_forms_of(values)
    grammar = english_chinese()
    words = {word: side for side in SIDES for word in grammar.words(side)}
    return MappingProxyType(
        {word: said.get(word) or _rendered(word, side, said, forms) for word, side in words.items()}
    )


def _rendered(word: str, side: int, said: Mapping[str, str], forms: Mapping[str, str]) -> str:
    """What stands for the word in each of its rules, without what has a duty alone."""
    found: dict[str, None] = {}
    for rule in (rule for rules in english_chinese().rules.values() for rule in rules):
        if RuleWord(word, paired=True) in rule.sides[side]:
            others = [part.text for part in rule.sides[1 - side] if isinstance(part, RuleWord) and part.paired]
            meant = [forms.get(other, other) for other in others if not said.get(other, "").startswith(BRACKETS)]
            found[(" " if 1 - side == ENGLISH else "").join(meant)] = None
    return OR.join(found)
