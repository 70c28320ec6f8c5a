"""WordNet's own files (`data.noun` and its like, as Debian's wordnet-base has them) as a source of triples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eg3p_lib.readers import Fields, open_lines
from workbench_lib.errors import InputError

DATASET = "/d/wordnet"
_BEGINNING = b"  1 This software and database is being provided"
_FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "s": "data.adj", "r": "data.adv"}
_RELATIONS = {
    **{"!": "Antonym", "@": "IsA", "@i": "InstanceOf", "#m": "PartOf", "#p": "PartOf", "%s": "MadeOf"},
    **{";c": "HasContext", "*": "Entails", ">": "Causes"},
}
"""Pointers by ConceptNet's names for them. The others say the same from the other end, or nothing of the 16."""
_LEXNAMES = (
    *("all", "pert", "all", "tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication"),
    *("event", "feeling", "food", "group", "location", "motive", "object", "person", "phenomenon", "plant"),
    *("possession", "process", "quantity", "relation", "shape", "state", "substance", "time", "body", "change"),
    *("cognition", "communication", "competition", "consumption", "contact", "creation", "emotion", "motion"),
    *("perception", "possession", "social", "stative", "weather", "ppl"),
)
"""The lexicographer files by their numbers (lexnames(5WN)); ConceptNet has them in its senses."""


class Pointer(NamedTuple):
    """From one synset to another: the other's file and place, and the words that it is about (from 1; 0: all)."""

    symbol: str
    file: str
    offset: str
    from_word: int
    to_word: int


class Synset(NamedTuple):
    """The words of one meaning, the sense that follows them in a URI, and where they point."""

    words: list[str]
    sense: str
    pointers: list[Pointer]

    def uri(self, word: int) -> str:
        """A word by its number, or the first one for 0, as ConceptNet writes it."""
        return f"/c/en/{self.words[max(word - 1, 0)]}/{self.sense}"


def is_wordnet_file(path: Path) -> bool:
    """Whether a file begins as WordNet's data files do: with their licence."""
    try:
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False


def wordnet_pointers(path: Path) -> Iterator[Fields | str]:
    """For each pointer of each synset its triple, between the words that it names, or their synsets' first words.

    Pointers that have no relation give the reason `unmapped_relation`.

    Raises:
        InputError: a line is no synset, or a pointer leads nowhere: files that are pointed into must lie beside it.
    """
    files = {path.name: _read_synsets(path)}
    for synset in files[path.name].values():
        for pointer in synset.pointers:
            relation = _RELATIONS.get(pointer.symbol)
            if relation is None:
                yield "unmapped_relation"
                continue
            if pointer.file not in files:
                files[pointer.file] = _read_synsets(path.with_name(pointer.file))
            other = files[pointer.file].get(pointer.offset)
            if other is None:
                raise InputError(f"points to {pointer.file} {pointer.offset}, where no synset is", path=path)
            manner = relation == "IsA" and synset.sense.startswith("v/")  # as ConceptNet has it: to run, to move
            name = "MannerOf" if manner else relation
            yield Fields(name, synset.uri(pointer.from_word), other.uri(pointer.to_word), dataset=DATASET)


def _read_synsets(path: Path) -> dict[str, Synset]:
    synsets = {}
    with open_lines(path) as lines:
        for number, line in lines:
            if not line.startswith("  "):
                try:
                    synsets[line[:8]] = _synset(line)
                except (ValueError, IndexError, KeyError):
                    raise InputError("is no synset of WordNet", path=path, line=number, value=line) from None
    return synsets


def _synset(line: str) -> Synset:
    """A line: place, lexicographer file, part of speech, words and pointers, each after their number (wndb(5WN))."""
    _, lexname, part_of_speech, words, *rest = line.split(" | ")[0].split()
    first = 2 * int(words, 16)
    pointers = rest[first + 1 : first + 1 + 4 * int(rest[first])]
    kind = "a" if part_of_speech == "s" else part_of_speech
    return Synset(
        [word.split("(")[0].replace("/", "_") for word in rest[:first:2]],
        f"{kind}/wn/{_LEXNAMES[int(lexname)]}",
        [
            Pointer(symbol, _FILES[target], offset, int(ends[:2], 16), int(ends[2:], 16))
            for symbol, offset, target, ends in zip(*[iter(pointers)] * 4, strict=True)
        ],
    )
