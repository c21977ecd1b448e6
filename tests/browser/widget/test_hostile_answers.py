"""Answers are shown as safe Markdown, whatever is in them."""

from __future__ import annotations

import threading

from playwright.sync_api import expect

from tests.browser.widget.chat import SHADOW, Chat
from tests.browser.widget.conftest import Visit
from tests.browser.widget.scripted import Reply, ScriptedApi, answer, event, streamed, whole

HOSTILE = """<script>window.ran = 1</script><img src=x onerror="window.ran = 2">
<svg onload="window.ran = 3"></svg><iframe srcdoc="<script>parent.ran = 4</script>"></iframe>
<a href="javascript:window.ran = 5">here</a> <style>* { display: none }</style>

[one](javascript:window.ran=6) [two](data:text/html,<script>window.ran=7</script>)
[three](  JaVaScRiPt:window.ran=8) [four](vbscript:x) [five](java&#115;cript:x) [six](file:///etc)
![seven](x"onerror="window.ran=9) ![eight](javascript:x) <javascript:window.ran=10>
[nine](//evil.example/x) [ten](http://ok.example/x) https://bare.example/x).

```html
<script>window.ran = 11</script>
```
| <img src=x onerror=window.ran=12> | b |
|---|---|
| `<b>` | [x](javascript:window.ran=13) |
"""
ELEMENTS = "script,img,svg:not([viewBox]),iframe,style,object,embed,form,link,base,meta"
MARKDOWN = """# Title
A *soft* and **strong** word, ***both***, `code **here**`, snake_case_name, 2 * 3 * 4, ~~gone~~,
\\*not so\\*, a [link](/docs/a_(b) "title") and a hard\x20\x20
break.

- one
  - inner
    1. deep
- two

  with a paragraph
3. three
4. four

> quoted
> > twice

---

| A | B |
|:--|--:|
| 1 | `2` |

~~~py
if a < b:
    pass
~~~
Last *open **words"""
DRAWN = (
    "<h3>Title</h3><p>A <em>soft</em> and <strong>strong</strong> word, "
    "<strong><em>both</em></strong>, <code>code **here**</code>, snake_case_name, 2 * 3 * 4, "
    "<del>gone</del>,\n*not so*, a <a>link</a> and a hard  <br>break.</p>"
    "<ul><li>one<ul><li>inner<ol><li>deep</li></ol></li></ul></li>"
    "<li>two<p>with a paragraph</p></li></ul><ol><li>three</li><li>four</li></ol>"
    "<blockquote><p>quoted</p><blockquote><p>twice</p></blockquote></blockquote><hr>"
    "<div><table><thead><tr><th>A</th><th>B</th></tr></thead>"
    "<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div>"
    "<pre><code>if a &lt; b:\n    pass</code></pre><p>Last *open **words</p>"
)
BARE = f"""() => {{
  const copy = {SHADOW}.querySelector('.turn:last-child .said').cloneNode(true);
  for (const one of copy.querySelectorAll('*')) {{
    for (const name of one.getAttributeNames()) one.removeAttribute(name);
  }}
  return copy.innerHTML;
}}"""
SIZE = 200_000
HUGE = {
    "brackets": "[",
    "pairs": "[]",
    "links": "[](",
    "links with spaces": "[a](b ",
    "stars": "*",
    "stars and words": "*a **b ",
    "nested stars": "**a ",
    "underscores": "_a",
    "backticks": "`",
    "growing backticks": "`` ` ``` ",
    "pictures": "![",
    "quotes": ">",
    "quoted lines": "> ",
    "lists": "- ",
    "nested lists": "\n" + " " * 38 + "- ",
    "lines": "- a\n",
    "pipes": "|",
    "tables": "|a|\n|-|\n",
    "fences": "```\n",
    "escapes": "\\",
    "addresses": "https://",
    "spaces": " ",
    "a link of spaces": "[a](" + " " * 1000,
    "tags": "<a ",
}


def show(chat: Chat, api: ScriptedApi, text: str) -> None:
    source = {"title": "<b>T</b>", "url": "data:text/html,x", "excerpt": "<img src=x onerror=x>"}
    api.replies.append(streamed(text, source))
    chat.ask()


def test_nothing_runs_and_nothing_is_loaded(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    requests: list[str] = []
    chat.page.on("request", lambda request: requests.append(request.url))
    show(chat, api, HOSTILE)
    assert chat.count(ELEMENTS) == 0
    assert chat.page.evaluate("window.ran") is None
    assert requests == [f"{api.url}/api/v1/chat"]
    links = chat.answer.locator("a").evaluate_all("all => all.map((one) => one.href)")
    assert all(link.startswith(("http://", "https://")) for link in links)
    assert {"http://ok.example/x", "https://bare.example/x"} <= set(links)
    expect(chat.answer).to_contain_text("<script>window.ran = 1</script>")
    handlers = f"""[...{SHADOW}.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())
        .filter((name) => name.startsWith('on'))"""
    assert chat.page.evaluate(handlers) == []
    expect(chat.cards.first).to_contain_text("<b>T</b>")


def test_markdown_is_drawn(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    show(chat, api, MARKDOWN)
    assert chat.page.evaluate(BARE) == DRAWN
    href = chat.answer.locator("a").evaluate("node => node.pathname")
    assert href == "/docs/a_(b)"


def test_what_was_shown_before_stays_while_more_arrives(visit: Visit, api: ScriptedApi) -> None:
    more = threading.Event()
    steps = [event(type="chunk", text="One.\n\nTw"), more, event(type="chunk", text="o.\n\nThree.")]
    api.replies.append(Reply([*steps, threading.Event()], kind="text/event-stream"))
    chat = visit().open()
    chat.type("Anything?")
    expect(chat.answer.locator("p")).to_have_text(["One.", "Tw"])
    chat.answer.locator("p").first.evaluate("node => { window.first = node; }")
    more.set()
    expect(chat.answer.locator("p")).to_have_text(["One.", "Two.", "Three."])
    assert chat.page.evaluate("window.first.isConnected")
    chat.button("Stop").click()


def test_no_text_is_too_much(visit: Visit, api: ScriptedApi) -> None:
    chat = visit().open()
    for piece in HUGE.values():
        text = (piece * (SIZE // len(piece) + 1))[:SIZE]
        api.replies.append(whole(answer(text)))
        chat.ask()
        chat.button("New conversation").click()
