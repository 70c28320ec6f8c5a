"""Rules for templates that show numbers: quantities, money, fractions, sortable numbers."""

from __future__ import annotations

import re

from reastap_lib.wikitext_templates import Call, named, rule

_NUMBER = re.compile(r"(?P<sign>[-+−]?)(?P<whole>\d+)(?P<rest>\.\d+)?")
_RANGE_WORDS = {"-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "by": " by ", "x": " × ", "×": " × ",
                "+/-": " ± ", "±": " ± ", "to(-)": " to ", ",": ", "}  # fmt: skip
_UNITS = {"sqmi": "sq mi", "km2": "km²", "m2": "m²", "sqft": "sq ft", "ft2": "sq ft", "m3": "m³", "km3": "km³",
          "cuft": "cu ft", "C": "°C", "F": "°F", "mph": "mph", "kph": "km/h", "ST": "short tons", "LT": "long tons",
          "t": "t", "acre": "acres", "ha": "ha", "usgal": "US gal", "impgal": "imp gal", "/km2": "/km²",
          "/sqmi": "/sq mi", "PD/km2": "/km²", "PD/sqmi": "/sq mi", "e6km": "million km", "m3/s": "m³/s",
          "cuft/s": "cu ft/s", "mi2": "sq mi", "oilbbl": "barrels", "oilbbl/d": "barrels per day",
          "kn": "knots", "e6bbl": "million barrels", "in2": "sq in", "USgal": "US gallons"}  # fmt: skip


def with_commas(text: str) -> str:
    """A plain number with commas between its thousands; every other text as it is.

    >>> with_commas("-1234567.50"), with_commas("12 km")
    ('-1,234,567.50', '12 km')
    """
    found = _NUMBER.fullmatch(text.strip())
    return f"{found['sign']}{int(found['whole']):,}{found['rest'] or ''}" if found else text.strip()


@rule("nts", "number table sorting", "number", "formatnum", "commas", "formatnum:", "nts2")
def _nts(call: Call) -> str:
    return f"{call.get('prefix')}{with_commas(call.get(1))}{call.get('suffix')}"


@rule("convert", "cvt", "convert/sp")
def _convert(call: Call) -> str:
    """The quantity that is given; what it is converted to is not computed here."""
    shown, rest = with_commas(call.get(1)), call.positional[1:]
    while len(rest) >= 2 and rest[0] in _RANGE_WORDS:
        shown += _RANGE_WORDS[rest[0]] + with_commas(rest[1])
        rest = rest[2:]
    shown = _quantity(shown, "".join(rest[:1]))
    if len(rest) >= 3 and _NUMBER.fullmatch(rest[1]) and not _NUMBER.fullmatch(rest[2]):
        shown += " " + _quantity(rest[1], rest[2])  # 6 ft 2 in
    return shown


def _quantity(number: str, unit: str) -> str:
    shown = _UNITS.get(unit, unit)
    return f"{number}{shown}" if shown.startswith(("°", "/")) else f"{number} {shown}".strip()


@rule("height")
def _height(call: Call) -> str:
    for unit in ("m", "cm"):
        if call.get(unit):
            return f"{call.get(unit)} {unit}"
    return " ".join(f"{call.get(unit)} {unit}" for unit in ("ft", "in") if call.get(unit))


@rule("val", "physconst")
def _val(call: Call) -> str:
    error = f" ± {call.get(2)}" if call.get(2) else ""
    power = f" × 10^{call.get('e')}" if call.get("e") else ""
    unit = call.get("u", "ul", "up", "upl")
    return f"{call.get('p')}{with_commas(call.get(1))}{error}{power}{' ' + unit if unit else ''}"


@rule("e", "esp")
def _power(call: Call) -> str:
    return f" × 10^{call.get(1)}"


@rule("frac", "fraction", "sfrac", "frac2", "fract")
def _fraction(call: Call) -> str:
    """{{frac|1|2}} as 1/2, {{frac|3|1|2}} as 3 1/2, {{frac|2}} as 1/2."""
    parts = call.positional
    if len(parts) == 1:
        return f"1/{parts[0]}"
    return "/".join(parts) if len(parts) == 2 else f"{parts[0]} {'/'.join(parts[1:])}" if parts else ""


@rule(*named("currency"))
def _money(call: Call) -> str:
    return f"{named('currency')[call.name.strip().lower()]}{with_commas(call.get(1))}" if call.get(1) else ""


@rule("currency", "formatprice")
def _currency(call: Call) -> str:
    signs = named("currency")
    return f"{signs.get(call.get(2, 'type').lower(), '')}{with_commas(call.get(1, 'amount'))}"


@rule("inflation")
def _inflation(_call: Call) -> str:
    return ""  # what it shows changes every year


@rule("ordinal", "nth", "ord", "ordinal to word")
def _ordinal(call: Call) -> str:
    number = call.get(1)
    if not number.isdecimal():
        return number
    ending = "th" if number[-2:] in {"11", "12", "13"} else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    return f"{number}{ending}"


@rule("percentage", "percent", "pct")
def _percentage(call: Call) -> str:
    """The share of two numbers in percent, to whole numbers unless the third argument asks for digits."""
    try:
        part, whole = (float(call.get(i).replace(",", "")) for i in (1, 2))
        return f"{100 * part / whole:.{int(call.get(3) or 0)}f}%"
    except (ValueError, ZeroDivisionError):
        return ""


@rule("winning percentage", "winpct", "winperc")
def _winning_percentage(call: Call) -> str:
    """Wins, losses and draws as .625."""
    try:
        wins, losses, draws = (float(call.get(i) or 0) for i in (1, 2, 3))
        return f"{(wins + draws / 2) / (wins + losses + draws):.3f}".removeprefix("0")
    except (ValueError, ZeroDivisionError):
        return ""


@rule("rnd", "round")
def _rounded(call: Call) -> str:
    try:
        return with_commas(f"{float(call.get(1).replace(',', '')):.{int(call.get(2) or 0)}f}")
    except ValueError:
        return call.get(1)


@rule("bartable")
def _bar(call: Call) -> str:
    return f"{call.get(1)}{call.get(2)}"


@rule("percentage bar", "percent bar")
def _percentage_bar(call: Call) -> str:
    return f"{call.get(1)}%"


@rule("composition bar")
def _composition_bar(call: Call) -> str:
    return f"{call.get(1)} / {call.get(2)}"
