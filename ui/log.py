"""The log as JSON on request, `GLASSFORMER_LOG=json`: an object a line, with nothing that a reader may have typed."""

import json
import logging
import os
import sys
import traceback
from datetime import UTC, datetime
from typing import Any


def json_is_wanted() -> bool:
    return os.environ.get("GLASSFORMER_LOG") == "json"


def write_json() -> None:
    """Whatever this process writes to its console from now on is an object a line. Handlers that write elsewhere keep
    their own format."""
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(logging.StreamHandler())
    if logging.lastResort is not None:  # for loggers without a handler
        logging.lastResort.setFormatter(Json())
    logging.setLoggerClass(_Logger)
    for known in (logging.root, *logging.root.manager.loggerDict.values()):
        if isinstance(known, logging.Logger):
            known.addFilter(_ConsoleInJson(known))


class Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return as_json(record)


class _Logger(logging.Logger):
    """What a logger is that is made from now on."""

    def __init__(self, name: str, level: int = logging.NOTSET) -> None:
        super().__init__(name, level)
        self.addFilter(_ConsoleInJson(self))


class _ConsoleInJson(logging.Filter):
    """Lets all through, to handlers that write JSON: asked before these are, since Streamlit makes a handler for each
    of its loggers, and makes them anew with its settings, and uvicorn has its own."""

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__()
        self._logger = logger

    def filter(self, record: logging.LogRecord) -> bool:
        asked: logging.Logger | None = self._logger
        while asked is not None:
            for handler in asked.handlers:
                if _to_console(handler) and not isinstance(handler.formatter, Json):
                    handler.setFormatter(Json())
            asked = asked.parent if asked.propagate else None
        return True


def _to_console(handler: logging.Handler) -> bool:
    consoles = sys.stderr, sys.stdout, sys.__stderr__, sys.__stdout__
    return isinstance(handler, logging.StreamHandler) and handler.stream in consoles


def as_json(record: logging.LogRecord) -> str:
    """`times` says how often it has come, where that is more than once."""
    told: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": record.getMessage(),
    }
    if times := vars(record).get("times"):
        told["times"] = times
    if record.exc_info and record.exc_info[1]:
        told["error"] = _error(record.exc_info[1])
    return json.dumps(told, ensure_ascii=False, default=str)


def _error(error: BaseException) -> dict[str, Any]:
    """Its kind and where it came from. Its own words may repeat a reader's, but for those of the system."""
    told: dict[str, Any] = {"type": type(error).__name__}
    if isinstance(error, OSError) and error.errno is not None:
        told["says"] = os.strerror(error.errno)
    frames = traceback.extract_tb(error.__traceback__)
    return told | {"at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]}
