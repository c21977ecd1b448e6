"""The operations of the data plane, from a parsed request to the body of its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from infra.local.pinecone_server import rules
from infra.local.pinecone_server.faults import Faults, Refused
from infra.local.pinecone_server.filters import passes
from infra.local.pinecone_server.namespace import Namespace, Record, Write
from infra.local.pinecone_server.storage import Storage

Body: TypeAlias = dict[str, Any]
Headers: TypeAlias = dict[str, str]
Answer: TypeAlias = tuple[Body, Headers]

DEFAULT = "__default__"
PAGE = 100
READ = {"readUnits": 1}


class Plane:
    """One index of metric dotproduct, exact, with every read after the writes it may see."""

    def __init__(self, dimension: int, faults: Faults, data: Path | None = None) -> None:
        self.dimension = dimension
        self._faults = faults
        self._lock = threading.Lock()
        self._storage = Storage(data)
        self._namespaces: dict[str, Namespace] = {}
        for name, record in self._storage.all():
            self._namespaces.setdefault(name, Namespace()).records[record["id"]] = record

    def close(self) -> None:
        """Let go of the file."""
        self._storage.close()

    def upsert(self, body: Body, *, partial: bool = False) -> Answer:
        """Store records; told to, only the first half of them."""
        records: list[Record] = body.get("vectors") or []
        if not 1 <= len(records) <= rules.MOST_RECORDS:
            raise Refused(400, f"Upsert must have 1 to {rules.MOST_RECORDS} vectors")
        for record in records:
            rules.check_record(record, self.dimension)
        taken = records[: len(records) // 2] if partial else records
        with self._lock:
            headers = self._write(_name(body), Write(self._visible_at(), put=taken))
        return {"upsertedCount": len(taken)}, headers

    def update(self, body: Body) -> Answer:
        """Change a record, or the metadata of all that pass a filter."""
        rules.check_metadata(body.get("setMetadata") or {})
        name = _name(body)
        with self._lock:
            namespace = self._namespaces.get(name, Namespace())
            namespace.settle(time.monotonic())
            if "id" in body:
                found = [record for record in [namespace.latest(body["id"])] if record]
            else:
                filter = body.get("filter") or {}
                found = [
                    record
                    for record in namespace.records.values()
                    if passes(filter, record.get("metadata") or {})
                ]
            changed = [] if body.get("dryRun") else [_changed(record, body) for record in found]
            for record in changed:
                rules.check_record(record, self.dimension)
            headers = self._write(name, Write(self._visible_at(), put=changed)) if changed else {}
        return ({} if "id" in body else {"matchedRecords": len(found)}), headers

    def delete(self, body: Body) -> Answer:
        """Remove by ids, by filter, or everything of a namespace."""
        name = _name(body)
        with self._lock:
            namespace = self._namespaces.get(name)
            if namespace is None:
                raise Refused(404, "Namespace not found")
            ids = body.get("ids") or []
            if filter := body.get("filter"):
                ids = [
                    id
                    for id, record in namespace.records.items()
                    if passes(filter, record.get("metadata") or {})
                ]
            everything = bool(body.get("deleteAll"))
            write = Write(self._visible_at(), remove=ids, remove_all=everything)
            return {}, self._write(name, write)

    def query(self, body: Body) -> Answer:
        """The records with the highest dot product, filtered before ranking."""
        rules.check_top_k(body.get("topK"))
        rules.check_sparse(body.get("sparseVector"))
        dense, sparse = body.get("vector"), body.get("sparseVector")
        with self._lock:
            namespace, headers = self._read(_name(body))
            if "id" in body:
                own = namespace.records.get(body["id"])
                if own is None:
                    return {"matches": [], "namespace": _name(body), "usage": READ}, headers
                dense, sparse = own["values"], own.get("sparseValues")
            else:
                rules.check_dimension(dense, self.dimension)
            if sparse is None and not any(dense or ()):
                raise Refused(400, "Dense vectors must contain at least one non-zero value.")
            search = namespace.search()
            absent_fails = self._faults.absent_fails
            admitted = search.admitted(body.get("filter"), absent_fails=absent_fails)
            scores = search.scores(dense, sparse)[admitted]
            best = np.argsort(-scores, kind="stable")[: body["topK"]]
            matches = [_match(search.records[admitted[at]], float(scores[at]), body) for at in best]
        return {"matches": matches, "namespace": _name(body), "usage": READ}, headers

    def fetch(self, name: str, ids: list[str]) -> Answer:
        """Records by id."""
        with self._lock:
            namespace, headers = self._read(name)
            found = {id: namespace.records[id] for id in ids if id in namespace.records}
        return {"vectors": found, "namespace": name, "usage": READ}, headers

    def list(self, name: str, prefix: str, limit: int, after: str) -> Answer:
        """Ids by prefix, in pages; a page's token is its last id."""
        with self._lock:
            namespace, headers = self._read(name)
            ids = sorted(id for id in namespace.records if id.startswith(prefix) and id > after)
        page = ids[:limit]
        body = {"vectors": [{"id": id} for id in page], "namespace": name, "usage": READ}
        return body | ({"pagination": {"next": page[-1]}} if len(ids) > limit else {}), headers

    def stats(self, body: Body) -> Answer:
        """How much there is in every namespace."""
        if body.get("filter"):
            raise Refused(
                400, "Serverless indexes do not support describing index stats with a filter"
            )
        counts = self._counts()
        return {
            "namespaces": {name: {"vectorCount": count} for name, count in counts.items()},
            "dimension": self.dimension,
            "indexFullness": 0.0,
            "totalVectorCount": sum(counts.values()),
            "metric": "dotproduct",
            "vectorType": "dense",
        }, {}

    def namespaces(self) -> Answer:
        """All namespaces that hold something."""
        counts = self._counts()
        described = [{"name": name, "record_count": count} for name, count in counts.items()]
        return {"namespaces": described, "total_count": len(described)}, {}

    def describe_namespace(self, name: str) -> Answer:
        """One namespace."""
        counts = self._counts()
        if name not in counts:
            raise Refused(404, "Namespace not found")
        return {"name": name, "record_count": counts[name]}, {}

    def delete_namespace(self, name: str) -> Answer:
        """Remove a namespace with all its records."""
        self.delete({"namespace": name, "deleteAll": True})
        with self._lock:
            self._namespaces.pop(name, None)
        return {}, {}

    def everything(self) -> Iterable[Record]:
        """The records of all namespaces: for an answer that forgets whose they are."""
        with self._lock:
            return [record for one in self._namespaces.values() for record in one.records.values()]

    def catch_up(self) -> None:
        """Let reads see every write from now on."""
        with self._lock:
            for namespace in self._namespaces.values():
                namespace.settle(float("inf"))

    def _counts(self) -> dict[str, int]:
        with self._lock:
            for namespace in self._namespaces.values():
                namespace.settle(time.monotonic())
            return {name: len(one.records) for name, one in self._namespaces.items()}

    def _visible_at(self) -> float:
        return time.monotonic() + self._faults.stale

    def _write(self, name: str, write: Write) -> Headers:
        self._storage.keep(name, write)
        number = self._namespaces.setdefault(name, Namespace()).write(write)
        return {"x-pinecone-request-lsn": str(number)}

    def _read(self, name: str) -> tuple[Namespace, Headers]:
        namespace = self._namespaces.get(name, Namespace())
        namespace.settle(time.monotonic())
        return namespace, {"x-pinecone-max-indexed-lsn": str(namespace.visible)}


def _name(body: Mapping[str, Any]) -> str:
    return body.get("namespace") or DEFAULT


def _changed(record: Record, body: Body) -> Record:
    parts: Record = {name: body[name] for name in ("values", "sparseValues") if name in body}
    metadata = {**(record.get("metadata") or {}), **(body.get("setMetadata") or {})}
    return {**record, **parts, "metadata": metadata}


def _match(record: Record, score: float, body: Body) -> Body:
    match: Body = {"id": record["id"], "score": score, "values": []}
    if body.get("includeValues"):
        match["values"] = record["values"]
        if "sparseValues" in record:
            match["sparseValues"] = record["sparseValues"]
    if body.get("includeMetadata"):
        match["metadata"] = record.get("metadata") or {}
    return match
