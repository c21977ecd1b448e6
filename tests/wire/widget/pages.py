"""A site with documents, and visitors of its pages."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx

from rag.model import Draft
from tests.conftest import Server
from tests.wire.widget.visits import CHAT

SESSION = "550e8400-e29b-41d4-a716-446655440000"
EMBODIED = (
    "# Embodied AI\n\nWhat has a body is called embodied.\n\n## What is embodied AI?\n\n"
    "Embodied AI refers to systems with a physical presence, such as robots. Disembodied AI"
    " operates in virtual environments alone."
)
CHAINS = (
    "# Kinematics\n\n## Chains\n\nA kinematic chain is a series of rigid links that joints"
    " connect. The kinematic chain of a humanoid robot consists of multiple degrees of freedom"
    " (DOF), each representing independent motion capabilities."
)
NEWTS = "Newts sleep under stones in winter. They eat snails at night."
DOCUMENTS = {
    "docs/module-2-embodied/fundamentals.md": ("Chapter 2: Embodied AI", EMBODIED),
    "docs/module-3-humanoid/kinematics.md": ("Chapter 3: Kinematic Chains", CHAINS),
    "docs/newts.md": ("Newts", NEWTS),
}
EMBODIED_QUESTION = "What is the difference between embodied and disembodied AI?"
EXAMPLE_1 = {
    "message": EMBODIED_QUESTION,
    "context": {
        "mode": "browse",
        "page_url": "/docs/module-2-embodied/fundamentals",
        "session_id": SESSION,
    },
    "tier": "anonymous",
}
EXAMPLE_2 = {
    "message": "Explain this in simpler terms",
    "context": {
        "mode": "chat",
        "selected_text": "The kinematic chain of a humanoid robot consists of multiple degrees of"
        " freedom (DOF), each representing independent motion capabilities.",
        "page_url": "/docs/module-3-humanoid/kinematics",
        "session_id": SESSION,
    },
    "tier": "anonymous",
}


class Pages:
    """A site of org `local`, and what is on its pages."""

    def __init__(self, server: Server, documents: bool = True) -> None:
        self.server = server
        body = {"name": "Docs", "visibility": "public"}
        self.source: str = server.http.post("/api/rag/sources", json=body).json()["id"]
        site = {"name": "Docs", "origins": ["https://a.example"], "data_sources": [self.source]}
        answer = server.http.post("/api/v1/sites", json=site)
        assert answer.status_code == 201, answer.text
        self.site: str = answer.json()["id"]
        for path, (title, text) in DOCUMENTS.items() if documents else ():
            self.tell(path, title, text)

    def tell(self, path: str, title: str, text: str, **more: Any) -> str:
        """The id of a document, which is new or another now."""
        draft = Draft("site", path, title, text, data_source=self.source, **more)
        return self.server.footnote.ingestion.ingest("local", draft).document_id

    def send(self, body: Any, accept: str = "*/*") -> httpx.Response:
        """Ask as somebody who may do so as often as they like."""
        visitor = self.server.token("visitor", tier="premium")
        headers = {**visitor, "X-Site": self.site, "Accept": accept}
        return self.server.http.post(CHAT, json=body, headers=headers)

    def ask(self, message: str = EMBODIED_QUESTION, **context: Any) -> dict[str, Any]:
        """The answer to a question."""
        answer = self.send(question(message, **context))
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told


def question(message: str, **context: Any) -> dict[str, Any]:
    """A question of a session of its own."""
    context = {"mode": "browse", "session_id": str(uuid4()), **context}
    return {"message": message, "context": context, "tier": "anonymous"}
