"""The pairs that a reader has brought along: known to the tabs of one browser, by a digest that a link may say."""

import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from transformer_core.tasks import NotPairs, OwnPairs
from transformer_core.tasks.own_pairs import MOST_BYTES
from transformer_core.tasks.pair_lines import Reading
from ui.server.memory import MB, SENT
from ui.server.places import Refused

ROOM = SENT // 2  # bytes of all readers' pairs
KNOWN = 8  # of one tab: the model at hand, and the runs before it, may have learned other ones

_keeping = threading.Lock()


@dataclass
class Brought:
    """What stands in the field, what was read in it, and all that was learned of."""

    lines: str = ""  # as they were given, by hand, by a file or as an example; also where they are no pairs
    shown: str = ""  # what of that stood in the field the last time: long lines of a file do not
    taken: str = ""  # the last file that was read, by Streamlit's name for it
    unit: str = ""  # by what they were to be cut
    now: str = ""  # the digest of the pairs in the lines; "" where they are none
    notes: Mapping[str, int] = field(default_factory=dict)  # what became of the lines
    problem: NotPairs | Refused | None = None  # why they are none
    texts: dict[str, str] = field(default_factory=dict)  # pairs by their digest, the last ones last

    def give(self, lines: str) -> None:
        """Other lines, which nobody has read yet."""
        self.lines, self.unit = lines[: MOST_BYTES + 1], ""

    def read(self, reading: Reading, everybody: Iterable["Brought"]) -> None:
        """These are the pairs. Refused while those of all readers take all the room there is."""
        self.keep(reading.pairs, everybody)
        self.now, self.problem = reading.pairs.digest, None
        self.notes = {"repeated": reading.repeated, "aside": reading.aside, "ambiguous": reading.pairs.ambiguous}

    def recall(self, text: str, digest: str, unit: str) -> None:
        """Pairs that have been read before."""
        self.give(text)
        self.now, self.unit, self.notes, self.problem = digest, unit, {}, None

    def refuse(self, problem: NotPairs | Refused | None) -> None:
        self.now, self.notes, self.problem = "", {}, problem

    def keep(self, pairs: OwnPairs, everybody: Iterable["Brought"]) -> None:
        """Know these pairs from here on."""
        with _keeping:  # else two readers could both have the last room there is
            held = {id(text): sys.getsizeof(text) for one in everybody for text in list(one.texts.values())}
            if sum(held.values()) + sys.getsizeof(pairs.text) > ROOM:
                raise Refused("pairs_room", ROOM // MB, passing=True)
            self.texts[pairs.digest] = self.texts.pop(pairs.digest, pairs.text)
        while len(self.texts) > KNOWN:
            del self.texts[next(iter(self.texts))]
