"""The address is the state: the only folder that touches the URL and `st.session_state`."""

from ui.state.address_bar import (
    close_link,
    elsewhere,
    go_to,
    go_to_stop,
    one_entry,
    open_link,
    run_again,
    runs_alone,
    speak,
)
from ui.state.borrowed_settings import give_back, lend, of_the_reader
from ui.state.given_replies import give, is_given, presses, take_back
from ui.state.link import answered, link_to, query, shared, url
from ui.state.store import FRAME, ask_again, changed, draw, drawn, enter, first_one, last_one, once, section_of, stays
from ui.state.typed_sequences import NUMBERS, speak_words, take_model
from ui.state.widgets import current, fit, picked, prepare, prepare_widget, put, refused

__all__ = [
    "FRAME",
    "NUMBERS",
    "answered",
    "ask_again",
    "changed",
    "close_link",
    "current",
    "draw",
    "drawn",
    "elsewhere",
    "enter",
    "first_one",
    "fit",
    "give",
    "give_back",
    "go_to",
    "go_to_stop",
    "is_given",
    "last_one",
    "lend",
    "link_to",
    "once",
    "of_the_reader",
    "one_entry",
    "open_link",
    "picked",
    "prepare",
    "prepare_widget",
    "presses",
    "put",
    "query",
    "refused",
    "run_again",
    "runs_alone",
    "section_of",
    "shared",
    "speak",
    "speak_words",
    "stays",
    "take_back",
    "take_model",
    "url",
]
