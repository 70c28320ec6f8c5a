"""What a header's words say about the cells below: years, periods, times, ranks, or measures that are never summed."""

from __future__ import annotations

import re
from functools import lru_cache

from reastap_lib.tables import normalise, words

_YEAR_WORDS = frozenset(
    words(
        """year years season founded founding established born birth died death built opened debut released release
        launched completed formed introduced inaugurated joined published commissioned date"""
    )
)
_RANK_WORDS = frozenset(
    words(
        """rank ranking pos position positions place placing placed no nr # id code seed pick round week day heat lane
        season episode chapter edition lat latitude long longitude lon zip phone jersey squad channel district ward
        route line section series volume issue stage lap grid order game match time month hour minute grade level
        class group model version event number rd rnd car division tier decile segment start finish"""
    )
)
_AVERAGE_WORDS = frozenset(
    words(
        """% percent percentage pct rate ratio average avg mean median per temp temperature price index density age
        share speed gpa deflator unemployment inflation height elevation altitude mph wind high low open close growth
        mpg ppm rating ratings boiling melting"""
    )
)
_MEANS = frozenset(words("per avg average mean"))
_PERIOD_WORDS = _YEAR_WORDS | frozenset(
    words(
        """seasons period periods term terms tenure reign reigned career office service active era span dates from run
        held life lived lifespan years aired production operated decade campaign administration"""
    )
)
_TIME_WORDS = frozenset(words("time times duration length runtime"))
_DAY_TIME_WORDS = frozenset(
    words(
        """utc gmt est edt cst cdt mst mdt pst pdt cet cest ist bst jst aest local kickoff kick departure departs
        arrival arrives tv air broadcast sunrise sunset clock"""
    )
)
_COUNTS_THINGS = re.compile(r"\b(?:no|nr|number|#)\.? of\b")


@lru_cache(maxsize=4096)
def header_words(name: str) -> frozenset[str]:
    """The words of a header in lower case; # and % are words.

    >>> sorted(header_words("No. of votes (%)"))
    ['%', 'no', 'of', 'votes']
    """
    return frozenset(re.findall(r"[^\W\d_]+|[#%]", name.casefold()))


def says_year(name: str) -> bool:
    """Whether four digits below the header are years, and so dates.

    >>> says_year("Model year"), says_year("Candidates elected")
    (True, False)
    """
    return bool(header_words(name) & _YEAR_WORDS)


def says_rank(name: str) -> bool:
    """Whether numbers below the header name or order things, so that no sum or average of them means anything.

    >>> says_rank("Pos."), says_rank("No. of seats"), says_rank("Points per game"), says_rank("Avg. start")
    (True, False, False, False)
    """
    found = header_words(name)
    return bool(found & _RANK_WORDS) and found.isdisjoint(_MEANS) and not _COUNTS_THINGS.search(normalise(name))


def says_average(name: str) -> bool:
    """Whether numbers below the header may be averaged but not summed.

    >>> says_average("Unemployment (%)"), says_average("Goals")
    (True, False)
    """
    return bool(header_words(name) & _AVERAGE_WORDS)


def says_period(name: str) -> bool:
    """Whether two numbers below the header, such as 1500-1599, are the years of a period.

    >>> says_period("Term of office"), says_period("Road numbers")
    (True, False)
    """
    return bool(header_words(name) & _PERIOD_WORDS)


def says_time(name: str) -> bool:
    """Whether plain numbers beside durations below the header are seconds.

    >>> says_time("Winning time"), says_time("Gold")
    (True, False)
    """
    return bool(header_words(name) & _TIME_WORDS)


def says_clock(name: str) -> bool:
    """Whether 3:45 below the header is minutes and seconds, and not a time of day or a score.

    >>> says_clock("Length"), says_clock("Time (m:s)"), says_clock("Time")
    (True, True, False)
    """
    found = header_words(name)
    minutes = {"m", "s"} <= found or {"min", "sec"} <= found or {"mm", "ss"} <= found
    return bool(found & {"duration", "length", "runtime"}) or minutes or {"running", "time"} <= found


def says_time_of_day(name: str) -> bool:
    """Whether 14:55:43 below the header is a time of day.

    >>> says_time_of_day("Time (UTC)"), says_time_of_day("Winning time")
    (True, False)
    """
    return bool(header_words(name) & _DAY_TIME_WORDS)
