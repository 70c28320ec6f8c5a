"""Which of the functions a sentence may use: most need a word of their own in it (LogicNLG's lists)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from reastap_lib.lpa.operators import OPERATORS
from reastap_lib.lpa.words import is_comparative, is_superlative
from reastap_lib.tables import words

COMPARATIVE, SUPERLATIVE, ONLY_ONE = "<comparative>", "<superlative>", "<only one>"
Said = frozenset[str]


def _said(listed: str, *phrases: str) -> Said:
    return frozenset([*words(listed), *phrases])


_NOT = _said("not no never didn't won't wasn't isn't haven't weren't neither none unable fail different outside")
_DISTINCT = _said("separate different unique")
_SUM = _said("sum summation combine combined total add all", "there are")
_ALL = _said("all every each")
_GREATER = _said("more than above after exceed over") | {COMPARATIVE}
_LESS = _said("less than below under") | {COMPARATIVE}
_AT_MOST, _AT_LEAST = _said("", "at most"), _said("", "at least")
_AGAIN = _said("and while when both neither none all which who that whose")
_EXTREME = _said("", "than any") | {SUPERLATIVE}
_AROUND = _said("follow following followed after before above precede")
_NOT_ALL = (_ALL | {"always"}, _said("not no never didn't won't wasn't"))

# each needs one word of every set; a function that is not listed needs none
TRIGGERS: dict[str, tuple[Said, ...]] = {
    "inc_num": (_AGAIN,),
    "inc_str": (_AGAIN,),
    "all_exist": (_said("all both and while"),),
    "none": (_said("not no none neither"),),
    "zero": (_said("zero any none no not neither"),),
    "half": (_said("half"),),
    "one_third": (_said("", "one third", "1 third"),),
    "only": (_said("unique except") | {ONLY_ONE},),
    "several": (_said("several many"),),
    "top": (_said("first top latest"),),
    "bottom": (_said("last bottom latest"),),
    "before": (_AROUND,),
    "after": (_AROUND,),
    "first": (_said("first 1st top"),),
    "second": (_said("second 2nd"),),
    "third": (_said("third 3rd"),),
    "fourth": (_said("fourth 4th"),),
    "fifth": (_said("fifth 5th"),),
    "last": (_said("last bottom"),),
    "uniq_num": (_DISTINCT,),
    "uniq_str": (_DISTINCT,),
    "avg": (_said("average"),),
    "sum": (_SUM,),
    "max": (_EXTREME,),
    "min": (_EXTREME,),
    "argmax": (_EXTREME | _said("top first"),),
    "argmin": (_EXTREME | _said("top first"),),
    "most_freq": (_said("most majority", "than any"),),
    "diff": (_said("after before difference gap than separate except but separation"),),
    "add": (_SUM,),
    "greater": (_GREATER,),
    "not_eq": (_NOT,),
    "not_str_eq": (_NOT,),
    "filter_not_eq": (_NOT,),
    "filter_str_not_eq": (_NOT,),
    "filter_greater": (_said("more than above after through to") | {COMPARATIVE},),
    "filter_less": (_LESS | _said("through to"),),
    "filter_less_eq": (_AT_MOST,),
    "filter_greater_eq": (_AT_LEAST,),
    "all_eq": (_ALL | _said("only always"),),
    "all_str_eq": (_ALL | {"always"},),
    "all_not_eq": _NOT_ALL,
    "all_str_not_eq": _NOT_ALL,
    "all_less": (_ALL, _LESS),
    "all_greater": (_ALL, _GREATER),
    "all_less_eq": (_AT_MOST, _ALL | {"while"}),
    "all_greater_eq": (_AT_LEAST, _ALL | {"while"}),
}


def allowed(sentence: Sequence[str]) -> frozenset[str]:
    """The keys of the functions that the words of a sentence allow.

    >>> sorted(allowed(("ann", "has", "the", "most")) - allowed(("ann", "has", "some")))
    ['argmax', 'argmin', 'max', 'min', 'most_freq']
    """
    found = {*sentence, *map(" ".join, pairwise(sentence))}
    signs = {
        COMPARATIVE: any(map(is_comparative, sentence)),
        SUPERLATIVE: any(map(is_superlative, sentence)),
        ONLY_ONE: _says_only_one(sentence),
    }
    found |= {sign for sign, is_there in signs.items() if is_there}
    return frozenset(key for key in OPERATORS if all(found & said for said in TRIGGERS.get(key, ())))


def _says_only_one(sentence: Sequence[str]) -> bool:
    """Whether there is an "only" that does not stand before a number from 2 on."""
    return any(word == "only" and after[0] not in "23456789" for word, after in pairwise(sentence))
