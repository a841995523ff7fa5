"""The address is the state: the only folder that touches the URL and `st.session_state`."""

from ui.address.bar import close_link, elsewhere, go_to, go_to_stop, one_entry, open_link, run_again, runs_alone, speak
from ui.address.given import give, is_given, presses, take_back
from ui.address.link import answered, link_to, query, shared, url
from ui.address.loan import give_back, lend, of_the_reader
from ui.address.store import FRAME, ask_again, changed, draw, drawn, enter, first_one, last_one, once, section_of, stays
from ui.address.widgets import current, fit, picked, prepare, prepare_widget, put, refused
from ui.address.words import NUMBERS, speak_words, take_model

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
