"""What this model's values mean as relevance; `python -m eval.calibrate` makes it anew."""

from __future__ import annotations

from rag.calibration import Calibration, Scale

CALIBRATION = Calibration(
    fused=Scale(slope=8.0, middle=0.65, per_decade=0.04),
    reranked=Scale(slope=5.0, middle=1.45, per_decade=0.06),
    sure_slope=10.0,
    sure_middle=0.75,
    closeness=1.5,
    likely_closeness=(0.30, 0.36),
)
