"""The bytes of a file as the page that it is: in whatever encoding an editor or a browser has saved it."""

from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message

from transformer_core.encodings import marked

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
    said = marked(content)
    for encoding in (said,) if said else UNMARKED:
        try:
            yield content.decode(encoding)
        except UnicodeDecodeError:
            continue
