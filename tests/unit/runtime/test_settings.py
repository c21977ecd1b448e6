from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag.runtime.settings import Settings, SettingsError

README = Path(__file__).parents[3] / "README.md"


def test_nothing_needs_to_be_set() -> None:
    settings = Settings.from_environment({})
    assert (settings.host, settings.port, settings.auth) == ("127.0.0.1", 3000, "open")


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Settings.from_environment({"PORT": "", "JWT_SECRET": ""}) == Settings.from_environment(
        {}
    )


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"PORT": "eighty"}, "PORT"),
        ({"PORT": "70000"}, "PORT"),
        ({"AUTH": "none"}, "AUTH"),
        ({"HOST": "0.0.0.0"}, "AUTH=required"),
        ({"HOST": "example.com"}, "AUTH=required"),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence_that_names_it(
    variables: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        Settings.from_environment(variables)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_open_serves_on_loopback(host: str) -> None:
    assert Settings.from_environment({"HOST": host}).host == host


def test_required_serves_anywhere() -> None:
    assert Settings.from_environment({"HOST": "0.0.0.0", "AUTH": "required"}).auth == "required"


def test_the_readme_lists_every_variable_with_its_default_and_no_other() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*?) \|$", README.read_text(), re.M)
    expected = [
        (
            name.upper(),
            f"`{field.default}`" if field.default not in (None, "") else "",
            field.description,
        )
        for name, field in Settings.model_fields.items()
    ]
    assert rows == expected
