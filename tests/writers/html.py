"""A story as a web page, with all that pages have around their content."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table


def write(story: Story) -> bytes:
    """The page."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(story.title)}</title>
<meta name="author" content="{escape(story.author)}">
<meta name="date" content="{story.created}">
<style>p {{ margin: 0 }}</style>
<script>window.menu = "<p>Open the menu</p>";</script>
</head>
<body>
<header><a href="/">Salamander society</a></header>
<nav><ul><li><a href="/shop">Shop</a></li><li><a href="/forum">Forum</a></li></ul></nav>
<div class="cookie-banner"><p>We use cookies.</p><button>Accept</button></div>
<main>
{content(story)}
</main>
<footer>All rights reserved</footer>
</body>
</html>
""".encode()


def content(story: Story) -> str:
    """What is said on it. It is XML, too."""
    return "\n".join(map(_element, story.elements))


def _element(element: Element) -> str:
    match element:
        case Heading(level, text):
            return f'<h{level} id="x">{escape(text)}<a href="#x">¶</a></h{level}>'
        case Paragraph(text):
            first, _, rest = escape(text).partition(" ")
            return f"<p><b>{first}</b> {rest.replace(' ', chr(10), 3)}</p>"
        case Items(texts):
            return f"<ul>{''.join(f'<li><p>{escape(text)}</p></li>' for text in texts)}</ul>"
        case Quote(text):
            return f"<blockquote><p>{escape(text)}</p></blockquote>"
        case Code(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case Table(header, rows):
            body = "".join(_row("td", row) for row in rows)
            return f"<table><thead>{_row('th', header)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in texts)}</tr>"
