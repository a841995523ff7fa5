"""Who may import whom: folder by folder, from the top, what each may import besides itself and the standard library."""

from typing import NamedTuple

from ui.settings.chapters import BESIDE, CHAPTERS, MAP, ROUTE, TEACHERS


class Room(NamedTuple):
    rooms: str = ""
    packages: str = ""


PAPER = "transformer_core transformer_core.tasks transformer_core.decoding transformer_core.after_2017"
CORE = (
    f"{PAPER} transformer_core.external transformer_core.notes transformer_core.experiments transformer_core.verify "
    "transformer_core.training transformer_core.train transformer_core.exercises transformer_core.labsheet"
)
SERVER = "ui.run_limits ui.training_service ui.cache ui.log ui.rate_limit ui.rerun_metrics ui.own_pairs ui.uploads"
SESSION = f"{SERVER} ui.session ui.upload_limits"
BELOW = f"{SESSION} ui.figures ui.settings ui.script ui.text ui.theme {CORE}"
BELOW_FRAME = f"ui.state ui.inputs ui.model {BELOW}"
CLASS = "ui.classroom ui.classroom.rooms ui.classroom.ballot ui.classroom.server_rooms ui.classroom.qr"
BELOW_CHAPTERS = f"ui.sections ui.frame ui.components {CLASS} {BELOW_FRAME}"
ROOMS_OF_SHARED = "ui.chapters.shared.forward ui.chapters.shared.difference"
BELOW_PAGES = f"ui.chapters.shared {ROOMS_OF_SHARED} {BELOW_CHAPTERS}"
PAGE = "streamlit numpy torch"
OWN = {name: f"ui.chapters.{name}" for name in (MAP, *CHAPTERS, *BESIDE)}

HEADS = "ui.chapters.heads"
ROOMS_OF_HEADS = {  # each with what it knows of the others
    f"{HEADS}.alignment": "",
    f"{HEADS}.what_if": f"{HEADS}.alignment",
    f"{HEADS}.ablation": f"{HEADS}.alignment {HEADS}.what_if",
    f"{HEADS}.why_word": f"{HEADS}.alignment",
}

CARRIED = "ui.training_service.ray.carried_runs"  # below the bridge

