"""`Reranker` on Pinecone's inference: a cross-encoder reads the question with each excerpt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag import timing
from rag.adapters.pinecone.connect import RERANK_SECONDS
from rag.answering import Closeness
from rag.errors import RerankFailed
from rag.model import Excerpt, Question
from rag.query import lexical

if TYPE_CHECKING:
    from pinecone.client.inference import Inference

MODEL = "bge-reranker-v2-m3"
MOST_DOCUMENTS = 100


class PineconeReranker:
    """Reranks by the vendor's model. There is no second try: the order stands without it."""

    def __init__(self, inference: Inference, model: str = MODEL) -> None:
        self._inference = inference
        self._model = model

    @property
    def name(self) -> str:
        return self._model

    def rerank(self, question: Question, excerpts: Sequence[Excerpt]) -> list[float]:
        texts = [f"{one.document.title}\n{one.text_in_context}" for one in excerpts]
        parts = [texts[at : at + MOST_DOCUMENTS] for at in range(0, len(texts), MOST_DOCUMENTS)]
        return [value for part in parts for value in self._values(question.text, part)]

    def read(self, question: Question, excerpts: Sequence[Excerpt]) -> list[Closeness]:
        """By their words: the model reads whole excerpts, and a call for sentences takes time."""
        return lexical.read(question, excerpts)

    def _values(self, question: str, texts: list[str]) -> list[float]:
        left = timing.remaining()
        if left is not None and left < RERANK_SECONDS:
            raise RerankFailed("There is too little time left to rerank.")
        try:
            answer = self._inference.rerank(
                self._model,
                question,
                texts,
                return_documents=False,
                parameters={"truncate": "END"},
            )
            values = {one.index: float(one.score) for one in answer.data}
            ranked = [values[position] for position in range(len(texts))]
        except KeyError as left_out:
            raise RerankFailed("Pinecone's reranker left documents out.") from left_out
        except Exception as error:
            raise RerankFailed("Pinecone's reranker failed.") from error
        if not all(-0.01 <= value <= 1.01 for value in ranked):
            raise RerankFailed("Pinecone's reranker answered with values that mean nothing.")
        return ranked
