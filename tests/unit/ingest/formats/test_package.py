from __future__ import annotations

import struct
import tracemalloc
import zipfile

import pytest

from rag.errors import Unreadable
from rag.ingest.formats.package import DEEPEST, Package, Relation, tree
from tests.writers.zipped import zipped

TRANSITIONAL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"


def relations(*targets: tuple[str, str, str], extra: str = "") -> str:
    return f"""<Relationships xmlns="x">{
        "".join(
            f'<Relationship Id="{id}" Type="{TRANSITIONAL}/{kind}" Target="{target}" {extra}/>'
            for id, kind, target in targets
        )
    }</Relationships>"""


def encrypted(data: bytes) -> bytes:
    """The same zip, whose parts say that they are encrypted."""
    changed = bytearray(data)
    for signature, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + flags] |= 1
            at = changed.find(signature, at + 1)
    return bytes(changed)


def test_a_part_is_found_however_its_name_is_written() -> None:
    package = Package(zipped({"xl\\Sheets\\a b.xml": "<a/>"}))
    for name in ("xl/Sheets/a b.xml", "/XL/sheets/a%20b.xml"):
        assert name in package
        assert package.read(name) == b"<a/>"
    assert "xl/sheets/b.xml" not in package


def test_names_are_without_their_namespaces() -> None:
    root = tree(b'<w:p xmlns:w="urn:w"><a xmlns="urn:a" w:val="1">text</a>tail</w:p>')
    assert (root.tag, root[0].tag, root[0].get("val"), root[0].text, root[0].tail) == (
        "p", "a", "1", "text", "tail",
    )  # fmt: skip


@pytest.mark.parametrize("namespace", [TRANSITIONAL, STRICT])
def test_a_reference_stands_beside_an_id(namespace: str) -> None:
    root = tree(f'<sldId id="256" q:id="rId2" xmlns:q="{namespace}"/>'.encode())
    assert dict(root.items()) == {"id": "256", "r:id": "rId2"}


def test_elements_come_one_by_one_from_their_depth_on() -> None:
    package = Package(zipped({"a": "<a>no<b><c>1</c>no<c>2<d>3</d></c></b><b><c/></b></a>"}))
    found = list(package.elements("a", 3))
    assert ["".join(one.itertext()) for one in found] == ["1", "23", ""]
    assert {one.tag for one in found} == {"c"}


def test_a_long_part_takes_little_memory() -> None:
    package = Package(zipped({"a": f"<a>{'<b><c>1</c></b>' * 30_000}</a>"}))
    tracemalloc.start()
    assert sum(1 for _ in package.elements("a", 2)) == 30_000
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_markup_that_does_not_end_is_refused() -> None:
    package = Package(
        zipped({"a": f'<a b="{"x" * 11_000_000}"/>', "b": f"<b>{'x' * 11_000_000}</b>"})
    )
    with pytest.raises(Unreadable, match="does not end"):
        package.tree("a")
    assert package.tree("b").tag == "b"


def test_relations_stay_inside_of_the_package() -> None:
    package = Package(
        zipped(
            {
                "word/_rels/document.xml.rels": relations(
                    ("1", "styles", "styles.xml"),
                    ("2", "image", "/media/a.png"),
                    ("3", "image", "../../../../media/a.png"),
                    ("4", "hyperlink", "https://example.com/"),
                    ("5", "notes", "missing.xml"),
                ),
                "word/_rels/other.xml.rels": relations(
                    ("1", "styles", "styles.xml"), extra='TargetMode="External"'
                ),
                "word/styles.xml": "",
                "media/a.png": "",
            }
        )
    )
    assert package.relations("word/document.xml") == {
        "1": Relation("styles", "word/styles.xml"),
        "2": Relation("image", "media/a.png"),
        "3": Relation("image", "media/a.png"),
    }
    assert package.relations("word/other.xml") == {}
    assert package.relations("word/styles.xml") == {}


