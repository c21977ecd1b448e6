"""Takes the files of forms that this server has signed, as S3 takes those of a bucket's."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from starlette.requests import ClientDisconnect

from infra.local.form_data import FormData
from rag.adapters.embedded.forms import URL, Admitted, SignedForms
from rag.adapters.embedded.objects import FolderObjects
from rag.errors import FootnoteError, Invalid
from rag.ingest import turns
from rag.ingest.notices import notice
from rag.model import Change
from rag.ports import Queue
from rag.wire.envelope import Problem, plain, problem_of

MEDIA_TYPE = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class FormUploads:
    """The form is the permission: whoever has one needs no credentials."""

    forms: SignedForms
    objects: FolderObjects
    queue: Queue
    folder: Path  # on a disk, where files of any size wait until they are whole

    @property
    def router(self) -> APIRouter:
        """Its one route. No contract has it: where to send a form, the form says."""
        router = APIRouter()
        router.add_api_route(URL, self.take, methods=["POST"], include_in_schema=False)
        return router

    async def take(self, request: Request) -> Response:
        """Keep the form's file, whole or not at all, and have it looked at."""
        content_type = request.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
            message = f"Send the form with Content-Type: {MEDIA_TYPE}."
            return plain(Problem(415, "Unsupported media type", message))
        try:
            # It has no name: however this process ends, nothing of it stays.
            with TemporaryFile(dir=self.folder) as file:
                form = FormData(content_type, self.forms.admit, file)
                async for piece in request.stream():
                    await to_thread.run_sync(form.feed, piece)
                await to_thread.run_sync(self._keep, form.finish(), file)
        except ClientDisconnect:
            return plain(problem_of(Invalid("body", "The connection broke off.")))  # for the log
        except FootnoteError as error:
            return plain(problem_of(error))
        return Response(status_code=204)

    def _keep(self, admitted: Admitted, file: BinaryIO) -> None:
        file.seek(0)
        try:
            self.objects.put_file(admitted.key, file)
        except ValueError as bad:
            raise Invalid("key", "No file can have this key.") from bad
        told = turns.taken(notice(Change(admitted.key, time.time(), "")))
        self.queue.send(told, group=turns.of_key(admitted.key))
