"""Every text of the app, and the pages beside the code, held to text_rules.toml and terms_used.toml.

    python -m tests.ui.text_linter

says which texts break a rule, where, and what to write instead.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ui.text import FOLDER, load, without_terms

ROOT = FOLDER.parents[1]
PAGES = ("README.zh", *(f"docs/{name}.zh" for name in ("hosting", "install", "library", "recipes", "teaching")))
NEVER = "(?!)"
WHOLE_WORDS = {"en": r"(?i)\b(?:{})\b", "zh": "(?i)(?:{})"}
UNSAID = {"en": (r"`[^`]*`", r"\$\$?[^$]*\$\$?", r"(?<=\{\{\w)\w+(?=\}\})"), "zh": ()}  # no words of an English text
DOCUMENTS = ("*.md", "docs/**/*.md", "deploy/*.md")
WORDS = 18  # in a sentence of an English document, on average fewer
HEADINGS = r"^route\..*\.at$"  # of other people's documents


@dataclass(frozen=True)
class Rule:
    """As text_rules.toml explains its fields."""

    says: str
    lang: str = ""
    pages: bool = False
    keys: str = ""
    but: str = NEVER
    without: Sequence[str] = ()
    each: str = ""
    never: str = NEVER
    must: str = ""
    unless: str = NEVER
    found: Sequence[str] = ()
    passed: Sequence[str] = ()

    def offends(self, text: str) -> str:
        """Where a text breaks the rule, with some letters around; "" where it does not."""
        for part in self.without:
            text = re.sub(part, "", text)
        if re.search(self.unless, text):
            return ""
        for part in re.findall(self.each, text) if self.each else [text]:
            if not re.search(self.must, part):
                return part[:40]
            if at := re.search(self.never, part):
                return part[max(at.start() - 8, 0) : at.end() + 8]
        return ""

    def offences(self) -> Iterator[str]:
        for key, lang, text in every_text():
            its = lang == (self.lang or lang) and (key not in PAGES or self.pages)
            if its and re.search(self.keys, key) and not re.search(self.but, key) and (at := self.offends(text)):
                yield f"{key} ({lang}): “{at}”; {self.says}"


@cache
def every_text() -> list[tuple[str, str, str]]:
    """File and key, language, and the text, in which a term of the glossary stands as it is read; pages without their
    programs."""
    pages = [(name, "zh", (ROOT / f"{name}.md").read_text(encoding="utf-8")) for name in PAGES]
    return [(name, lang, re.sub(r"(?s)```python.*?```", "", text)) for name, lang, text in pages] + [
        (f"{path.stem}.{key}", lang, without_terms(text, lang))
        for path in sorted(FOLDER.glob("*.toml"))
        for key, texts in load(path.stem).items()
        for lang, text in texts.items()
    ]


def read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def rules() -> dict[str, Rule]:
    """Those of text_rules.toml; that a name is said once; and that no word is used that was dropped for a term."""
    listed = read("text_rules.toml")
    once: dict[str, list[str]] = listed.pop("once")
    made = {name: Rule(**fields) for name, fields in listed.items()}
    for name, (key, said) in once.items():
        about: dict[str, Any] = {"lang": "zh", "pages": True, "found": [name]}
        only, there = f"{HEADINGS}|^{re.escape(key)}$", f"^{re.escape(key)}$"
        must = f"(?s)^(?!.*{name}.*{name}).*{re.escape(said)}"
        made[f"{name} elsewhere"] = Rule(f"only {key} says so", never=name, but=only, **about)
        made[f"{name} there"] = Rule(f"say it once: {said}", keys=there, must=must, passed=[said], **about)
    terms = read("terms_used.toml")
    for name, term in terms.items():
        for lang, form in WHOLE_WORDS.items():
            if words := term.get(f"never_{lang}"):
                made[f"{name} {lang}"] = Rule(
                    f"say {term[lang]}",
                    lang,
                    pages=True,
                    but=HEADINGS if lang == "zh" else NEVER,
                    without=UNSAID[lang],
                    never=form.format("|".join(words)),
                    found=term.get(f"found_{lang}", ()),
                    passed=[*(one[lang] for one in terms.values()), *term.get(f"passed_{lang}", ())],
                )
    return made


RULES = rules()


def sentences(document: str) -> list[str]:
    """Of its paragraphs and lists: without programs, tables, headings, pictures and addresses."""
    told = re.sub(r"(?ms)^ *```.*?^ *```|^ *[#|!].*?$|\]\([^)]*\)", "", document)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|(?<=[.!?])\s+(?=[A-Z`\[*“\"])", told)
    return [part for part in parts if len(part.split()) > 1]


def wordy(name: str, document: str) -> Iterator[str]:
    counts = [len(sentence.split()) for sentence in sentences(document)]
    if counts and (average := sum(counts) / len(counts)) >= WORDS:
        yield f"{name}: {average:.1f} words a sentence; on average fewer than {WORDS}"


def documents() -> dict[str, str]:
    """Those in English, by their place."""
    paths = sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern))
    english = [path for path in paths if not path.stem.endswith(".zh") and path.name != "CHANGELOG.md"]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in english}


def main() -> None:
    offences = [offence for rule in RULES.values() for offence in rule.offences()]
    offences += [offence for page in documents().items() for offence in wordy(*page)]
    sys.exit("\n".join(offences) or 0)


if __name__ == "__main__":
    main()