def test_the_document_is_where_the_package_says() -> None:
    parts = {"_rels/.rels": relations(("1", "officeDocument", "/elsewhere.xml"))}
    assert Package(zipped(parts)).main("usual.xml") == "usual.xml"
    assert Package(zipped({**parts, "elsewhere.xml": ""})).main("usual.xml") == "elsewhere.xml"


def test_properties_have_our_names() -> None:
    core = (
        '<c:coreProperties xmlns:c="c" xmlns:dc="dc" xmlns:t="t"><dc:title>Newts</dc:title>'
        "<dc:creator> Ada </dc:creator><c:revision>7</c:revision><c:keywords/>"
        "<t:created>2024-05-17T08:00:00Z</t:created></c:coreProperties>"
    )
    parts = {"_rels/.rels": relations(("1", "core-properties", "core.xml")), "core.xml": core}
    assert Package(zipped(parts)).properties() == {
        "title": "Newts",
        "author": "Ada",
        "created": "2024-05-17T08:00:00Z",
    }


def test_a_part_that_needs_a_password_says_so() -> None:
    with pytest.raises(Unreadable, match=r"^needs a password to open$"):
        Package(encrypted(zipped({"a": "<a/>"}))).tree("a")


def test_what_unpacks_to_too_much_is_refused_early() -> None:
    package = Package(zipped({"a": f"<a>{' ' * 3_000_000}</a>"}), most_bytes=2_000_000)
    tracemalloc.start()
    with pytest.raises(Unreadable, match="unpacks to more than 2 MB"):
        for _ in package.elements("a", 2):
            pass
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_what_is_read_often_counts_each_time() -> None:
    package = Package(zipped({"a": bytes(800_000)}), most_bytes=2_000_000)
    package.read("a")
    package.read("a")
    with pytest.raises(Unreadable, match="unpacks to more than"):
        package.read("a")


def test_a_small_part_is_not_read_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.ingest.formats.package.MOST_READS", 2)
    package = Package(zipped({"a": "x"}))
    package.read("a")
    package.read("a")
    with pytest.raises(Unreadable, match="the same parts again and again"):
        package.read("a")


def test_a_part_larger_than_it_says_is_damaged() -> None:
    data = bytearray(zipped({"a": bytes(100_000)}))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    with pytest.raises(Unreadable, match="cannot be unpacked"):
        Package(bytes(data)).read("a")


def test_too_many_parts_are_refused() -> None:
    data = zipped({str(number): "" for number in range(30)})
    Package(data, most_parts=30)
    with pytest.raises(Unreadable, match="more than 29 parts"):
        Package(data, most_parts=29)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_take_any_memory_are_refused(packing: int) -> None:
    with pytest.raises(Unreadable, match="packed in a way"):
        Package(zipped({"a": "<a/>"}, packing)).read("a")


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", zipped({"a": "<a/>"})[:-30], b"PK\x05\x06" * 9]
)
def test_a_broken_zip_is_damaged(data: bytes) -> None:
    with pytest.raises(Unreadable, match="is damaged"):
        Package(data)


def test_a_missing_part_is_damage() -> None:
    with pytest.raises(Unreadable, match="is missing"):
        Package(zipped({})).tree("a")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is broken"),
        (b"<a><b></a>", "is broken"),
        (b"<a>&nbsp;</a>", "is broken"),
        (b'<?xml version="1.0" encoding="x-nonsense"?><a/>', "unknown encoding"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a/>', "unknown encoding"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares entities"),
        (b'<!DOCTYPE a [<!ATTLIST a b CDATA "c">]><a/>', "declares entities in XML, or attributes"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "declares entities"),
        (b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://example.com">%b;]><a/>', "declares entities"),
        (b"<a>" * (DEEPEST + 1), "nested too deeply"),
    ],
)  # fmt: skip
def test_xml_that_is_broken_or_hostile_is_unreadable(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        tree(data)


def test_a_doctype_alone_is_fine() -> None:
    assert tree(b'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx" "http://example.com/a.dtd"><ncx/>').tag
