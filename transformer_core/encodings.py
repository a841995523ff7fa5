"""In which encoding a text was saved, where its first bytes say so."""

import codecs

MARKS = (  # the longer first, for one begins like another
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


def marked(content: bytes) -> str:
    """The encoding that the mark before a text names; "" where there is none."""
    return next((encoding for mark, encoding in MARKS if content.startswith(mark)), "")
