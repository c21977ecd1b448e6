"""Platform's bodies, field by field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from rag.answering import Outcome
from rag.filters import Op
from rag.job import JobStatus
from rag.model import Tier, Visibility
from rag.wire.fields import (
    DocumentTags,
    Flag,
    Metadata,
    Name,
    Number,
    Positive,
    ShortText,
    Text,
    Whole,
    between,
    media_type,
    plain_path,
)

MOST_DOCUMENTS = 1000
MIN_CHUNK, MAX_CHUNK = 8, 8192
MOST_RESULTS = 100
LONGEST_PROMPT = 1_000_000

Names = Annotated[list[Annotated[str, StringConstraints(max_length=256)]], Field(max_length=1000)]


class SourceRequest(BaseModel):
    """A data source to make, and who beside its owner may query it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"name": "Contracts", "visibility": "role", "roles": ["legal"]}
        }
    )

    name: Name
    visibility: Visibility
    roles: Names | None = None
    teams: Names | None = None
    users: Names | None = None


class SourceChanges(BaseModel):
    """What is to be different; what is not named stays."""

    name: Name | None = None
    visibility: Visibility | None = None
    roles: Names | None = None
    teams: Names | None = None
    users: Names | None = None


class SourceResponse(BaseModel):
    """A data source. The default one has no owner and was never made."""

    id: str
    name: str
    visibility: Visibility
    roles: list[str]
    teams: list[str]
    users: list[str]
    owner: str | None
    createdAt: str | None
    documentCount: int


class SourcesResponse(BaseModel):
    """The data sources that the caller may query or change."""

    sources: list[SourceResponse]


class SourceDeletedResponse(BaseModel):
    """Nobody finds its documents any more; they are removed soon."""

    status: Literal["deleted"] = "deleted"
    id: str


class DocumentRequest(BaseModel):
    """A document: its text, or its content in base64 with its media type, or an upload."""

    id: ShortText | None = None
    title: ShortText | None = None
    text: Text | None = None
    content: str | None = None
    mediaType: ShortText | None = None
    uploadId: Annotated[str, StringConstraints(max_length=128)] | None = None
    url: ShortText | None = None
    tags: DocumentTags | None = None
    metadata: Metadata | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> DocumentRequest:
        given = [one for one in (self.text, self.content, self.uploadId) if one is not None]
        if len(given) != 1:
            raise ValueError("must have exactly one of text, content and uploadId")
        if self.content is not None and self.mediaType is None:
            raise ValueError("must have a mediaType beside its content")
        return self


class JobRequest(BaseModel):
    """Documents to ingest in the background, into one data source."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "dataSourceId": "default",
                "documents": [
                    {"id": "expenses", "text": "Hotel rooms are paid up to 140 euros a night."}
                ],
            }
        }
    )

    documents: Annotated[list[DocumentRequest], Field(min_length=1, max_length=MOST_DOCUMENTS)]
    dataSourceId: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    chunkSize: Annotated[Whole, between(MIN_CHUNK, MAX_CHUNK)] | None = Field(
        None, description=f"Tokens, {MIN_CHUNK} to {MAX_CHUNK}; 512 when not given"
    )
    chunkOverlap: Annotated[Whole, between(0, MAX_CHUNK)] | None = Field(
        None, description="Tokens, fewer than chunkSize; 50 when not given"
    )
    embeddingModel: Annotated[str, StringConstraints(max_length=256)] | None = Field(
        None, description="The deployment's model, and no other"
    )


class UploadRequest(BaseModel):
    """A file to upload. With `ingest` false it waits until a document refers to it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "dataSourceId": "default",
                "filename": "handbook.md",
                "mediaType": "text/markdown",
                "size": 48213,
            }
        }
    )

    dataSourceId: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    filename: Annotated[str, AfterValidator(plain_path)]
    mediaType: Annotated[str, StringConstraints(max_length=256), AfterValidator(media_type)]
    size: Positive
    ingest: Flag | None = None


class UploadResponse(BaseModel):
    """POST `fields` and, last, `file` as multipart/form-data to `url`, before it expires."""

    uploadId: str
    url: str
    fields: dict[str, str]
    expiresAt: str
    jobId: str | None = Field(None, exclude_if=lambda job: job is None)


class FailureResponse(BaseModel):
    """Why something was not done."""

    code: str = Field(examples=["PARSE_ERROR"])
    message: str


class WarningResponse(BaseModel):
    """What its sender should know of a document that was indexed all the same."""

    code: str = Field(examples=["FORMAT_MISMATCH"])
    message: str


class ResultResponse(BaseModel):
    """What became of one document: queued, processing, created, updated, unchanged, superseded,
    cancelled or failed."""

    name: str
    status: str
    documentId: str | None
    chunkCount: int
    failure: FailureResponse | None = Field(None, exclude_if=lambda failure: failure is None)
    warnings: list[WarningResponse] = Field([], exclude_if=lambda warnings: not warnings)


class Progress(BaseModel):
    """How many documents there are, and how many of them are finished, well or not."""

    total: int
    finished: int


class JobSummary(BaseModel):
    """An ingestion job. `failure` is there when nothing of it was indexed, or it was cancelled."""

    jobId: str
    status: JobStatus
    dataSourceId: str | None
    name: str
    progress: Progress
    indexed: int
    chunks: int
    failure: FailureResponse | None = Field(None, exclude_if=lambda failure: failure is None)
    createdAt: str
    updatedAt: str


class JobResponse(JobSummary):
    """A job with what became of each of its documents, in their order."""

    vectorIds: list[str] = Field(description="The first 50,000; `chunks` counts all")
    results: list[ResultResponse]


class JobsResponse(BaseModel):
    """A page of jobs, newest first; `next` is the cursor of the following page."""

    jobs: list[JobSummary]
    next: str | None