# Room by room, from the top: what it may import besides itself and the standard library.
# The longest name that fits a module is its room: ui.figures.curves stands in ui.figures, ui.frame.menu in ui.frame.
ROOMS = {
    "app": Room(f"{OWN[MAP]} ui.sections ui.frame ui.host", "streamlit"),
    **{f"pages.{name}": Room(f"{own} ui.sections") for name, own in OWN.items()},
    "ui.command": Room("ui.host ui.settings ui.text transformer_core", "streamlit"),
    "ui.host": Room(
        f"ui.process_setup ui.browser_files ui.script ui.frame ui.components ui.chapters ui.model {SESSION}"
        " ui.settings ui.text",
        "streamlit brotli",
    ),
    # A chapter knows no other; the pages about the chapters repeat what these ask and show.
    **{own: Room(f"{own}.figures {BELOW_PAGES}", PAGE) for own in OWN.values()},
    **{OWN[page]: Room(f"ui.chapters {OWN[page]}.figures {BELOW_PAGES}", PAGE) for page in (TEACHERS, ROUTE)},
    **{f"{own}.figures": Room("ui.figures ui.theme", "numpy") for own in OWN.values()},
    # Rooms within that chapter: what it shows beside its wall of heads.
    HEADS: Room(f"{HEADS}.values {' '.join(ROOMS_OF_HEADS)} {BELOW_PAGES}", PAGE),
    **{of: Room(f"{of}.board {HEADS}.values {known} {BELOW_PAGES}", PAGE) for of, known in ROOMS_OF_HEADS.items()},
    **{f"{of}.board": Room("ui.figures", "numpy") for of in ROOMS_OF_HEADS},
    f"{HEADS}.values": Room(BELOW_PAGES, PAGE),
    **{name: Room(f"ui.chapters.shared {BELOW_CHAPTERS}", PAGE) for name in ROOMS_OF_SHARED.split()},
    "ui.chapters.shared": Room(BELOW_CHAPTERS, PAGE),
    "ui.labsheet": Room("transformer_core ui.state ui.chapters ui.frame ui.settings transformer_core.labsheet"),
    "ui.chapters": Room("ui.sections ui.settings transformer_core.labsheet"),
    "ui.sections": Room(f"ui.classroom.page ui.frame ui.components {CLASS} {BELOW_FRAME}", "streamlit numpy torch"),
    "ui.classroom.page": Room(f"ui.sections ui.frame {CLASS} {BELOW_FRAME}", "streamlit"),
    "ui.frame": Room(f"ui.browser_files {CLASS} {BELOW_FRAME}", "streamlit"),
    "ui.classroom": Room(f"ui.frame {CLASS} {BELOW_FRAME}", "streamlit"),
    "ui.classroom.qr": Room("ui.state ui.figures ui.text", "streamlit segno"),
    "ui.classroom.server_rooms": Room("ui.classroom.rooms ui.training_service ui.training_service.ray"),
    "ui.classroom.rooms": Room("ui.classroom.ballot ui.rate_limit"),
    "ui.classroom.ballot": Room(),
    "ui.model": Room(BELOW, "streamlit torch plotly"),
    "ui.inputs": Room("ui.text transformer_core transformer_core.tasks transformer_core.training"),
    "ui.components": Room("ui.browser_files ui.state ui.figures ui.script", "streamlit numpy"),
    "ui.state": Room("ui.settings ui.text", "streamlit"),
    "ui.session": Room(f"{SERVER} ui.upload_limits {CORE}", "streamlit"),
    "ui.upload_limits": Room(f"ui.uploads ui.training_service {CORE}", "streamlit"),
    "examples": Room("", "torch"),
    "docs": Room("transformer_core"),
    "ui.run_limits": Room("transformer_core transformer_core.tasks transformer_core.training"),
    "ui.uploads": Room(f"ui.run_limits ui.cache ui.training_service {CORE}", "numpy torch"),
    "ui.own_pairs": Room(f"ui.run_limits ui.training_service {CORE}"),
    "ui.cache": Room(f"ui.training_service {CORE}", "numpy torch"),
    "ui.rate_limit": Room(),
    "ui.rerun_metrics": Room(),
    "ui.training_service.ray": Room(
        f"ui.training_service ui.classroom.rooms ui.classroom.ballot {CORE}", "numpy torch"
    ),
    "ui.training_service.ray.bridge": Room(
        f"ui.training_service ui.training_service.ray {CARRIED} ui.classroom.rooms {CORE}", "numpy ray"
    ),
    CARRIED: Room("ui.training_service.ray", "numpy ray"),
    "ui.training_service": Room(f"ui.training_service.ray ui.cache ui.rate_limit {CORE}", "numpy torch"),
    "ui.process_setup": Room("ui.log"),
    "ui.log": Room(),
    "ui.figures": Room("ui.theme transformer_core.picture", "plotly numpy"),
    "ui.settings": Room("ui.text"),
    "ui.browser_files": Room("", "streamlit"),
    "ui.script": Room(),
    "ui.text": Room(),
    "ui.theme": Room(),
    "ui.__init__": Room("ui.process_setup"),
    # What is said to those outside.
    "transformer_core.__init__": Room(
        f"{PAPER} transformer_core.external transformer_core.notes transformer_core.training transformer_core.train"
    ),
    "transformer_core.__main__": Room("transformer_core transformer_core.predict transformer_core.training"),
    "transformer_core.predict": Room(f"{PAPER} transformer_core.training", "torch"),
    "transformer_core.train": Room(f"{PAPER} transformer_core.training"),
    "transformer_core.labsheet": Room("transformer_core transformer_core.exercises", "numpy"),
    "transformer_core.exercises": Room(f"{PAPER} transformer_core.verify transformer_core.training", "torch numpy"),
    "transformer_core.training": Room(
        f"{PAPER} transformer_core.notes transformer_core.experiments", "torch numpy safetensors"
    ),
    "transformer_core.verify": Room(f"{PAPER} transformer_core.notes transformer_core.experiments", "torch numpy"),
    "transformer_core.experiments": Room(PAPER, "torch numpy"),
    "transformer_core.external": Room(
        "transformer_core transformer_core.picture transformer_core.tasks transformer_core.notes "
        "transformer_core.after_2017",
        "torch numpy",
    ),
    "transformer_core.notes": Room("transformer_core transformer_core.tasks transformer_core.decoding", "torch"),
    "transformer_core.after_2017": Room("transformer_core transformer_core.tasks transformer_core.decoding", "torch"),
    "transformer_core.decoding": Room("transformer_core transformer_core.tasks", "torch"),
    "transformer_core.tasks": Room("transformer_core", "torch"),
    "transformer_core": Room("transformer_core.picture", "torch"),
    "transformer_core.picture": Room("", "torch plotly numpy"),
}
