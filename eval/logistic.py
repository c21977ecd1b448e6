"""Logistic regression by Newton's method, small enough to read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

STEPS = 50
# Keeps a step finite where the labels can be told apart without an error.
DAMPING = 1e-9
FARTHEST = 40.0


def fit(inputs: Numbers, wanted: Numbers, mass: Numbers) -> Numbers:
    """The weights, the first of them for a column of ones, that make the labels most likely."""
    rows = np.column_stack([np.ones(len(inputs)), inputs])
    solution = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-np.clip(rows @ solution, -FARTHEST, FARTHEST)))
        bend = (rows * (mass * share * (1 - share))[:, None]).T @ rows
        damped = bend + DAMPING * np.eye(len(solution))
        solution += np.linalg.solve(damped, rows.T @ (mass * (wanted - share)))
    return solution
