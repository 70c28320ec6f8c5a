"""Which triples are kept: each line becomes a record, or the name of the reason why it does not."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from eg3p_lib.graphs import is_writable
from eg3p_lib.merges import MERGES, Merged, relation_index
from eg3p_lib.readers import Details, Fields, Layout
from eg3p_lib.relations import RELATIONS, relation_key, relation_text
from eg3p_lib.store import KnowledgeError

_URL = ("http://", "https://")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)?")


class Term(NamedTuple):
    """A concept: language (empty where the source does not say), text, and sense such as `n/wn/animal`."""

    language: str
    text: str
    sense: str


class Record(NamedTuple):
    """A line that is kept."""

    head: str
    relation: str
    tail: str
    weight: float
    dataset: str
    head_sense: str
    tail_sense: str


@dataclass(frozen=True)
class Rules:
    """What is kept.

    Args:
        language: Both ends must be in it; terms of lists that name no language are taken to be.
        min_weight: The least weight.
        relations: Those of the 16 that are kept.
        merges: What the sources' relations become; see `eg3p_lib.merges`.

    Raises:
        KnowledgeError: the language is no code, the weight no number, or there are no relations.
        UnknownRelationError: a relation, or what one becomes, is none of the 16.
    """

    language: str = "en"
    min_weight: float = 0.0
    relations: Collection[str] = RELATIONS
    merges: Mapping[str, Merged] = field(default_factory=lambda: MERGES)

    def __post_init__(self) -> None:
        if not _LANGUAGE.fullmatch(self.language) or not math.isfinite(self.min_weight):
            raise KnowledgeError(
                f"language={self.language!r} must be a code such as 'en', and min_weight={self.min_weight} a number"
            )
        if not self.relations:
            raise KnowledgeError("no relations are to be kept")
        for relation in (*self.relations, *(merged.relation for merged in self.merges.values())):
            relation_text(relation)

    @cached_property
    def spoken(self) -> tuple[str, str]:
        """The languages that a term may name: the one, or none."""
        return self.language, ""

    @cached_property
    def index(self) -> dict[str, Merged]:
        """What each `relation_key` becomes."""
        return relation_index(self.merges)


def language_of(raw: str) -> str:
    """The language of a ConceptNet URI, or nothing; read before the rest, since most of ConceptNet falls by it.

    >>> language_of("/c/en/dog/n"), language_of("dog")
    ('en', '')
    """
    return raw.split("/", 3)[2] if raw.startswith("/c/") else ""


@lru_cache(maxsize=1 << 16)
def parse_term(raw: str) -> Term:
    """A ConceptNet URI or a plain text as a term: composed (NFC), lower-case, spaces for `_`, the sense beside it.

    >>> parse_term("/c/en/guide_dog/n/wn/animal")
    Term(language='en', text='guide dog', sense='n/wn/animal')
    >>> parse_term(" Guide_dog ").text
    'guide dog'
    """
    language = sense = ""
    if raw.startswith("/c/"):
        _, _, language, raw, *rest = (*raw.split("/", 4), "", "")[:5]
        sense = rest[0].strip("/")
    text = " ".join(raw.replace("_", " ").lower().split())
    return Term(language, text if text.isascii() else unicodedata.normalize("NFC", text), sense)


def judge(text: str, layout: Layout, rules: Rules) -> Record | str:
    """The record that a line gives, or the first reason that holds why it gives none.

    Raises:
        LineError: the line is malformed.
    """
    return judge_fields(layout.split(text), rules, layout.details, layout.only_uris) if text.strip() else "blank"


def judge_fields(
    fields: Fields, rules: Rules, details: Callable[[Fields], Details], only_uris: bool = False
) -> Record | str:
    """As `judge`, for a line that is split."""
    relation, raw_head, raw_tail, _, _, head_sense, tail_sense = fields
    if reason := _reason_of_origin(relation, raw_head, raw_tail, rules, only_uris):
        return reason
    head, tail = parse_term(raw_head), parse_term(raw_tail)
    if not (head.text and tail.text):
        return "empty_term"
    if head.text == tail.text:
        return "self_loop"
    merged = rules.index.get(relation_key(relation))
    if merged is None:
        return "unmapped_relation"
    if merged.relation not in rules.relations:
        return "unwanted_relation"
    weight, dataset = details(fields)
    if reason := _reason_of_weight(weight, fields, rules):
        return reason
    if _separates(head.text) or _separates(tail.text):
        return "separator"
    senses = head_sense or head.sense, tail_sense or tail.sense
    if merged.reverse:
        return Record(tail.text, merged.relation, head.text, weight, dataset, senses[1], senses[0])
    return Record(head.text, merged.relation, tail.text, weight, dataset, *senses)


def _reason_of_origin(relation: str, head: str, tail: str, rules: Rules, only_uris: bool) -> str:
    """What can be said before the terms are parsed, which few lines of ConceptNet need."""
    if "ExternalURL" in relation or head.startswith(_URL) or tail.startswith(_URL):
        return "external_url"
    if only_uris and not (head.startswith("/c/") and tail.startswith("/c/")):
        return "not_conceptnet"
    if language_of(head) not in rules.spoken or language_of(tail) not in rules.spoken:
        return "other_language"
    return ""


def _reason_of_weight(weight: float, fields: Fields, rules: Rules) -> str:
    """A label 0 says that the triple is made up; a negative weight says that people denied it."""
    if weight < 0 or (weight == 0 and fields.weight):
        return "negative"
    return "low_weight" if weight < rules.min_weight else ""


def _separates(text: str) -> bool:
    """Whether a term, which has no line breaks, holds what separates the parts of a written graph."""
    return (":" in text or "|" in text) and not is_writable(text)
