"""Every key of every store: the whole design of the tables on one page.

pk                 sk                what
ORGS               ORG#o             orgs that have ever had a document
ORG#o              DOC#d             head of a document
ORG#o              SRC#s             a data source
ORG#o              COUNT#s           how many documents a data source has
DELETED            SRC#o#s           a deleted data source whose documents are to be removed
ORG#o              EPOCH             counts up at every change of the corpus, and at those of its
                                     sources; its bytes of text
DOC#o#d#V#v        CH#00012          chunk of one version of a document
ORG#o              OBJ#sha256        an uploaded object: its latest claim
NOTICED            FILE#sha256       a file of the watched folder, as it was last told of
ORG#o              JOB#j             a job: its state, and counts of its documents
JOB#o#j            ITEM#00012        one document of a job: what became of it
ORG#o              UPL#u             a file that may be uploaded by a form
LEASES             sha256            what a worker is at
WORK#w             ORG#o             how far an org is with a piece of work over all documents
WORK#w             STATE             since when it is known of, and whether all of it is done
GC#7               due#v             a version to be removed when due, unless it went live
CONV#o#c           HEAD              a conversation: its owner, its latest sources
CONV#o#c           MSG#00000012#…    a message, by its turn's position
KEY#sha256         KEY               an API key, by the hash of its secret
SITE#s             SITE              a site, by its public name
ORG#o              SITE#s            the same, for the list of the org's
FEEDBACK#o         ans_…             an answer that was rated, or that the documents did not hold

Partitions PART#… and PARTS are DynamoDB's adapter's own, for values too large for one item.

In the second table, where everything expires:
CACHE#sha256       CACHE             the ranking that a search returned
SAID#sha256        SAID              an answer that visitors were given
ONCE#sha256        ONCE              what the first request with an idempotency key has made
LIMIT#sha256       LIMIT             when a visitor of some tier has done something: a time per slot
ANSWER#ans_…       ANSWER            an answer that a visitor was given, and may rate
USAGE#o            2026-11-18        what an org has done and used on a day
"""

from __future__ import annotations

import json
from hashlib import sha256
from zlib import crc32

from rag.limits import Visitor
from rag.model import ChunkRef
from rag.ports import Key

GARBAGE_SHARDS = 16
SOURCES = "SRC#"
ORGS = "ORG#"
SITES = "SITE#"
COUNTS = "COUNT#"


def orgs() -> str:
    return "ORGS"


def org_entry(org: str) -> Key:
    return Key(orgs(), f"ORG#{org}")


def org(org: str) -> str:
    return f"ORG#{org}"


def document(org_id: str, document_id: str) -> Key:
    return Key(org(org_id), f"DOC#{document_id}")


def epoch(org_id: str) -> Key:
    return Key(org(org_id), "EPOCH")


def version(org: str, document_id: str, version: str) -> str:
    return f"DOC#{org}#{document_id}#V#{version}"


def chunk(org: str, ref: ChunkRef) -> Key:
    return Key(version(org, ref.document, ref.version), f"CH#{ref.index:05d}")


def source(org_id: str, source_id: str) -> Key:
    return Key(org(org_id), f"{SOURCES}{source_id}")


def document_count(org_id: str, source_id: str) -> Key:
    return Key(org(org_id), f"{COUNTS}{source_id}")


def abandoned_sources() -> str:
    return "DELETED"


def abandoned(org: str, source_id: str) -> Key:
    return Key(abandoned_sources(), f"SRC#{org}#{source_id}")


def upload(org_id: str, key: str) -> Key:
    # An object's key alone may have as many bytes as a key of ours.
    return Key(org(org_id), f"OBJ#{sha256(key.encode()).hexdigest()}")


def noticed_files() -> str:
    return "NOTICED"


def noticed(key: str) -> Key:
    return Key(noticed_files(), f"FILE#{sha256(key.encode()).hexdigest()}")


def job(org_id: str, job_id: str) -> Key:
    return Key(org(org_id), f"JOB#{job_id}")


def job_items(org: str, job_id: str) -> str:
    return f"JOB#{org}#{job_id}"


def job_item(org: str, job_id: str, number: int) -> Key:
    return Key(job_items(org, job_id), f"ITEM#{number:05d}")


def ticket(org_id: str, upload_id: str) -> Key:
    return Key(org(org_id), f"UPL#{upload_id}")


def leases() -> str:
    return "LEASES"


def lease(name: str) -> Key:
    # It may hold an object's key, which alone may have as many bytes as a key of ours.
    return Key(leases(), sha256(name.encode()).hexdigest())


def work(name: str) -> str:
    return f"WORK#{name}"


def work_in(name: str, org: str) -> Key:
    return Key(work(name), f"{ORGS}{org}")


def work_state(name: str) -> Key:
    return Key(work(name), "STATE")


def garbage_shard(shard: int) -> str:
    return f"GC#{shard}"


def garbage(document_id: str, version: str, due: str) -> Key:
    return Key(garbage_shard(crc32(document_id.encode()) % GARBAGE_SHARDS), f"{due}#{version}")


def conversation(org: str, conversation_id: str) -> Key:
    return Key(f"CONV#{org}#{conversation_id}", "HEAD")


def message(org: str, conversation_id: str, message_id: str) -> Key:
    return Key(f"CONV#{org}#{conversation_id}", f"MSG#{message_id}")


def api_key(digest: str) -> Key:
    return Key(f"KEY#{digest}", "KEY")


def site(site_id: str) -> Key:
    return Key(f"{SITES}{site_id}", "SITE")


def site_entry(org_id: str, site_id: str) -> Key:
    return Key(org(org_id), f"{SITES}{site_id}")


def feedback_on(org: str) -> str:
    return f"FEEDBACK#{org}"


def feedback(org: str, answer_id: str) -> Key:
    return Key(feedback_on(org), answer_id)


def answer(answer_id: str) -> Key:
    return Key(f"ANSWER#{answer_id}", "ANSWER")


def usages(org: str) -> str:
    return f"USAGE#{org}"


def usage(org: str, date: str) -> Key:
    return Key(usages(org), date)


def repeat(org: str, sender: str, key: str) -> Key:
    name = json.dumps([org, sender, key])
    return Key(f"ONCE#{sha256(name.encode()).hexdigest()}", "ONCE")


def cached(digest: str) -> Key:
    return Key(f"CACHE#{digest}", "CACHE")


def limit(what: str, visitor: Visitor) -> Key:
    # Another tier has other slots.
    name = json.dumps([what, visitor.kind, visitor.name, visitor.tier])
    return Key(f"LIMIT#{sha256(name.encode()).hexdigest()}", "LIMIT")


def said(digest: str) -> Key:
    return Key(f"SAID#{digest}", "SAID")
