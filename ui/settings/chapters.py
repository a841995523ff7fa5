"""The chapters in the order of the menu, part by part. A chapter's name is its file in `pages/` and its address."""

MAP = "map"
QUESTIONS, TEACHERS, ROUTE = BESIDE = "questions", "teachers", "route"  # pages about the chapters, after them
PARTS: dict[str, tuple[str, ...]] = {
    "input": ("tokens", "positions"),
    "attention": ("why_attention", "attention", "scaling", "masks", "heads"),
    "model": ("layers", "walkthrough", "decoding", "ways"),
    "training": ("loss", "backward", "training"),
    "later": ("gpt", "answer_cost", "further"),
    "proof": ("verify", "practice", "symptoms"),
}
# What a chapter begins with for who meets the model of newcomers there and has set nothing; other links keep defaults.
# Nothing here is a default: a page leaves those out of its link, and a link that says one would be written anew.
BEGINNINGS: dict[str, dict[str, str]] = {
    "attention": {"kind": "encoder"},
    "scaling": {"which_scores": "model"},
    "heads": {"open": ""},  # nothing below the wall
    "ways": {"temperature": "1"},
}
INTO_CHINESE: dict[str, dict[str, str]] = {  # for who reads an English source that becomes Chinese
    "attention": {"head": "3"},
    "scaling": {"head": "3", "word": "5"},  # the head of the chapter before; flowers
    "ways": {"src": "we watch that new park today"},  # of which the translator is unsure
}
IN_CHINESE: dict[str, dict[str, str]] = {  # for who reads a Chinese source
    "attention": {"head": "2"},  # whose 花 looks at 红色
    "scaling": {"head": "2", "word": "8"},  # 花
    "ways": {"src": "我们看三个小公园"},
}
INTO_SPANISH: dict[str, dict[str, str]] = {  # for who reads an English source that becomes Spanish; of head 0
    "scaling": {"word": "5"},  # flowers; "red" looks at them in this head, with which "rojas" agrees
    "ways": {"src": "we draw that white library under the tree", "turn": "4"},  # the turn at which it is least sure
}
TRANSLATOR, OF_ENGLISH = "translate", "spanish"  # the models that newcomers meet
DEEP = {"zh": "translate_deep", "es": "spanish_deep"}  # those of three layers, by the language beside English
STORIES = (  # the chapters that open with their story
    "attention",
    "loss",
    "backward",
    "why_attention",
    "scaling",
    "decoding",
    "ways",
    "masks",
    "layers",
    "heads",
    "positions",
    "tokens",
    "walkthrough",
    "gpt",
    "answer_cost",
    "further",
)
# What became of a chapter's part: the chapter of "After 2017" that tells, and the settings of its link.
BECAME: dict[str, tuple[str, dict[str, str]]] = {
    "tokens": ("further", {"open": "parts", "part": "tied"}),
    "positions": ("further", {"scene": "1"}),
    "why_attention": ("answer_cost", {"open": "flash"}),
    "attention": ("gpt", {"open": "one_row"}),
    "scaling": ("further", {"open": "parts", "part": "rms"}),
    "masks": ("gpt", {"scene": "1"}),
    "heads": ("further", {"open": "parts", "part": "grouped"}),
    "layers": ("gpt", {"open": "experts"}),
    "walkthrough": ("gpt", {"scene": "1"}),
    "decoding": ("answer_cost", {"scene": "1"}),
    "ways": ("gpt", {"scene": "4"}),
    "loss": ("gpt", {"open": "fill"}),
    "backward": ("further", {"open": "parts"}),
    "training": ("gpt", {"scene": "1"}),
}
CHAPTERS: tuple[str, ...] = tuple(chapter for part in PARTS.values() for chapter in part)


def beginning(chapter: str, model: str, chinese: bool) -> dict[str, str]:
    """What a chapter begins with for who has set nothing there; with a Chinese source, or an English one. To any other
    model than those of newcomers belongs the story alone."""
    story = {"scene": "1"} if chapter in STORIES else {}
    if model not in (TRANSLATOR, OF_ENGLISH):
        return story
    own = INTO_SPANISH if model == OF_ENGLISH else IN_CHINESE if chinese else INTO_CHINESE
    return BEGINNINGS.get(chapter, {}) | own.get(chapter, {}) | story


def page(chapter: str) -> str:
    return "app.py" if chapter == MAP else f"pages/{chapter}.py"


def after(chapter: str) -> str:
    """The next chapter; after the last one, the map."""
    if chapter == MAP:
        return CHAPTERS[0]
    if chapter in BESIDE:
        return MAP
    index = CHAPTERS.index(chapter) + 1
    return CHAPTERS[index] if index < len(CHAPTERS) else MAP
