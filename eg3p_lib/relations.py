"""The relations: the paper's 16, how ConceptNet's merge into them, and the 28 of the ExplaGraphs data set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

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


class Merged(NamedTuple):
    """What a relation of a source becomes: one of the 16, with head and tail swapped where `reverse`."""

    relation: str
    reverse: bool = False


MERGES: Mapping[str, Merged] = MappingProxyType(
    {
        "Antonym": Merged("antonym"),
        "DistinctFrom": Merged("antonym"),
        "AtLocation": Merged("atlocation"),
        "LocatedNear": Merged("atlocation"),
        "CapableOf": Merged("capableof"),
        "Causes": Merged("causes"),
        "CausesDesire": Merged("causes"),
        "MotivatedByGoal": Merged("causes", reverse=True),
        "CreatedBy": Merged("createdby"),
        "IsA": Merged("isa"),
        "InstanceOf": Merged("isa"),
        "DefinedAs": Merged("isa"),
        "Desires": Merged("desires"),
        "HasSubevent": Merged("hassubevent"),
        "HasFirstSubevent": Merged("hassubevent"),
        "HasLastSubevent": Merged("hassubevent"),
        "HasPrerequisite": Merged("hassubevent"),
        "Entails": Merged("hassubevent"),
        "MannerOf": Merged("hassubevent"),
        "PartOf": Merged("partof"),
        "HasA": Merged("partof", reverse=True),
        "HasContext": Merged("hascontext"),
        "HasProperty": Merged("hasproperty"),
        "MadeOf": Merged("madeof"),
        "NotCapableOf": Merged("notcapableof"),
        "NotDesires": Merged("notdesires"),
        "ReceivesAction": Merged("receivesaction"),
        "UsedFor": Merged("usedfor"),
    }
)
"""ConceptNet's relations that are kept, after section 4.1: RelatedTo, SimilarTo, Synonym and the rest are not."""


def relation_index(merges: Mapping[str, Merged] = MERGES) -> dict[str, Merged]:
    """What each `relation_key` becomes: the names of the merge table, and the 16 ids and their wordings as they are.

    >>> relation_index()[relation_key("/r/HasA")]
    Merged(relation='partof', reverse=True)
    >>> relation_index()[relation_key("is a")], relation_key("/r/RelatedTo") in relation_index()
    (Merged(relation='isa', reverse=False), False)
    """
    own = {key: Merged(r) for r, text in RELATION_TEXT.items() for key in (r, relation_key(text))}
    return own | {relation_key(name): merged for name, merged in merges.items()}


def relation_key(name: str) -> str:
    """A relation's name or URI without what sources write differently: prefix, case, spaces."""
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
