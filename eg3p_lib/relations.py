"""The relations: the paper's 16, and the 28 of the ExplaGraphs data set."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from workbench_lib.errors import WorkbenchError

RELATION_TEXT: Mapping[str, str] = MappingProxyType(
    {
        "antonym": "antonym of",
        "atlocation": "at location",
        "capableof": "capable of",
        "causes": "causes",
        "createdby": "created by",
        "isa": "is a",
        "desires": "desires",
        "hassubevent": "has subevent",
        "partof": "part of",
        "hascontext": "has context",
        "hasproperty": "has property",
        "madeof": "made of",
        "notcapableof": "not capable of",
        "notdesires": "not desires",
        "receivesaction": "receives action",
        "usedfor": "used for",
    }
)
"""The 16 relations of the paper's corpora (appendix A, Table 5): id to the wording that ExplaGraphs uses."""

RELATIONS: tuple[str, ...] = tuple(RELATION_TEXT)

PAPER_SHARES: Mapping[str, float] = MappingProxyType(
    {
        "antonym": 0.1291,
        "atlocation": 0.1255,
        "capableof": 0.0591,
        "causes": 0.1035,
        "createdby": 0.0016,
        "isa": 0.1970,
        "desires": 0.0131,
        "hassubevent": 0.1332,
        "partof": 0.0467,
        "hascontext": 0.0381,
        "hasproperty": 0.0261,
        "madeof": 0.0038,
        "notcapableof": 0.0008,
        "notdesires": 0.0091,
        "receivesaction": 0.0114,
        "usedfor": 0.1019,
    }
)
"""The share of each relation over all of the paper's corpora (Table 5, column Overall)."""

EXPLAGRAPHS_RELATIONS: frozenset[str] = frozenset(
    {
        *("antonym of", "synonym of", "at location", "not at location", "capable of", "not capable of"),
        *("causes", "not causes", "created by", "not created by", "is a", "is not a", "desires", "not desires"),
        *("has subevent", "not has subevent", "part of", "not part of", "has context", "not has context"),
        *("has property", "not has property", "made of", "not made of", "receives action", "not receives action"),
        *("used for", "not used for"),
    }
)
"""The 28 relations of the ExplaGraphs data set (its relations.txt)."""


class UnknownRelationError(WorkbenchError):
    """A relation that is none of the 16."""


@lru_cache(maxsize=1 << 12)
def relation_key(name: str) -> str:
    """A relation's name or URI without what sources write differently: prefix, case, spaces.

    >>> relation_key("/r/HasA"), relation_key("is a")
    ('hasa', 'isa')
    """
    return name.strip().removeprefix("/r/").replace(" ", "").replace("_", "").lower()


def relation_text(relation: str) -> str:
    """The ExplaGraphs wording of one of the 16 relations.

    Raises:
        UnknownRelationError: it is none of the 16.

    >>> relation_text("usedfor")
    'used for'
    """
    try:
        return RELATION_TEXT[relation]
    except KeyError:
        raise UnknownRelationError(f"unknown relation {relation!r} (known: {', '.join(RELATIONS)})") from None
