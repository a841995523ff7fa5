"""The pairs that a reader has brought along: known to the tabs of one browser, by a digest that a link may say."""

import sys
import threading
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from transformer_core.tasks import NotPairs, OwnPairs
from transformer_core.tasks.own_pairs import MOST_BYTES
from transformer_core.tasks.pair_lines import Look, Reason
from ui.run_limits import OWN_PAIRS
from ui.training_service.memory_budget import MB, SENT
from ui.training_service.queue import Refused

ROOM = SENT // 2  # bytes of all readers' pairs, and of the lines that they were read from
KNOWN = 8  # of one tab: the model at hand, and the runs before it, may have learned other ones

_keeping = threading.Lock()


@dataclass
class SessionPairs:
    """What stands in the field, what was read in it, and all that was learned of."""

    lines: str = ""  # as they were given, by hand, by a file or as an example; also where they are no pairs
    shown: str = ""  # what of that stood in the field the last time: long lines of a file do not
    taken: str = ""  # the last file that was read, by Streamlit's name for it
    encoding: str = ""  # of the file that they came from
    plain: bool = False  # they are pairs that were read before: a source and a target, and no header
    how: Hashable = None  # what was set of reading them; None while nobody has read them
    anew: bool = False  # others stood there before, for which that was set
    look: Look | None = None  # what was found in them, but for the pairs
    left: tuple[Reason, ...] = ()  # why some of them are left out
    now: str = ""  # the digest of the pairs in the lines; "" where they are none
    notes: Mapping[str, int] = field(default_factory=dict)  # what became of the lines
    problem: NotPairs | Refused | None = None  # why they are none
    texts: dict[str, str] = field(default_factory=dict)  # pairs by their digest, the last ones last

    def give(self, lines: str, encoding: str = "") -> None:
        """Other lines, which nobody has read yet."""
        self.anew, self.plain = bool(self.lines.strip()), False
        self.lines, self.encoding, self.how, self.look = lines[: OWN_PAIRS.text + 1], encoding, None, None

    def admit(self, everybody: Iterable["SessionPairs"]) -> None:
        """Refused, if these are the lines of a large file, while there is no room for them."""
        if len(self.lines) > MOST_BYTES:
            self._make_room(everybody)

    def read(self, look: Look) -> None:
        """How these lines are read, whether there are pairs in them or not."""
        self.look, self.left = look._replace(rows=(), left=()), look.reasons

    def learn(self, pairs: OwnPairs, everybody: Iterable["SessionPairs"]) -> None:
        """These are the pairs. Refused while those of all readers take all the room there is."""
        self.keep(pairs, everybody)
        self.now, self.problem = pairs.digest, None
        look = self.look
        self.notes = {"repeated": look.repeated, "aside": look.aside} if look else {}
        self.notes |= {"ambiguous": pairs.ambiguous}

    def recall(self, text: str, digest: str, how: Hashable) -> None:
        """Pairs that have been read before."""
        self.give(text)
        self.now, self.how, self.notes, self.problem = digest, how, {}, None
        self.anew, self.plain = False, True

    def refuse(self, problem: NotPairs | Refused | None) -> None:
        self.now, self.notes, self.problem = "", {}, problem

    def keep(self, pairs: OwnPairs, everybody: Iterable["SessionPairs"]) -> None:
        with _keeping:  # else two readers could both have the last room there is
            self._make_room(everybody, sys.getsizeof(pairs.text))
            self.texts[pairs.digest] = self.texts.pop(pairs.digest, pairs.text)
        while len(self.texts) > KNOWN:
            del self.texts[next(iter(self.texts))]

    def _make_room(self, everybody: Iterable["SessionPairs"], more: int = 0) -> None:
        """Refused where all that readers have given, and so many bytes more, do not fit; then a large file goes."""
        texts = [text for one in everybody for text in (*list(one.texts.values()), one.lines)]
        if sum({id(text): sys.getsizeof(text) for text in texts}.values()) + more > ROOM:
            self.lines = self.lines if len(self.lines) <= MOST_BYTES else ""
            raise Refused("pairs_room", ROOM // MB, passing=True)
