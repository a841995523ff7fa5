"""The log as JSON on request, `GLASSFORMER_LOG=json`: an object a line, with nothing that a reader may have typed."""

import json
import logging
import os
import traceback
from datetime import UTC, datetime
from typing import Any


def json_is_wanted() -> bool:
    return os.environ.get("GLASSFORMER_LOG") == "json"


def write_json() -> None:
    """Whatever this process logs from now on is an object a line, by which handler it may be: Streamlit makes one for
    each of its loggers, and uvicorn has its own."""
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(logging.StreamHandler())
    logging.Handler.format = _format  # type: ignore[assignment, method-assign]


def _format(handler: logging.Handler, record: logging.LogRecord) -> str:
    return as_json(record)


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
