"""What a question or a statement seems to ask for, by its words: one of the seven skills, or a look-up.

For error analysis alone, where a rough guess is enough: the words are what a reader would go by (Table 1 of ReasTAP),
and where several skills have one, the first in the order below has it.
"""

from __future__ import annotations

import re

LOOK_UP = "look-up"
_WORDS: dict[str, str] = {
    "date_difference": (
        r"how (?:long|old)|how (?:many|much) (?:years?|months?|weeks?|days?|time)|duration"
        r"|(?:time|years?|days?) (?:between|passed)"
    ),
    "numerical_operation": (
        r"sum|averages?|mean|total(?! (?:number|amount))|combined|altogether|together|differences?"
        r"|how (?:much|many) (?:more|less|fewer)|times as"
    ),
    "quantifiers": r"every|only|all|each|none|never|always|any|no other",
    "counting": r"how many|numbers? of|amount of|count|how often|[0-9]+ of the|there (?:are|be|were|is) [0-9]+",
    "temporal_comparison": (
        r"first|last|before|after|earliest|latest|previous(?:ly)?|next|prior|following|since|until|oldest|newest|recent"
        r"|earlier|later|when"
    ),
    "numerical_comparison": (
        r"most|least|more|less|fewer|fewest|(?:high|low|larg|great|small|long|short|tall|big|fast|slow|strong|heav|light"
        r"|deep|close|near|few|old|young|cheap|rich)i?e(?:r|st)|top|bottom|best|worst|above|below|over|under|at least"
        r"|at most|exceed\w*|maximum|minimum|rank\w*"
    ),
    "conjunction": r"and|both|also|as well as|but",
}
_PATTERNS = {skill: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for skill, words in _WORDS.items()}
KINDS = (*_PATTERNS, LOOK_UP)


def needed_skill(text: str) -> str:
    """The skill that a question or statement seems to need.

    >>> needed_skill("How many years passed between the two?"), needed_skill("who has the most wins?")
    ('date_difference', 'numerical_comparison')
    >>> needed_skill("what is the capital of peru?")
    'look-up'
    """
    return next((skill for skill, pattern in _PATTERNS.items() if pattern.search(text)), LOOK_UP)
