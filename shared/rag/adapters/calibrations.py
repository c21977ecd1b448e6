"""What the values of each embedding model mean as relevance; `python -m eval.calibrate` makes them.

They stand apart from the models: the same model runs embedded or behind a server's API.
"""

from __future__ import annotations

from dataclasses import replace

from rag.calibration import Calibration, Scale

MINILM = Calibration(
    fused=Scale(slope=6.5, middle=0.62, per_decade=0.056),
    reranked=Scale(slope=4.5, middle=1.38, per_decade=0.07),
    sure_slope=10.0,
    sure_middle=0.75,
    closeness=1.5,
    words=0.5,
    likely_closeness=(0.37, 0.24),
)

# The same model behind a server's API gives no word states: excerpts are read by their words alone.
MINILM_BY_WORDS = replace(
    MINILM, reranked=Scale(slope=4.5, middle=1.40, per_decade=0.07), words=1.0
)

# For a model that nobody has calibrated: the middle of one whose cosines are typical, and slopes
# so gentle that a threshold neither admits nor shuts out everything if that middle is off.
NEUTRAL = Calibration(
    fused=Scale(slope=4.0, middle=0.62, per_decade=0.056),
    reranked=Scale(slope=3.0, middle=1.40, per_decade=0.07),
    sure_slope=5.0,
    sure_middle=0.75,
    closeness=1.5,
    words=1.0,
    likely_closeness=(0.37, 0.24),
)
