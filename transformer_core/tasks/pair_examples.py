"""Five examples of pairs to begin with, each made by a rule: lines of source and target, apart by a tab."""

import datetime
from collections.abc import Callable, Iterator
from itertools import product

ONSETS = ("b", "br", "d", "dr", "fl", "g", "gl", "gr", "l", "m", "p", "pl", "pr", "r", "st", "str", "tr", "v", "z")
VOWELS = "aeiou"
ENDINGS = ("b", "ch", "lk", "lly", "mp", "nch", "nd", "ndy", "nny", "p", "rd", "rk", "ry", "sh", "st", "sty", "t", "x")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
ROMAN = {1000: "M", 900: "CM", 500: "D", 400: "CD", 100: "C", 90: "XC", 50: "L", 40: "XL", 10: "X", 9: "IX", 5: "V",
         4: "IV", 1: "I"}  # fmt: skip
FIRST_YEAR, YEARS, DATES = 1900, 200, 2000
SUMMAND = 50  # summands lie below
NUMBERS = 2000


def dates() -> Iterator[tuple[str, str]]:
    """`7 March 1954` as `1954-03-07`: days of two centuries, evenly apart but for their weekday."""
    first = datetime.date(FIRST_YEAR, 1, 1).toordinal()
    days = datetime.date(FIRST_YEAR + YEARS, 1, 1).toordinal() - first
    for day in sorted(at * 30_011 % days for at in range(DATES)):  # prime, so that no day comes twice
        date = datetime.date.fromordinal(first + day)
        yield f"{date.day} {MONTHS[date.month - 1]} {date.year}", date.isoformat()


def plurals() -> Iterator[tuple[str, str]]:
    """English plurals of nouns that there might be: `zandy` as `zandies`, `grush` as `grushes`, `stom` as `stoms`."""
    for noun in invented(ONSETS):
        yield noun, plural(noun)


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def roman_numerals() -> Iterator[tuple[str, str]]:
    """`1987` as `MCMLXXXVII`."""
    for number in range(1, NUMBERS + 1):
        yield str(number), roman(number)


def roman(number: int) -> str:
    written = ""
    for value, letters in ROMAN.items():
        written, number = written + letters * (number // value), number % value
    return written


def sums() -> Iterator[tuple[str, str]]:
    """`27+45` as `72`."""
    for one, other in product(range(SUMMAND), repeat=2):
        yield f"{one}+{other}", str(one + other)


def pig_latin() -> Iterator[tuple[str, str]]:
    """The consonants before the first vowel go to the end: `strand` as `andstray`, `olly` as `ollyway`."""
    for word in invented(("", *ONSETS)):
        yield word, pigs(word)


def pigs(word: str) -> str:
    vowel = min(word.find(one) for one in VOWELS if one in word)
    return f"{word[vowel:]}{word[:vowel]}ay" if vowel else f"{word}way"


def invented(onsets: tuple[str, ...]) -> Iterator[str]:
    """Words of one or two syllables that sound like English."""
    return ("".join(parts) for parts in product(onsets, VOWELS, ENDINGS))


EXAMPLES: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "dates": dates,
    "plurals": plurals,
    "roman": roman_numerals,
    "sums": sums,
    "pig_latin": pig_latin,
}


def example(name: str) -> str:
    """The lines of one of the EXAMPLES."""
    return "\n".join("\t".join(pair) for pair in EXAMPLES[name]())
