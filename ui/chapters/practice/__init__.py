"""What is learned by doing it."""

from ui.chapters.practice.drawing.section import DRAW
from ui.chapters.practice.fault import FAULT
from ui.chapters.practice.labsheet import LABSHEET
from ui.chapters.practice.mend import MEND
from ui.chapters.practice.worksheet import WORKSHEET
from ui.page.contents import Contents

CONTENTS = Contents("practice", (WORKSHEET, DRAW, MEND, FAULT, LABSHEET))
