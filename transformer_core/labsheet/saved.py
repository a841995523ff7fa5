"""The bytes of a file as the page that it is: in whatever encoding an editor or a browser has saved it."""

import codecs
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message

MARKS = (  # that stand before a text; the longer first, for one begins like another
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
UNMARKED = ("utf-8", "utf-16-le", "utf-16-be", "gb18030", "cp1252")
PDF = b"%PDF-"
HEADERS = 8192  # bytes of a file among which MHTML says that it is that


def pages_of(content: bytes) -> Iterator[str]:
    """The texts that a file may be, the likeliest first: MHTML is its first page."""
    if is_mhtml(content):
        for part in message_from_bytes(content).walk():
            if part.get_content_type() == "text/html":
                yield from _texts(_payload(part))
                return
    yield from _texts(content)


def is_mhtml(content: bytes) -> bool:
    """Whether it is a page with all that belongs to it in one file, as browsers save one: they leave out its data."""
    head = content[:HEADERS].lower()
    return b"mime-version:" in head and b"content-type: multipart/related" in head


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _texts(content: bytes) -> Iterator[str]:
    marked = next((encoding for mark, encoding in MARKS if content.startswith(mark)), "")
    for encoding in (marked,) if marked else UNMARKED:
        try:
            yield content.decode(encoding)
        except UnicodeDecodeError:
            continue
