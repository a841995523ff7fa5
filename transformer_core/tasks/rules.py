"""The rules of a synchronous grammar, as its data file writes them; `english_chinese.toml` says how to read it."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

_PART = re.compile(r"<(?P<symbol>[^>]+)>|\((?P<alone>[^)]+)\)|(?P<word>[^\s<(]+)")


class RuleWord(NamedTuple):
    """A word of a rule."""

    text: str
    paired: bool  # it means what the rule's paired words on the other side mean


class Rule(NamedTuple):
    """One way to write a symbol."""

    symbols: tuple[str, ...]  # what is left to be written
    sides: tuple[tuple[RuleWord | int, ...], ...]  # English, the other language: words, and places in `symbols`


def rules_of(values: Mapping[str, Any]) -> dict[str, tuple[Rule, ...]]:
    """The rules of each symbol, features and forms spelled out. ValueError if a rule names a symbol without any."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for symbol, text in (*_spelled_out(values["rules"], values["features"]), *_inflected(values)):
        rules[symbol] = (*rules.get(symbol, ()), _rule(text))
    named = {symbol for several in rules.values() for rule in several for symbol in rule.symbols}
    if missing := sorted({values["start"], *named} - rules.keys()):
        raise ValueError(f"no rule for {', '.join(missing)}")
    return rules


def measure_words_of(values: Mapping[str, Any]) -> set[str]:
    """The measure words of the nouns, and those that are named apart."""
    nouns = values.get("nouns", {"words": ()})
    forms = (dict(zip(nouns["forms"], word.split())) for word in nouns["words"])
    return {noun["measure"] for noun in forms if "measure" in noun} | set(values.get("measures", ()))


KINDS_OF_NOUNS = {"kind", "gender", "measure"}  # what a noun's forms are followed by, which is no form of it


def nouns_of(values: Mapping[str, Any]) -> set[str]:
    """The nouns of both languages, in every form."""
    nouns = values.get("nouns", {"words": ()})
    forms = (zip(nouns["forms"], word.split()) for word in nouns["words"])
    return {form for of_one in forms for name, form in of_one if name not in KINDS_OF_NOUNS}


def dictionary_forms_of(values: Mapping[str, Any]) -> dict[str, str]:
    """The form that a dictionary has, for each form of the words that have several."""
    found: dict[str, str] = {}
    for table in _tables(values):
        for word in table["words"]:
            forms = dict(zip(table["forms"], word.split()))
            found |= {forms[name]: forms[instead] for name, instead in table["dictionary"].items()}
    return found


def _rule(text: str) -> Rule:
    both = text.split("|") if "|" in text else [text, text]
    parts = [list(_PART.finditer(side)) for side in both]
    symbols = tuple(dict.fromkeys(part["symbol"] for part in parts[0] if part["symbol"]))
    if len(parts) != 2 or sorted(symbols) != sorted(part["symbol"] for part in parts[1] if part["symbol"]):
        raise ValueError(f"the two sides of a rule name the same symbols, each once: {text}")
    return Rule(symbols, (_side(parts[0], symbols), _side(parts[1], symbols)))


def _side(parts: list[re.Match[str]], symbols: tuple[str, ...]) -> tuple[RuleWord | int, ...]:
    return tuple(
        symbols.index(part["symbol"]) if part["symbol"] else RuleWord(part["word"] or part["alone"], bool(part["word"]))
        for part in parts
    )


def _spelled_out(rules: Mapping[str, list[str]], features: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Each rule once for every value of the features that it names."""
    for symbol, texts in rules.items():
        for text in texts:
            named = [name for name in features if re.search(rf":{name}\b", symbol + text)]
            for values in product(*(features[name] for name in named)):
                chosen = dict(zip(named, values))
                yield _chosen(symbol, chosen), _chosen(text, chosen)


def _chosen(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = re.sub(rf":{name}\b", f":{value}", text)
    return text


def _tables(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The lists of words that have forms."""
    return [table for table in values.values() if isinstance(table, dict) and "words" in table]


def _inflected(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The rules for each pattern of each word that has forms."""
    for table in _tables(values):
        for word in table["words"]:
            forms = dict(zip(table["forms"], word.split(), strict=True))
            for symbol, texts in table["patterns"].items():
                for text in [texts] if isinstance(texts, str) else texts:
                    yield symbol.format(**forms), text.format(**forms)