class FilterRequest(BaseModel):
    """What must hold of a document: of its `source`, `tags`, `title`, `document` (its id),
    `dataSource` or `url`, or of any other field, which is then the sender's metadata."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"field": "year", "op": "gte", "value": 2024}}
    )

    field: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    op: Op
    value: Any = Field(None, description="A list for `in` and `nin`, true or false for `exists`")


class RetrieveRequest(BaseModel):
    """What to look for, and where."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What may a hotel cost?",
                "topK": 5,
                "filters": [{"field": "tags", "op": "in", "value": ["policy"]}],
            }
        }
    )

    query: Text
    dataSources: Names | None = Field(None, description="All that you may query when not given")
    topK: Annotated[Whole, between(1, MOST_RESULTS)] | None = Field(
        None, description=f"1 to {MOST_RESULTS}; 10 when not given"
    )
    filters: list[FilterRequest] | None = None
    rerank: Flag | None = Field(None, description="True when not given")
    rerankModel: Annotated[str, StringConstraints(max_length=256)] | None = Field(
        None, description="The deployment's reranker, or `lexical`"
    )
    explain: Flag | None = Field(None, description="Tell what each stage saw and decided")


class QueryRequest(RetrieveRequest):
    """A question to answer from what is found."""

    strictMode: Flag | None = Field(
        None, description="Refuse what the documents do not answer, and leave out what they lack"
    )
    model: Annotated[str, StringConstraints(max_length=256)] | None = Field(
        None, description="A language model of the configured server"
    )
    temperature: Annotated[Number, between(0, 2)] | None = None
    stream: Flag | None = Field(None, description="Answer with server-sent events")
    maxTokens: Annotated[Whole, between(1, LONGEST_PROMPT)] | None = Field(
        None, description="Tokens that the prompt may have; 4,000 when not given"
    )
    template: Annotated[str, StringConstraints(max_length=100_000)] | None = Field(
        None, description="The prompt, with the slots {context} and {query}"
    )


class FoundDocument(BaseModel):
    """A passage of a document. `metadata` is what its sender gave, with the passage's
    `chunkIndex`, `start` and `end` in its text and, where known, `page` and `section`."""

    id: str
    title: str
    text: str
    dataSourceId: str
    url: str | None
    tags: list[str]
    metadata: dict[str, Any]


class NoticeResponse(BaseModel):
    """What you should know of an answer that was given all the same."""

    code: str = Field(examples=["NO_RESULTS"])
    message: str


Explanation = Annotated[dict[str, Any] | None, Field(exclude_if=lambda told: told is None)]


class RetrieveResponse(BaseModel):
    """What was found, most relevant first."""

    documents: list[FoundDocument]
    scores: list[float]
    totalFound: int
    dataSources: list[str]
    warnings: list[NoticeResponse]
    explain: Explanation = None


class CitationResponse(BaseModel):
    """The words of a source: `quote` is its text from `start` to `end`, and supports the answer's
    from `answerStart` to `answerEnd`."""

    n: int
    documentId: str
    title: str
    url: str | None
    dataSourceId: str
    page: int | None = Field(None, exclude_if=lambda page: page is None)
    section: str | None = Field(None, exclude_if=lambda section: section is None)
    start: int
    end: int
    quote: str
    answerStart: int
    answerEnd: int


class GroundingResponse(BaseModel):
    """Whether what was found can support an answer, and what is missing."""

    isGroundable: bool
    groundingScore: float
    outcome: Outcome
    relevantDocs: list[FoundDocument]
    gaps: list[str]


class TokensResponse(BaseModel):
    """The prompt as it was assembled, and what the language model counted."""

    context: int
    prompt: int
    completion: int


class QueryMetadata(BaseModel):
    """Who answered, and what it took."""

    model: str
    tokens: TokensResponse
    milliseconds: dict[str, float]


class QueryResponse(BaseModel):
    """An answer with the words that support it, and what it was made from."""

    answer: str
    citationsUsed: list[CitationResponse]
    confidence: float
    grounding: GroundingResponse
    documents: list[FoundDocument]
    scores: list[float]
    totalFound: int
    dataSources: list[str]
    warnings: list[NoticeResponse]
    metadata: QueryMetadata
    explain: Explanation = None


class UsageDay(BaseModel):
    """What the org did on one day of UTC."""

    date: str = Field(examples=["2026-11-18"])
    questions: int = Field(
        description="To be answered from documents, those of the sites' visitors among them"
    )
    abstained: int = Field(description="Of the questions, those that the documents did not answer")
    searches: int = Field(description="For passages, without an answer")
    ingested: int = Field(description="Documents that were created or updated")
    failed: int = Field(description="Documents that were refused, or given up")
    tokens: int = Field(
        description="Of vendors' models: prompts, completions and embeddings together"
    )


class UsageStorage(BaseModel):
    """What the org has stored, in all of its data sources."""

    usedBytes: int = Field(description="Of text")
    quotaBytes: int
    documents: int


class UsageLimits(BaseModel):
    """What this deployment takes at most."""

    perMinute: dict[Tier, int | None] = Field(
        description="How often a visitor of a tier may ask; `null`: as often as it likes",
        examples=[{"anonymous": 10, "lightweight": 30, "full": 100, "premium": None}],
    )
    largestFileBytes: int = Field(description="Of a file that is uploaded")
    longestUploadTokens: int = Field(description="Of a file's text, or of a document of a job")
    longestTextTokens: int = Field(description="Of a document that is ingested at once")


class UsageResponse(BaseModel):
    """Numbers of the whole org, the same for all of its members."""

    days: list[UsageDay] = Field(description="Each day up to today, oldest first")
    storage: UsageStorage
    limits: UsageLimits
