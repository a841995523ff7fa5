"""What is learned by doing it."""

from ui.chapters.practice import fault, labsheet, mend, worksheet
from ui.chapters.practice.drawing import section
from ui.sections.contents import Contents

CONTENTS = Contents("practice", (worksheet.worksheet, section.drawing, mend.mended, fault.fault, labsheet.labsheet))
