"""Modules as one script. That the console runs as one, its tests in the browser show."""

from __future__ import annotations

import re

import httpx
import pytest

from infra.local.serve import SITE
from rag.wire.site.modules import joined

POND = "import { snail as food,\n  newt } from './pond.js';\nexport const MAIN = [newt, food];\n"
MODULES = {
    "main": POND,
    "pond": "import { slime } from './slime.js';\nexport function newt() {}\n"
    "export const snail = slime;\nconst own = 1;\n",
    "slime": "const own = 2;\nexport async function* slime() { yield own; }\nexport class Eel {}\n",
    "unused": "export const unused = 1;\n",
}


def test_what_is_needed_comes_first_and_what_is_not_is_left_out() -> None:
    made = joined(MODULES, "main")
    assert re.findall(r"^const (\$\w+) =", made, re.MULTILINE) == ["$slime", "$pond", "$main"]


def test_each_has_its_own_scope_and_tells_what_it_exports() -> None:
    made = joined(MODULES, "main")
    assert "const { snail: food,\n  newt } = $pond;" in made
    assert "return { slime, Eel };" in made
    assert "return { newt, snail };" in made
    assert not re.search(r"^(?:import|export)\b", made, re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    [
        "import './pond.js';",
        "import pond from './pond.js';",
        "import { x } from 'https://a.example/x.js';",
        "export default 1;",
        "export { x };",
        "export let x = 1;",
        "import { main } from './main.js';",
    ],
)
def test_what_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"join|cycle"):
        joined({**MODULES, "main": text}, "main")


def test_the_console_is_sent_as_one_script(http: httpx.Client) -> None:
    page = http.get("/console").text
    assert re.findall(r'src="([^"]+)"', page) == ["console/main.js"]
    script = http.get("/console/main.js").text
    for path in (SITE / "widget" / "console").glob("*.js"):
        assert f"const ${path.stem} = " in script
        assert path.name == "main.js" or http.get(f"/console/{path.name}").status_code == 404
