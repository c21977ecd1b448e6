"""`python -m eval.background VOCABULARY`: the stems that English uses most, most frequent first.

The vocabulary is a list of words in order of frequency, such as BERT's vocab.txt, whose words
begin at line 1,997 with "the". The output is kept beside `rag.query.bm25`.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

from rag.terms import terms

FIRST_WORD = 1996
KEPT = 3000


def main(path: str) -> int:
    """Print one stem per line."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    words = [line for line in lines[FIRST_WORD:] if line and not line.startswith("##")]
    weights: defaultdict[str, float] = defaultdict(float)
    for rank, word in enumerate(words, 1):
        for term in terms(word)[:1]:
            weights[term.text] += 1 - math.exp(-10 / rank)
    print("\n".join(sorted(weights, key=weights.__getitem__, reverse=True)[:KEPT]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
