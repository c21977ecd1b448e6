"""Where a token always begins, whatever stands around: a space or such between two letters, and
what follows a line end. Tokens on either side of a seam are the same without the other side."""

from __future__ import annotations

import re

_LETTER = "A-Za-zÀ-ÖØ-öø-ÿぁ-ゖァ-ヺ一-鿌"
_SEAM = rf"(?:[{_LETTER}](?=[ 、。][{_LETTER}])|\n(?=\S))"
FIRST_SEAM = re.compile(_SEAM)
LAST_SEAM = re.compile(f".*{_SEAM}", re.DOTALL)
SEAM_REACH = 200  # characters in which to look for one
