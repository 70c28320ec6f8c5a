"""Rules for templates that show names: people, countries and their athletes, ships, lists, links, coordinates."""

from __future__ import annotations

import re

from reastap_lib.cell_text import picture
from reastap_lib.wikitext_templates import Call, country, names_of, rule


@rule("sortname", "sortkeyname", "sort name")
def _sortname(call: Call) -> str:
    return f"{call.get(1)} {call.get(2)}".strip()


@rule(
    "flagicon",
    "flag icon",
    "flagdeco",
    "flagicon image",
    "flagiconimage",
    "fbicon",
    "flagiconcgf",
    "flagicon2",
    "ficon",
)
def _flagicon(call: Call) -> str:
    name = re.sub(r"^Flag of (?:the )?|\.(?:svg|png|gif|jpg)$", "", call.get(1))
    return picture(country(name) or name)


@rule(*names_of("country"))
def _team(call: Call) -> str:
    return call.get("name") or country(call.get(1)) or call.get(1)


@rule("flagathlete", "flagiocathlete", "flagipcathlete", "flagcgfathlete", "flagiocmedalist", "flagmedalist")
def _athlete(call: Call) -> str:
    return f"{call.get(1)} ({call.get(2)})" if call.get(2) else call.get(1)


@rule("fbu", "fbwu", "fbu-rt", "bku", "vbu", "hbu")
def _youth_team(call: Call) -> str:
    return f"{country(call.get(2)) or call.get(2)} U{call.get(1)}"


@rule("player", "nat fs player")
def _player(call: Call) -> str:
    return " ".join(filter(None, [call.get(1, "no"), call.get(3, "name")]))


@rule(*names_of("ship"))
def _ship(call: Call) -> str:
    """The prefix, the name, and the hull number unless the third argument asks for less."""
    letters, name, number, form = call.name.strip().upper(), call.get(1), call.get(2), call.get(3)
    shown = name if form in {"6", "5"} else f"{letters} {name}"
    return f"{shown} ({number})" if number and form in {"", "1", "3"} else shown


@rule("ship")
def _any_ship(call: Call) -> str:
    number, form = call.get(3), call.get(4)
    shown = call.get(2) if form in {"6", "5"} else f"{call.get(1)} {call.get(2)}".strip()
    return f"{shown} ({number})" if number and form in {"", "1", "3"} else shown


@rule("sclass", "sclass-", "sclass2", "sclass2-")
def _ship_class(call: Call) -> str:
    return f"{call.get(1)}-class {call.get(2)}".strip()


@rule(
    "unbulleted list",
    "ubl",
    "ublist",
    "ubt",
    "unbullet",
    "hlist",
    "bulleted list",
    "ordered list",
    "br separated entries",
)
def _list(call: Call) -> str:
    return ", ".join(filter(None, call.positional))


@rule("plainlist", "plain list", "flatlist", "flat list", "cslist", "bulletedlist", "startplainlist", "endplainlist")
def _plainlist(call: Call) -> str:
    return f"\n{call.get(1)}\n" if call.get(1) else ""


@rule("comma separated entries", "cse", "csv")
def _commas(call: Call) -> str:
    return ", ".join(filter(None, call.positional))


@rule("nihongo", "nihongo3", "nihongo4", "nihongo krt", "korean name")
def _nihongo(call: Call) -> str:
    inside = ", ".join(filter(None, call.positional[1:3]))
    return f"{call.get(1)} ({inside})" if call.get(1) and inside else call.get(1) or inside


@rule("url", "official website", "official url", "official", "homepage")
def _url(call: Call) -> str:
    return call.get(2, 1)


@rule("sic")
def _sic(call: Call) -> str:
    hidden = call.get("hide") or call.get("nolink")
    return f"{call.get(1)}{call.get(2)}" + ("" if hidden else " [sic]")


@rule("coord", "coor dms", "coor dm", "coor d")
def _coord(call: Call) -> str:
    """57|18|22|N|4|27|32|W as 57°18′22″N 4°27′32″W, decimal degrees alike."""
    parts: list[str] = []
    marks = iter("°′″")
    for text in call.positional:
        if text in {"N", "S", "E", "W"}:
            parts.append(text + ("" if text in {"E", "W"} else " "))
            marks = iter("°′″")
        elif re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            parts.append(text + next(marks, ""))
    shown = "".join(parts).strip()
    return shown if shown[-1:] in {"E", "W"} else ", ".join(call.positional[:2])


@rule("version")
def _version(call: Call) -> str:
    return call.get(2, 1)


@rule(*(f"{full}party name with colo{u}r" for full in ("", "full ") for u in ("", "u")))
def _party(call: Call) -> str:
    """The name without the country that tells parties of one name apart."""
    return call.get("shortname", "name") or re.sub(r"\s*\([^()]*\)$", "", call.get(1))


@rule("ushr", "ushr2")
def _district(call: Call) -> str:
    return f"{call.get(1)} {call.get(2)}".strip()
