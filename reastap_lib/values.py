"""Cell texts read as numbers with their unit, exactly or not at all; missing cells and footnote marks.

A number is read with `decimal`, never with float(), which knows words and underscores. What stays text: decimal commas
(1,5), codes with leading zeros, more than 15 digits, approximations (~5), (12), 1/2 (a fraction or a date), 10:30 (a
duration, a time of day or a score) unless the header decides, and words such as Nan, None and NA, which can be names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from reastap_lib.tables import words

MISSING = frozenset(["", *words("N/A n/a TBA TBD tba tbd"), "n / a", "N / A"])
_SAYS_NOTHING = " \t\n-–—−―‒.…?,;:/"
MAX_DIGITS = 15
_MARKS = "*†‡§¤¶^"
_FOOTNOTES = re.compile(rf"(?: ?(?:\[(?:[a-z]|\d{{1,3}}|(?:nb|note|n) ?\d*)\]|[{_MARKS}]))+$")
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+"
_VULGAR = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅛": "0.125", "⅜": "0.375", "⅝": "0.625", "⅞": "0.875"}
_MAGNITUDES = {"k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "trillion": 12}
_CURRENCIES = {"$": "USD", "US$": "USD", "£": "GBP", "€": "EUR", "usd": "USD", "gbp": "GBP", "eur": "EUR"}
_CURRENCY = r"(?:US|AU|NZ|HK|C|A|R|S)?\$|[£€¥₹₩₽₺]|Rs\.?|USD|GBP|EUR|CHF"
_ATTACHED = words(
    """km/h km² km2 km cm mm m² m2 m ft in mi mph kg g lbs lb ha °C °F ° GB MB KB TB GHz MHz kHz Hz kW MW GW hp kV
    V W cc s h min px k K M bn B € £ $ %"""
)
_UNIT = rf" ?(?:{'|'.join(map(re.escape, _ATTACHED))})| [^\W\d_]+[²³23]?\.?(?:[ /][^\W\d_]+[²³23]?\.?){{0,2}}"
_NUMBER = re.compile(
    rf"(?P<sign>[+\-−–] ?)?(?P<currency>(?:{_CURRENCY}) ?)?(?P<whole>{_GROUPED}|[0-9]+)?(?P<fraction>\.[0-9]+)?"
    rf"(?P<vulgar>[{''.join(_VULGAR)}])?"
    r"(?P<magnitude>(?(currency) ?(?:[kK]|[mM]n?|[bB]n?)\b|(?!))| ?(?:thousand|million|billion|trillion)\b)?"
    rf"(?P<suffix>{_UNIT})?(?P<converted> \([^()]*[0-9][^()]*\))?"
)
_MIXED = re.compile(
    r"(?P<sign>[-−])?(?:(?P<whole>\d{1,4})[ -](?=\d+[/⁄]))?(?P<over>\d{1,2})(?P<bar>[/⁄])(?P<under>\d{1,2})"
)
_ORDINAL = re.compile(
    r"[Tt=][-–]?(?P<tied>\d{1,4})(?:st|nd|rd|th)?|(?P<plain>\d{1,4})(?:st|nd|rd|th|\.|=)|# ?(?P<hash>\d{1,4})"
)
_CLOCK = re.compile(r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d{2}(?P<part>\.\d+)?)")
_SPOKEN = re.compile(
    r"(?:(?P<hours>\d{1,3}) ?h(?:(?:ou)?rs?)?,? ?)?"
    r"(?:(?P<minutes>\d{1,3}) ?(?:m(?:in(?:ute)?s?)?|(?(hours)['′’]|(?!))),? ?)?"
    r"(?:(?P<seconds>\d{1,2}(?P<part>\.\d+)?) ?(?:s(?:ec(?:ond)?s?)?|(?(hours)[\"″”]|(?!))))?"
)
_FEET = re.compile(r"(?P<feet>\d{1,2})(?: ?ft|['′’]) ?(?P<inches>\d{1,2}(?:\.\d+)?)(?: ?in|[\"″”])(?: \([^()]*\))?")
_NO_UNITS = frozenset(
    words(
        """january february march april may june july august september october november december jan feb mar apr jun
        jul aug sep sept oct nov dec bc ad ce bce am pm a.m. p.m. n s e w ne nw se sw and or of to the vs v x st nd rd
        th"""
    )
)
UNITS = frozenset(["", "USD", "GBP", "EUR", "ordinal", "ft in", "sq mi", "sq km", "feet", "metre", "mile", *_ATTACHED])
_LETTER_UNITS = frozenset("mgshkKMVWBCF")


@dataclass(frozen=True, slots=True)
class Number:
    """A cell's number, and how it was written.

    Args:
        value: Exact; in seconds for a duration, in inches for feet and inches.
        unit: "", "%", a currency, "s" (seconds), "ordinal", or the words behind the number in the singular; what is
            converted in brackets stands behind it: "cm (ft in)". Cells of two units are never compared.
        places: Digits after the point.
        separator: What groups thousands: "", "," or " ".
        sign, prefix, suffix: What stands before and behind the digits: "+" or a minus sign, "$", "%", " km".
        plain: Whether a result can be written the same way (not so for ½, 3.4 million, ordinals and durations).
    """

    value: Decimal
    unit: str = ""
    places: int = 0
    separator: str = ""
    sign: str = ""
    prefix: str = ""
    suffix: str = ""
    plain: bool = True


def is_missing(text: str) -> bool:
    """Whether a cell says nothing: empty, dashes, ?, N/A or TBA. A missing cell is never zero; "NA" can be Namibia.

    >>> is_missing("—"), is_missing("–/–"), is_missing("NA"), is_missing("0")
    (True, True, False, False)
    """
    return text.strip(_SAYS_NOTHING) in MISSING


def without_footnotes(text: str) -> str:
    """The text without reference marks at its end: 45[a] and 45* are 45."""
    bare = text.strip()
    return _FOOTNOTES.sub("", bare) if bare and (bare[-1] == "]" or bare[-1] in _MARKS) else bare


@lru_cache(maxsize=131072)
def parse_number(text: str, *, clock: bool = False) -> Number | None:
    """The number that a whole cell is, or None.

    A comma only groups thousands: 1,5 and 100,12 are text. Digits are the ASCII ones.

    Args:
        clock: Whether 3:45 is minutes and seconds, as the header must say.

    >>> parse_number("$1,200.50").value, parse_number("12%").unit, parse_number("100,12")
    (Decimal('1200.50'), '%', None)
    >>> parse_number("170 cm (5 ft 7 in)").unit, parse_number("3 strokes").unit
    ('cm (ft in)', 'stroke')
    """
    bare = without_footnotes(text)
    if not bare or not any(char.isnumeric() for char in bare):
        return None
    return _ordinal(bare) or _duration(bare, clock=clock) or _plain_number(bare) or _mixed(bare) or _feet(bare)


def _ordinal(text: str) -> Number | None:
    match = _ORDINAL.fullmatch(text)
    return Number(Decimal(match["tied"] or match["plain"] or match["hash"]), "ordinal", plain=False) if match else None


def _duration(text: str, *, clock: bool) -> Number | None:
    """h:mm:ss, m:ss with a fraction, and 3m 37s; m:ss alone only where `clock` says so."""
    match = _CLOCK.fullmatch(text)
    if match and not (match["hours"] or match["part"] or clock):
        return None
    match = match or _SPOKEN.fullmatch(text)
    if not match or sum(match[part] is not None for part in ("hours", "minutes", "seconds")) < 2:
        return None
    seconds, minutes, hours = Decimal(match["seconds"] or 0), int(match["minutes"] or 0), int(match["hours"] or 0)
    if seconds >= 60 or (match["hours"] and minutes >= 60):
        return None
    return Number(hours * 3600 + minutes * 60 + seconds, "s", len((match["part"] or ".")[1:]), plain=False)


def _plain_number(text: str) -> Number | None:
    match = _NUMBER.fullmatch(text)
    if not match or not (match["whole"] or match["fraction"] or match["vulgar"]):
        return None
    digits, fraction = (match["whole"] or "").replace(",", "").replace(" ", ""), match["fraction"] or ""
    too_long = len(digits + fraction) > MAX_DIGITS
    code = len(digits) > 1 and digits[0] == "0"
    two_fractions = bool(match["vulgar"] and fraction)
    if too_long or code or two_fractions:
        return None
    unit = _unit(match)
    return None if unit is None else _number(match, digits, fraction, unit)


def _unit(match: re.Match[str]) -> str | None:
    """The unit in one form, or None where what stands behind the number is none, or there are two."""
    currency, said = (match["currency"] or "").strip(), (match["suffix"] or "").strip()
    lone_letter = len(said) == 1 and said.isalpha() and said not in _LETTER_UNITS
    if lone_letter or (currency and said) or not _NO_UNITS.isdisjoint(re.split(r"[ /]", said.casefold())):
        return None
    singular = said[:-1] if len(said) > 3 and said.endswith("s") and not said.endswith("ss") else said
    unit = _CURRENCIES.get(currency, currency).rstrip(".") or _CURRENCIES.get(said.casefold(), singular.rstrip("."))
    if not match["converted"]:
        return unit
    within = re.findall(r"[^\W\d_]+|%", match["converted"])
    return f"{unit} ({' '.join(within)})".strip() if _NO_UNITS.isdisjoint(map(str.casefold, within)) else None


def _number(match: re.Match[str], digits: str, fraction: str, unit: str) -> Number:
    magnitude, sign, whole = (match["magnitude"] or "").strip(), (match["sign"] or "")[:1], match["whole"] or ""
    value = Decimal(f"{digits or 0}{fraction}") + Decimal(_VULGAR.get(match["vulgar"] or "", "0"))
    value = value.scaleb(_MAGNITUDES.get(magnitude.lower(), 0))
    return Number(
        value=-value if sign in ("-", "−", "–") else value,
        unit=unit,
        places=max(len(fraction) - 1, 0),
        separator="," if "," in whole else " " if " " in whole else "",
        sign=match["sign"] or "",
        prefix=match["currency"] or "",
        suffix=match["suffix"] or "",
        plain=not (match["vulgar"] or magnitude or match["converted"]),
    )


def _mixed(text: str) -> Number | None:
    """2 1/2 and 3⁄4; 1/2 alone may be a date or a score, and thirds have no exact decimal."""
    match = _MIXED.fullmatch(text)
    if not match or not (match["whole"] or match["bar"] == "⁄"):
        return None
    over, under = int(match["over"]), int(match["under"])
    if not 0 < over < under or 10**6 % under:
        return None
    value = int(match["whole"] or 0) + Decimal(over) / under
    return Number(-value if match["sign"] else value, plain=False)


def _feet(text: str) -> Number | None:
    match = _FEET.fullmatch(text)
    if not match or Decimal(match["inches"]) >= 12:
        return None
    return Number(12 * int(match["feet"]) + Decimal(match["inches"]), "ft in", plain=False)
