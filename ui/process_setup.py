"""What the server asks of its own process before the first page: all the open files it may have, answers that go out at
once, and a readable log.

A reader's session holds three descriptors and a socket, for two minutes after the reader has gone as well. Many systems
begin with 1,024 and let a process have more if it asks.
"""

import logging
import os
import socket
import stat
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache

from ui import log

ENOUGH = 10_240  # the most that macOS gives, where it says that there is no limit
NOISY = (  # those who log what befell a page, a connection or the socket that takes them
    __name__,
    "ui.session",
    "asyncio",
    "uvicorn.error",
    "streamlit.error_util",
    "streamlit.runtime.app_session",
    "streamlit.runtime.scriptrunner.script_runner",
    "streamlit.web.server.starlette.starlette_websocket",
)
QUIET = 60.0  # seconds between two lines on the same trouble
TOLD_APART = 256  # troubles at a time

_log = logging.getLogger(__name__)


@cache
def prepare() -> None:
    """To be called by whatever is imported first."""
    raise_open_files()
    send_at_once()
    once = Once(shorten=_count if log.json_is_wanted() else _shorten)
    if log.json_is_wanted():
        log.write_json()
    for name in NOISY:
        logging.getLogger(name).addFilter(once)
    if sys.unraisablehook is sys.__unraisablehook__:  # Python would print these itself, each with its traceback
        sys.unraisablehook = _unraisable
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _of_a_thread


def raise_open_files() -> None:
    """Raise the soft limit of open files to the hard one. Windows has neither."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (hard, ENOUGH):
        if soft in (hard, resource.RLIM_INFINITY) or resource.RLIM_INFINITY != wanted <= soft:
            return
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return
        except (OSError, ValueError):  # no more than that is to be had, and with it the app still runs
            continue


def send_at_once() -> None:
    """Let connections send what is small without waiting, and those that an open port takes from now on.

    asyncio asks that of a socket that names its protocol; Streamlit's port names none (1.67, `_bind_socket`). So the
    second message of every answer waited until the browser's system had confirmed the first, for 40 ms and more.
    """
    with suppress(OSError):  # Windows has no such folder
        for name in os.listdir("/dev/fd"):
            with suppress(OSError):  # closed meanwhile, or no such connection
                if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                    with socket.socket(fileno=os.dup(int(name))) as same:
                        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _unraisable(trouble: "sys.UnraisableHookArgs") -> None:
    """What nobody could catch: an object failed as it was taken away."""
    if trouble.exc_value is not None:
        told = trouble.exc_type, trouble.exc_value, trouble.exc_traceback
        _log.error("%s: %r", trouble.err_msg or "Exception ignored in", trouble.object, exc_info=told)


def _of_a_thread(trouble: threading.ExceptHookArgs) -> None:
    """What ended a thread."""
    if trouble.exc_value is not None and not isinstance(trouble.exc_value, SystemExit):
        told = trouble.exc_type, trouble.exc_value, trouble.exc_traceback
        _log.error("Exception in thread %s", trouble.thread.name if trouble.thread else "?", exc_info=told)


class Once(logging.Filter):
    """Lets every trouble through in full when it first comes, and then as a line with how often it has come.

    Such a line stands at the 10th, 100th, 1,000th … time, and when `QUIET` seconds have passed since the last one.
    Where open files have run out, a loop that waits for one would else log a traceback 2,000 times a second.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        shorten: Callable[[logging.LogRecord, int], None] | None = None,
    ) -> None:
        super().__init__()
        self._clock = clock
        self._shorten = shorten or _shorten
        self._seen: OrderedDict[Hashable, tuple[int, float]] = OrderedDict()  # how often, and when it was last told

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        trouble, now = _trouble(record), self._clock()
        count, told = self._seen.pop(trouble, (0, now))
        count += 1
        tell = count == 1 or str(count).strip("0") == "1" or now - told >= QUIET
        self._seen[trouble] = count, now if tell else told
        if len(self._seen) > TOLD_APART:
            self._seen.popitem(last=False)
        if tell and count > 1:
            self._shorten(record, count)
        return tell


def _trouble(record: logging.LogRecord) -> Hashable:
    """What makes two records tell of the same: who logs it, where, and which error came from where."""
    error = record.exc_info[1] if record.exc_info else None
    raised = error.__traceback__ if error else None
    while raised and raised.tb_next:
        raised = raised.tb_next
    place = raised and (raised.tb_frame.f_code.co_filename, raised.tb_lineno)
    return record.name, record.pathname, record.lineno, type(error), place


def _shorten(record: logging.LogRecord, count: int) -> None:
    error = record.exc_info[1] if record.exc_info else None
    line = record.getMessage().partition("\n")[0]
    record.msg = f"{line}: {error!r:.200}" if error else line
    record.msg += f" (the same for the {count:,}th time; the first stands above in full)"
    record.args, record.exc_info, record.exc_text = None, None, None


def _count(record: logging.LogRecord, count: int) -> None:
    """As a line of JSON, which names the error apart from the message."""
    record.times = count
