"""The routes of what people look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException

from rag.wire.doors import SCRIPT
from rag.wire.site.files import ASKED_ABOUT, FOR_AN_HOUR, File, file, read, sent
from rag.wire.site.guide import Page, pages
from rag.wire.site.modules import joined
from rag.wire.site.pages import Layout, content_policy, with_widget_api

MAIN = "main.js"


class WebSite:
    """Pages and files below one folder: `widget/`, and the documentation that they show.

    `about` tells what the service runs on; `uploads` where its pages may send files beside the
    API itself. Nothing is read before it is asked for."""

    def __init__(
        self,
        folder: Path,
        about: Callable[[], Mapping[str, str]],
        uploads: Callable[[], tuple[str, ...]],
    ) -> None:
        self._folder = folder
        self._about = about
        self._uploads = uploads
        self.router = self._routes()

    def _routes(self) -> APIRouter:
        router = APIRouter(tags=["Service"])
        router.add_api_route("/health", self.health)
        hidden: tuple[tuple[str, Callable[..., Any]], ...] = (
            ("/", self.home),
            ("/guide/{page}", self.read_page),
            ("/site/{file}", self.site_file),
            ("/console", self.console),
            ("/console/{file}", self.console_file),
            ("/docs", self.api_docs),
            ("/docs/{file}", self.api_docs_file),
            ("/openapi.json", self.api_document),
        )
        for path, route in hidden:
            router.add_api_route(path, route, include_in_schema=False)
        # What stands between us and many browsers may ask whether it is still the same.
        methods = ["GET", "HEAD"]
        router.add_api_route(SCRIPT, self.widget, methods=methods, include_in_schema=False)
        return router

    async def health(self) -> dict[str, Any]:
        """Tell whether the service is up, and what it runs on."""
        from rag.wire.contracts import VERSION

        return {"status": "ok", "version": VERSION, **self._about()}

    async def home(self, request: Request) -> Response:
        """Where people land who follow the address that the server prints."""
        return self._shown(request, self._layout.home(_root(request, 0), _widget_api(request)))

    async def read_page(self, page: str, request: Request) -> Response:
        """A page of the documentation."""
        known = {one.name: one for one in self.guide}
        if page not in known:
            raise _nothing()
        html = self._layout.page(known[page], _root(request, 1), _widget_api(request))
        return self._shown(request, html)

    async def console(self, request: Request) -> Response:
        """Where owners look after their documents."""
        api = _widget_api(request)
        page = self._console["index.html"].content.decode()
        return self._shown(request, with_widget_api(page, api), *self._uploads())

    async def site_file(self, file: str, request: Request) -> Response:
        """What the documentation's pages are made of."""
        return _one_of(self._site, file, request)

    async def console_file(self, file: str, request: Request) -> Response:
        """What the console is made of."""
        return _one_of(self._console, file, request)

    async def api_docs_file(self, file: str, request: Request) -> Response:
        """What the API's documentation is made of."""
        return _one_of(self._swagger, file, request)

    async def widget(self, request: Request) -> Response:
        """The script that puts a chat on a page."""
        return sent(self._widget, request, FOR_AN_HOUR)

    async def api_docs(self) -> Response:
        """The API's documentation, to read and to try."""
        page = get_swagger_ui_html(
            openapi_url="openapi.json",
            title="Footnote",
            swagger_js_url="docs/swagger-ui-bundle.js",
            swagger_css_url="docs/swagger-ui.css",
            swagger_favicon_url="site/icon.svg",
            swagger_ui_parameters={"tryItOutEnabled": True, "defaultModelsExpandDepth": -1},
        )
        # Its one script is inline; but in nobody's frame.
        page.headers.update(
            {
                "Content-Security-Policy": "frame-ancestors 'none'",
                "X-Content-Type-Options": "nosniff",
            }
        )
        return page

    async def api_document(self) -> dict[str, Any]:
        """All of the API, as OpenAPI has it."""
        return self._document

    @cached_property
    def guide(self) -> tuple[Page, ...]:
        """The documentation."""
        return pages(self._folder)

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self._folder / "widget" / "site", self.guide)

    @cached_property
    def _site(self) -> Mapping[str, File]:
        return read(self._folder / "widget" / "site")

    @cached_property
    def _console(self) -> Mapping[str, File]:
        found = read(self._folder / "widget" / "console")
        scripts = {name: one for name, one in found.items() if name.endswith(".js")}
        modules = {name[:-3]: one.content.decode() for name, one in scripts.items()}
        whole = file(joined(modules, "main").encode(), ".js")
        return {**{name: one for name, one in found.items() if name not in scripts}, MAIN: whole}

    @cached_property
    def _swagger(self) -> Mapping[str, File]:
        # A laptop may have no network, and a page of ours no business with others' servers.
        with as_file(files("fastapi_swagger") / "resources") as folder:
            return read(folder)

    @cached_property
    def _widget(self) -> File:
        return file((self._folder / "widget" / "widget.js").read_bytes(), ".js")

    @cached_property
    def _document(self) -> dict[str, Any]:
        from rag.wire.contracts import document  # which imports every contract

        return document(self.router)

    def _shown(self, request: Request, html: str, *uploads: str) -> Response:
        policy = content_policy(_widget_api(request), uploads)
        return sent(
            file(html.encode(), ".html"),
            request,
            ASKED_ABOUT,
            Content_Security_Policy=policy,
            Referrer_Policy="strict-origin-when-cross-origin",
        )


def _one_of(files: Mapping[str, File], name: str, request: Request) -> Response:
    # A page is not one of its own parts.
    if name not in files or name.endswith(".html"):
        raise _nothing()
    return sent(files[name], request, ASKED_ABOUT)


def _nothing() -> HTTPException:
    return HTTPException(404)


def _root(request: Request, depth: int) -> str:
    """The way from a page to the site's root, which a gateway may have put below a path of its
    own, and answer without its last slash."""
    return "../" * depth or getattr(request.state, "below", "")


def _widget_api(request: Request) -> str:
    """Where the widget's API is, if not where this page is from."""
    return getattr(request.state, "widget_api", "")
