"""A table of vectors seen in its widest directions: principal components, the same for all records of a run."""

from typing import NamedTuple

import numpy as np


class TableProjection(NamedTuple):
    """Along `axes` from `mean`: those in which the vectors of one table differ most."""

    mean: np.ndarray  # (d,)
    axes: np.ndarray  # (n, d), at right angles, the widest first

    def of(self, tables: np.ndarray) -> np.ndarray:
        """Coordinates (…, vectors, n) of tables (…, vectors, d)."""
        return (np.asarray(tables, np.float64) - self.mean) @ self.axes.T

    def share(self, table: np.ndarray) -> float:
        """Of the squared distances of the vectors (vectors, d) from their mean, the part that is along the axes."""
        apart = np.asarray(table, np.float64) - np.mean(table, axis=0, dtype=np.float64)
        whole = float((apart**2).sum())
        return float(((apart @ self.axes.T) ** 2).sum()) / whole if whole else 1.0


def principal(table: np.ndarray, count: int) -> TableProjection:
    """The first `count` principal components of vectors (vectors, d); zeros where they span fewer. Either way along an
    axis is as good: the number that is largest in size is positive."""
    exact = np.asarray(table, np.float64)
    mean = exact.mean(axis=0)
    _, widths, found = np.linalg.svd(exact - mean, full_matrices=False)
    axes = np.zeros((count, exact.shape[1]))
    for at, (width, axis) in enumerate(zip(widths[:count], found)):
        axes[at] = axis * np.sign(axis[np.abs(axis).argmax()]) * (width > 0)
    return TableProjection(mean, axes)
