"""The position code straight from the paper's formula, and what a headless page shows of it."""

import json
import math

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.app.answers import right
from tests.series import drawn

ANSWERED = right("positions")
FIGURES = ["code", "products", "rotation", "sum", "order", "beyond", "layouts", "frozen"]


def pe(pos: int, dim: int, d_model: int, base: float = 10000.0) -> float:
    """One cell of the code, straight from the paper's formula."""
    angle = pos / base ** ((dim - dim % 2) / d_model)
    return math.cos(angle) if dim % 2 else math.sin(angle)


def code(length: int, d_model: int, base: float = 10000.0) -> np.ndarray:
    return np.array([[pe(pos, dim, d_model, base) for dim in range(d_model)] for pos in range(length)])


def traces(app: AppTest, at: int) -> dict[str, np.ndarray]:
    """The lines of the `at`-th chart by name, (n,) each; nan is a gap."""
    spec = json.loads(app.get("echarts_chart")[at].proto.spec)
    return {
        line["name"]: np.array([point[1] for point in line["data"]], dtype=float)
        for line in drawn(spec)
        if line["type"] == "line"
    }


def said(app: AppTest) -> str:
    return " ".join(block.value for block in app.markdown)
