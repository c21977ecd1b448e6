from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import read
from rag.model import Parsed

RSS = """<?xml version="1.0" encoding="{charset}"?>
<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Newts &amp;amp; ponds</title><link>https://example.org</link>
<description>News from Łódź</description><language>pl</language>
<lastBuildDate>Fri, 17 May 2024 10:30:00 +0000</lastBuildDate>
<item><title><![CDATA[Spring &#8211; at last]]></title><media:title>Picture</media:title>
<dc:creator>Ada Brook</dc:creator><pubDate>Thu, 16 May 2024 08:00:00 GMT</pubDate>
<description>Short</description>
<content:encoded><![CDATA[<h2>Ponds</h2><p>They <b>wake</b>.</p><script>x</script>]]>
</content:encoded>
</item>
<item><description>Ice &lt;i&gt;melts&lt;/i&gt;</description></item>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Newts</title>
<subtitle>All of them</subtitle><author><name>Ada Brook</name><email>a@example.org</email></author>
<updated>2024-05-17T10:30:00Z</updated>
<entry><title>Plain</title><updated>2024-05-16T10:30:00Z</updated>
<summary type="text">1 &lt; 2</summary></entry>
<entry><title>Markup</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<p>One &amp; two</p><ul><li>three<br/>four</li></ul>five</div></content></entry></feed>"""


def sections(parsed: Parsed) -> list[tuple[str, ...]]:
    return [mark.section for mark in parsed.marks]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-2", "utf-16"])
def test_entries_of_rss_stand_below_their_titles(charset: str) -> None:
    parsed = read("feed", RSS.format(charset=charset).encode(charset))
    assert parsed.text == (
        "# Newts & ponds\n\nNews from Łódź\n\n## Spring – at last\n\nAda Brook\n\n"
        "Thu, 16 May 2024 08:00:00 GMT\n\n#### Ponds\n\nThey wake.\n\n## Untitled\n\nIce melts"
    )
    assert parsed.title == "Newts & ponds"
    assert sections(parsed)[-2:] == [
        ("Newts & ponds", "Spring – at last", "Ponds"),
        ("Newts & ponds", "Untitled"),
    ]
    assert parsed.properties == {
        "modified": "2024-05-17T10:30:00+00:00",
        "description": "News from Łódź",
        "language": "pl",
    }


def test_entries_of_atom_stand_below_their_titles() -> None:
    parsed = read("feed", ATOM.encode())
    assert parsed.text == (
        "# Newts\n\nAll of them\n\n## Plain\n\n2024-05-16T10:30:00Z\n\n1 < 2\n\n"
        "## Markup\n\nOne & two\n\n- three\n  four\n\nfive"
    )
    assert parsed.properties == {
        "author": "Ada Brook",
        "modified": "2024-05-17T10:30:00Z",
        "description": "All of them",
        "language": "en",
    }


def test_entries_of_old_rss_stand_beside_the_channel() -> None:
    rdf = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel>
        <title>Newts</title></channel><item><title>One</title></item></rdf:RDF>"""
    assert read("feed", rdf.encode()).text == "# Newts\n\n## One"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<svg><title>x</title></svg>", "is XML, but not a feed"),
        (b"<rss><channel>", "XML that is broken"),
        (b'<!DOCTYPE r [<!ENTITY a "b">]><rss>&a;</rss>', "entities"),
    ],
)
def test_what_is_no_feed_says_so(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read("feed", data)


def test_a_declaration_is_only_looked_for_at_the_beginning() -> None:
    """Looked for at each of these places anew, it would take hours."""
    with pytest.raises(Unreadable, match="broken"):
        read("feed", b"<rss>" + b" " * 2_000_000)
