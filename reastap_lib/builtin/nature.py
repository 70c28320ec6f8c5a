"""Tables of nature: sunspots, the Nile, carbon dioxide, the sea, barley, bacteria."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

from reastap_lib.builtin.raw import (
    MONTHS,
    changes,
    decimal,
    direction,
    groups,
    make,
    number,
    numbers,
    pieces,
    statsmodels_csv,
    vega_json,
)
from reastap_lib.tables import Table


def tables() -> Iterator[Table]:
    yield from _sunspots()
    yield _sunspot_decades()
    yield from _nile()
    yield from _carbon_dioxide()
    yield from _el_nino()
    yield from _barley_sites()
    yield from _barley_varieties()
    yield _bacteria()


def yearly(name: str, title: str, years: list[str], what: str, values: list[Decimal], places: int) -> Iterator[Table]:
    """A yearly series in tables of about 20 rows: the value, its change, and its direction."""
    series = list(zip(years, values, changes(list(values)), strict=True))
    for k, part in enumerate(pieces(series[1:], 20), 1):
        yield make(
            f"{name}-{k}",
            f"{title}, {part[0][0]} to {part[-1][0]}",
            {
                "Year": [year for year, _, _ in part],
                what: numbers([value for _, value, _ in part], places),
                "Change on the year before": numbers([change for _, _, change in part], places),
                "Direction": [direction(change) for _, _, change in part],
            },
        )


def _sunspots() -> Iterator[Table]:
    rows = statsmodels_csv("sunspots")
    values = [decimal(row["SUNACTIVITY"]) for row in rows]
    return yearly("sunspots", "Sunspots", [row["YEAR"] for row in rows], "Sunspots", values, 1)


def _sunspot_decades() -> Table:
    decades = list(groups(statsmodels_csv("sunspots"), lambda row: row["YEAR"][:3]).items())[:30]
    peaks = [max(rows, key=lambda row: decimal(row["SUNACTIVITY"])) for _, rows in decades]
    lows = [min(rows, key=lambda row: decimal(row["SUNACTIVITY"])) for _, rows in decades]
    return make(
        "sunspot-decades",
        "Sunspots by decade, 1700 to 1999",
        {
            "Decade": [f"{decade}0s" for decade, _ in decades],
            "Peak year": [row["YEAR"] for row in peaks],
            "Most sunspots": numbers([row["SUNACTIVITY"] for row in peaks], 1),
            "Quietest year": [row["YEAR"] for row in lows],
            "Fewest sunspots": numbers([row["SUNACTIVITY"] for row in lows], 1),
        },
    )


def _nile() -> Iterator[Table]:
    rows = statsmodels_csv("nile")
    values = [decimal(row["volume"]) for row in rows]
    years = [row["year"] for row in rows]
    return yearly("nile", "Flow of the Nile at Aswan", years, "Flow (100 million m³)", values, 0)


def _carbon_dioxide() -> Iterator[Table]:
    """Every other year, one quarter of it: 13 weeks."""
    rows = statsmodels_csv("co2")
    for year, weeks in list(groups(rows, lambda row: row["date"][:4]).items())[1::2]:
        start = 13 * (int(year) // 2 % 4)
        part = weeks[start : start + 13]
        values = [decimal(row["co2"]) if row["co2"] else None for row in part]
        dates = [datetime.datetime.strptime(row["date"], "%Y%m%d").date() for row in part]
        differences = changes(values)
        yield make(
            f"co2-{year}",
            f"Carbon dioxide at Mauna Loa, {len(part)} weeks of {year}",
            {
                "Week": [f"{MONTHS[date.month - 1]} {date.day}, {date.year}" for date in dates],
                "CO2 (ppm)": numbers(values, 1),
                "Change": numbers(differences, 1),
                "Direction": [direction(change) for change in differences],
            },
        )


def _el_nino() -> Iterator[Table]:
    names = [name[:3].upper() for name in MONTHS]
    for k, part in enumerate(pieces(statsmodels_csv("elnino"), 15), 1):
        warmest = [max(range(12), key=lambda i, row=row: decimal(row[names[i]])) for row in part]  # type: ignore[misc]
        coldest = [min(range(12), key=lambda i, row=row: decimal(row[names[i]])) for row in part]  # type: ignore[misc]
        yield make(
            f"elnino-{k}",
            f"Sea surface temperature off Peru, {part[0]['YEAR']} to {part[-1]['YEAR']}",
            {
                "Year": [row["YEAR"] for row in part],
                "Warmest month": [MONTHS[i] for i in warmest],
                "Highest temperature (°C)": [number(row[names[i]], 2) for row, i in zip(part, warmest, strict=True)],
                "Coldest month": [MONTHS[i] for i in coldest],
                "Lowest temperature (°C)": [number(row[names[i]], 2) for row, i in zip(part, coldest, strict=True)],
            },
        )


def _barley_sites() -> Iterator[Table]:
    for site, rows in groups(vega_json("barley"), lambda row: row["site"]).items():
        yields = {(row["variety"], row["year"]): decimal(row["yield"]) for row in rows}
        varieties = list(dict.fromkeys(row["variety"] for row in rows))
        pairs = [(yields[v, 1931], yields[v, 1932]) for v in varieties]
        yield make(
            f"barley-site-{site.replace(' ', '-')}",
            f"Barley yields at {site}, Minnesota",
            {
                "Variety": varieties,
                "Yield in 1931": numbers([a for a, _ in pairs], 1),
                "Yield in 1932": numbers([b for _, b in pairs], 1),
                "Difference": numbers([abs(b - a) for a, b in pairs], 1),
                "Better year": ["1932" if b > a else "1931" for a, b in pairs],
            },
        )


def _barley_varieties() -> Iterator[Table]:
    for variety, rows in groups(vega_json("barley"), lambda row: row["variety"]).items():
        yield make(
            f"barley-variety-{variety.replace(' ', '-').strip('.')}",
            f"Yields of the barley variety {variety}",
            {
                "Site": [row["site"] for row in rows],
                "Year": [str(row["year"]) for row in rows],
                "Yield (bushels)": numbers([row["yield"] for row in rows], 1),
            },
        )


def _bacteria() -> Table:
    rows = vega_json("burtin")
    return make(
        "bacteria",
        "Bacteria and the dose of three antibiotics that stops them",
        {
            "Bacterium": [row["Bacteria"] for row in rows],
            "Gram stain": [row["Gram_Staining"] for row in rows],
            "Genus": [row["Genus"] for row in rows],
            "Penicillin dose": numbers([row["Penicillin"] for row in rows], 3),
            "Streptomycin dose": numbers([row["Streptomycin"] for row in rows], 2),
            "Neomycin dose": numbers([row["Neomycin"] for row in rows], 3),
        },
    )
