"""The bytes of a file as text: in which encoding it was saved, by what the bytes themselves say."""

import unicodedata

from transformer_core.encodings import marked
from transformer_core.tasks.own_pairs import UNLIMITED, NotPairs, PairLimits

PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf")  # how such files begin
CHINESE = 0.75  # of the letters beyond ASCII so many are common ones, in Chinese


def decoded(content: bytes, limits: PairLimits = UNLIMITED) -> str:
    """The text of a file in one of the encodings that `encoding_of` knows. NotPairs if there is none."""
    return content.decode(encoding_of(content, limits), errors="replace")


def encoding_of(content: bytes, limits: PairLimits = UNLIMITED) -> str:
    """UTF-8; UTF-16 or UTF-32, as spreadsheets write them; GB18030, as they do in China. NotPairs if it is none, or
    twice as large as a text may be: a letter of UTF-16 has two bytes."""
    if len(content) > 2 * limits.text:
        raise too_large(limits.text)
    if content.startswith(PACKED):
        raise NotPairs("packed", "this is a workbook or an archive; save its table as CSV, or unpack it")
    if said := marked(content):
        return said
    if b"\0" in content:
        return _without_mark(content)
    if _decodes(content, "utf-8"):
        return "utf-8"
    if _is_chinese(content):
        return "gb18030"
    raise NotPairs("encoding", "the file is not text in UTF-8, UTF-16 or GB18030")


def too_large(most: int) -> NotPairs:
    return NotPairs("large", f"more than {most / 2**20:g} MB", most=f"{most / 2**20:g}")


def binary() -> NotPairs:
    return NotPairs("binary", "this is no text")


def _without_mark(content: bytes) -> str:
    """UTF-16 without its mark: read in the other order its line ends would be signs that Unicode has not assigned."""
    for encoding in ("utf-16-le", "utf-16-be"):
        if len(content) % 2 == 0 and _decodes(content, encoding):
            text = content.decode(encoding)
            if "\n" in text and not any(unicodedata.category(sign) in ("Cn", "Co") or sign == "\0" for sign in text):
                return encoding
    raise binary()


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_chinese(content: bytes) -> bool:
    """Whether these bytes are Chinese in GB18030, and not another old encoding that happens to be valid in it.

    Common Chinese characters are the first level of GB 2312, leads B0 to D7. Accented Latin letters stand before ASCII,
    which is outside it; kana have rows of their own, A4 and A5; Korean syllables are B0 to C8 and never C9 to D7.
    """
    if not _decodes(content, "gb18030"):
        return False
    beyond = [sign.encode("gb18030") for sign in content.decode("gb18030") if not sign.isascii()]
    two = [code for code in beyond if len(code) == 2 and code[1] >= 0xA1]
    common = [code for code in two if 0xB0 <= code[0] <= 0xD7]
    signs = sum(code[0] in (0xA1, 0xA3) for code in two)
    late = sum(code[0] >= 0xC9 for code in common)
    return bool(common) and len(common) + signs >= CHINESE * len(beyond) and late * 50 > len(common)
