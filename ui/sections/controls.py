"""Widgets bound to settings. Each returns the setting's value; one that the lesson's link hides is not drawn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from ui import state
from ui.figures.number import number as figure
from ui.frame.chapter import Chapter
from ui.settings.fields import Flag, OneOf, Real, Text, Whole

# How a slider writes its number: a link may bring one between two of its steps, 0.0625, which is not to be rounded.
DIGITS: dict[type, str] = {Whole: "%d", Real: "%.4g"}


def slider(
    chapter: Chapter[Any], name: str, low: float | None = None, high: float | None = None, step: float = 1
) -> Any:
    """A slider over the setting's range, or a part of it; a value outside the part moves to its nearest end."""
    kind = chapter.own.kinds()[name]
    assert isinstance(kind, Whole | Real)
    low = kind.low if low is None else low
    high = kind.high if high is None else high
    inside = state.fit(chapter.name, name, low, high)
    if low == high or chapter.hides(name):
        return inside
    key = state.prepare_widget(chapter.name, name, inside)
    number = int if isinstance(kind, Whole) else float
    return st.slider(
        chapter.say(name),
        number(low),
        number(high),
        number(inside),
        number(step),
        DIGITS[type(kind)],
        key=key,
        on_change=chapter.then(setting=name),
    )


def side_by_side(chapter: Chapter[Any], widths: Sequence[float] = (), /, **said: Mapping[str, Any]) -> list[Any]:
    """Settings in columns, each under the control of its kind: a slider, options, a switch, a field for text. What is
    `said` of a setting is for its control, `low` for one. All are equally wide unless there are `widths`; a column that
    these leave for a button follows the values."""
    kinds = [type(chapter.own.kinds()[name]) for name in said]
    level: Literal["bottom", "top"] = "bottom"
    if len(widths) <= len(said) and {OneOf, Flag}.isdisjoint(kinds):
        level = "top"
    columns, values = st.columns(widths or len(said), vertical_alignment=level), []
    for column, kind, name in zip(columns, kinds, said):
        with column:
            values.append(CONTROLS[kind](chapter, name, **said[name]))
    return [*values, *columns[len(said) :]]


def choose(
    chapter: Chapter[Any],
    name: str,
    options: tuple[str, ...] | None = None,
    on_change: Callable[[], None] | None = None,
    *,
    titled: bool = True,
) -> str:
    """One of a few options, side by side; the text of an option is `name_option.option`.

    `on_change` is called before the page runs with the new value. The title may be left to those who do not see.
    """
    value, kind = _value_and_kind(chapter, name)
    assert isinstance(kind, OneOf)
    options = kind.options if options is None else options
    if value not in options:
        value = options[0]
        state.put(chapter.name, name, value)
    if chapter.hides(name):
        return value
    key = state.prepare_widget(chapter.name, name, value)
    picked = st.segmented_control(
        chapter.say(name),
        options,
        default=value,
        format_func=lambda option: chapter.say(f"{name}_option.{option}"),
        key=key,
        required=True,
        on_change=chapter.then(on_change, name),
        label_visibility="visible" if titled else "collapsed",
        wrap=True,
    )
    return picked or value


def number_of(chapter: Chapter[Any], name: str, count: int) -> int:
    """An index 0…count-1, shown side by side (a layer, a head); one that no longer exists becomes the last."""
    value = state.fit(chapter.name, name, 0, count - 1)
    if count == 1 or chapter.hides(name):
        return value
    key = state.prepare_widget(chapter.name, name, value)
    picked = st.segmented_control(
        chapter.say(name),
        range(count),
        default=value,
        key=key,
        required=True,
        on_change=chapter.then(setting=name),
        wrap=True,
    )
    return value if picked is None else picked


def one_of(chapter: Chapter[Any], name: str, names: Sequence[str]) -> int:
    """An index into `names`, as a slider along them; one that no longer exists becomes the last.

    Names that are not all different are numbered: the browser tells the stops of a slider apart by what they say.
    """
    value = state.fit(chapter.name, name, 0, len(names) - 1)
    if len(names) == 1 or chapter.hides(name):
        return value
    key = state.prepare_widget(chapter.name, name, value)
    stops = names if len(set(names)) == len(names) else [f"{at}: {one}" for at, one in enumerate(names)]
    return st.select_slider(
        chapter.say(name), range(len(stops)), value, stops.__getitem__, key=key, on_change=chapter.then(setting=name)
    )


def named(chapter: Chapter[Any], name: str, names: Sequence[str]) -> int:
    """An index into `names`, taken from a menu of them; one that no longer exists becomes the last."""
    value = state.fit(chapter.name, name, 0, len(names) - 1)
    if chapter.hides(name):
        return value
    key = state.prepare_widget(chapter.name, name, value)
    # No search: its "No results" is English in every language.
    return st.selectbox(
        chapter.say(name),
        range(len(names)),
        value,
        names.__getitem__,
        key,
        filter_mode=None,
        on_change=chapter.then(setting=name),
    )


def number(
    chapter: Chapter[Any],
    name: str,
    step: float = 1,
    width: int | Literal["stretch"] = "stretch",
    refusals: list[str] | None = None,
) -> Any:
    """A number to type, within the setting's range. Another one is refused in words, and what was there stays.

    The words stand below the field, or are added to `refusals`, where fields stand side by side.
    Streamlit is not told of the range: it would refuse in English, and in a narrow field with no words at all.
    """
    value, kind = _value_and_kind(chapter, name)
    assert isinstance(kind, Whole | Real)
    if chapter.hides(name):
        return value
    refused = state.refused(chapter.name, name)
    key = state.prepare_widget(chapter.name, name, value)
    as_kind, form = (int, "%d") if isinstance(kind, Whole) else (float, "%g")
    label = chapter.say(name)
    typed = st.number_input(
        label,
        None,
        None,
        as_kind(value),
        as_kind(step),
        form,
        key=key,
        width=width,
        on_change=chapter.then(setting=name),
    )
    if refused is not None:
        low, high, given, kept = map(figure, (kind.low, kind.high, refused, value))
        words = chapter.shell
        refusal = words("out_of_range", label=label, low=low, high=high, given=given, kept=kept)
        if refusals is None:
            st.warning(refusal)
        else:
            refusals.append(refusal)
    return value if typed is None else typed


def toggle(chapter: Chapter[Any], name: str) -> bool:
    value, _ = _value_and_kind(chapter, name)
    if chapter.hides(name):
        return value
    return st.toggle(
        chapter.say(name),
        value,
        key=state.prepare_widget(chapter.name, name, value),
        on_change=chapter.then(setting=name),
    )


def text(chapter: Chapter[Any], name: str, placeholder: str = "") -> str:
    """Free text, as typed; the page checks it and says what is wrong. While it is empty, `placeholder` stands there."""
    value, kind = _value_and_kind(chapter, name)
    if chapter.hides(name):
        return value
    key = state.prepare_widget(chapter.name, name, value)
    then = chapter.then(setting=name)
    return st.text_input(chapter.say(name), value, kind.limit, key, placeholder=placeholder, on_change=then)


def _value_and_kind(chapter: Chapter[Any], name: str) -> tuple[Any, Any]:
    return getattr(chapter.settings, name), chapter.own.kinds()[name]


CONTROLS: dict[type, Callable[..., Any]] = {Whole: slider, Real: slider, OneOf: choose, Flag: toggle, Text: text}
