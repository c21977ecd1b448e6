"""What a file seems to be, by its name or else its media type."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

# Each kind as people call it.
CALLED = {
    "text": "plain text",
    "markdown": "Markdown",
    "html": "a web page",
    "pdf": "a PDF",
    "docx": "a Word document",
    "pptx": "a PowerPoint presentation",
    "xlsx": "an Excel workbook",
    "odt": "an OpenDocument text",
    "rtf": "rich text (RTF)",
    "epub": "an EPUB book",
    "eml": "an e-mail",
    "feed": "a feed",
    "table": "a table",
    "data": "JSON",
    "notebook": "a Jupyter notebook",
}

_ENDINGS = {
    ending: kind
    for kind, endings in {
        "text": "txt text",
        "markdown": "md markdown mdown mkd",
        "html": "html htm xhtml xht",
        "pdf": "pdf",
        "docx": "docx docm dotx dotm",
        "pptx": "pptx pptm ppsx ppsm potx potm",
        "xlsx": "xlsx xlsm xltx xltm",
        "odt": "odt ott",
        "rtf": "rtf",
        "epub": "epub",
        "eml": "eml",
        "feed": "rss atom",
        "table": "csv tsv tab",
        "data": "json jsonl ndjson geojson jsonld",
        "notebook": "ipynb",
    }.items()
    for ending in endings.split()
}

# Source code is text even where it begins like a web page or a letter.
_CODE = frozenset(
    "asp aspx bash bat c cc cfg cgi cmake cmd conf cpp cs css cxx dart diff ejs erb fish go gradle"
    " graphql h haml handlebars hbs hcl hpp hs ini j2 java jinja jinja2 jl js jsp jspx jsx kt kts"
    " less liquid lua m mjs ml mm mustache njk patch php phtml pl pm properties proto ps1 pug py"
    " pyi r rb rs rst sass scala scss sh sql svelte swift tex tf toml tpl ts tsx twig vb vue xsd"
    " xsl xslt yaml yml zsh".split()
)

_REFUSED = {
    ending: what
    for what, endings in {
        "a picture": "png jpg jpeg gif bmp tif tiff webp heic heif avif ico psd svg eps ps ai",
        "sound": "mp3 wav flac ogg oga opus m4a aac wma aiff mid midi",
        "a film": "mp4 m4v mov avi mkv webm wmv flv mpg mpeg",
        "an archive": "zip 7z rar tar gz tgz bz2 xz zst lz4 jar war iso dmg",
        "a program": "exe dll so dylib class pyc wasm msi apk",
        "a file of an old Office": "doc xls xlt ppt pps xlsb msg pst mdb accdb",
        "an OpenDocument file other than text": "ods odp odg odf odb",
        "a font": "ttf otf woff woff2",
        "a database": "db sqlite sqlite3 parquet feather orc avro",
        "a book in a closed format": "mobi azw azw3 djvu",
    }.items()
    for ending in endings.split()
}

_OFFICE = "application/vnd.openxmlformats-officedocument."
_MEDIA_TYPES = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    _OFFICE + "wordprocessingml.document": "docx",
    _OFFICE + "presentationml.presentation": "pptx",
    _OFFICE + "spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/rtf": "rtf",
    "text/rtf": "rtf",
    "application/epub+zip": "epub",
    "message/rfc822": "eml",
    "application/rss+xml": "feed",
    "application/atom+xml": "feed",
    "text/csv": "table",
    "text/tab-separated-values": "table",
    "application/json": "data",
    "application/x-ndjson": "data",
    "application/jsonl": "data",
    "application/x-ipynb+json": "notebook",
}
_REFUSED_FAMILIES = {
    "image": "a picture",
    "audio": "sound",
    "video": "a film",
    "font": "a font",
}
_REFUSED_TYPES = {
    "application/zip": "an archive",
    "application/gzip": "an archive",
    "application/x-tar": "an archive",
    "application/msword": "a file of an old Office",
    "application/vnd.ms-excel": "a file of an old Office",
    "application/vnd.ms-powerpoint": "a file of an old Office",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument file other than text",
    "application/vnd.oasis.opendocument.presentation": "an OpenDocument file other than text",
}

LONGEST_CALLED = 100
# Line ends and the like, and signs that have what follows read from the right: a name is a part of
# a sentence, and must not make another one of it.
_NOT_SHOWN = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']{1,40})""", re.I)


def claim(name: str, media_type: str) -> str:
    """A kind; or, of what no reader is for, how people call it; or "", where neither tells."""
    ending = _ending(name)
    if ending in _CODE:
        return "text"
    by_name = _ENDINGS.get(ending) or _REFUSED.get(ending)
    return by_name or _by_type(media_type.partition(";")[0].strip().lower())


def is_code(name: str) -> bool:
    """Whether its name is that of source code."""
    return _ending(name) in _CODE


def charset(media_type: str) -> str:
    """What it is written in, as its media type says; "" if it does not."""
    found = _CHARSET.search(media_type)
    return found[1] if found else ""


def called(name: str, media_type: str) -> str:
    """What to call a file when telling its sender about it."""
    if last := _NOT_SHOWN.sub("", PurePosixPath(name).name).strip():
        return last if len(last) <= LONGEST_CALLED else f"{last[: LONGEST_CALLED - 1]}…"
    return f"A document of type {media_type[:100]!r}" if media_type else "A document"


def _ending(name: str) -> str:
    return PurePosixPath(name.strip()).suffix.lower().removeprefix(".")


def _by_type(media_type: str) -> str:
    by_name = _MEDIA_TYPES.get(media_type) or _REFUSED_TYPES.get(media_type)
    if not by_name and media_type.endswith("+json"):
        return "data"
    return by_name or _REFUSED_FAMILIES.get(media_type.partition("/")[0], "")
