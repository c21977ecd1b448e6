"""What this model's values mean as relevance; `python -m eval.calibrate` makes it anew."""

from __future__ import annotations

from rag.calibration import Calibration, Scale

CALIBRATION = Calibration(
    fused=Scale(slope=6.5, middle=0.62, per_decade=0.056),
    reranked=Scale(slope=4.5, middle=1.40, per_decade=0.07),
    sure_slope=10.0,
    sure_middle=0.75,
    closeness=1.5,
    likely_closeness=(0.37, 0.24),
)
