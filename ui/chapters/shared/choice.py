"""Choosing a matrix of the model by its place: stack, layer, sub-layer, and what it is there."""

from collections.abc import Iterable, Mapping
from functools import partial

import streamlit as st

from ui import state
from ui.chapters.shared.tensors import AROUND, LEVELS, NAMES, SYMBOLS, TensorPlace, catalogue, nearest, options, place
from ui.sections import AnyChapter
from ui.text import Words


def chosen(chapter: AnyChapter, setting: str, tensors: Iterable[str]) -> tuple[TensorPlace, str]:
    """Where the matrix is that the reader has chosen in a setting, or the nearest there is; and its name."""
    shell = chapter.shell
    found = catalogue(tensors)
    places = list(found)
    here = nearest(places, place(getattr(chapter.settings, setting)))
    offered = [options(places, here, level) for level in range(len(LEVELS))]
    if not chapter.hides(setting):
        levels = [level for level, names in enumerate(offered) if len(names) > 1]
        for column, level in zip(st.columns(len(levels)), levels):
            with column:
                name = here[level]
                key = state.prepare(f"{chapter.name}.{setting}.{LEVELS[level]}", name)
                st.selectbox(
                    shell(f"delta.{LEVELS[level]}"),
                    offered[level],
                    offered[level].index(name),
                    partial(_option, chapter.lang, level),
                    key,
                    on_change=chapter.then(partial(_take, chapter, setting, found, here, level, key)),
                    filter_mode=None,
                )
    return here, found[here]


def _take(
    chapter: AnyChapter, setting: str, found: Mapping[TensorPlace, str], here: TensorPlace, level: int, key: str
) -> None:
    """Another stack, layer, sub-layer or matrix; what stands below it stays what it is, if that is there too."""
    wanted = here._replace(**{LEVELS[level]: state.picked(key)})
    chapter.put(setting, found[nearest(list(found), wanted)])


def _option(lang: str, level: int, name: str) -> str:
    shell = Words("shell", lang)
    match LEVELS[level]:
        case "layer":
            return shell("delta_option.layer", n=name) if name else shell("delta_option.after")
        case "part":
            return Words("walkthrough", lang)(f"sublayer.{name}") if name else shell("delta_option.all")
        case "what":
            short = name.removeprefix(AROUND)
            return SYMBOLS.get(name) or shell(f"tensor.{NAMES.get(name) or NAMES.get(short, short)}")
    return shell(f"delta_option.{name}")
