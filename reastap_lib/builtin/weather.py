"""Tables of weather: Seattle day by day, week by week and month by month; Seattle beside San Francisco."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from reastap_lib.builtin.raw import MONTHS, day, groups, iso, make, month, number, numbers, pieces, vega_csv
from reastap_lib.tables import Table

Row = dict[str, str]


def tables() -> Iterator[Table]:
    rows = vega_csv("seattle-weather")
    yield from _days(rows)
    yield from _weeks(rows)
    yield from _months(rows)
    yield from _two_cities()


def _days(rows: list[Row]) -> Iterator[Table]:
    """The first half of odd months, the second of even ones."""
    for first, rest in groups(rows, lambda row: iso(row["date"]).replace(day=1)).items():
        part = rest[:15] if first.month % 2 else rest[15:]
        dates = [iso(row["date"]) for row in part]
        yield make(
            f"seattle-days-{first:%Y-%m}",
            f"Weather in Seattle, {dates[0].day} to {day(dates[-1])}",
            {
                "Date": [day(date) for date in dates],
                "Weather": [row["weather"] for row in part],
                "High (°C)": numbers([row["temp_max"] for row in part], 1),
                "Low (°C)": numbers([row["temp_min"] for row in part], 1),
                "Precipitation (mm)": numbers([row["precipitation"] for row in part], 1),
                "Wind (m/s)": numbers([row["wind"] for row in part], 1),
            },
        )


def _weeks(rows: list[Row]) -> Iterator[Table]:
    for year, rest in groups(rows, lambda row: row["date"][:4]).items():
        weeks = [rest[k : k + 7] for k in range(0, 364, 7)]
        for k, part in enumerate(pieces(list(enumerate(weeks, 1)), 18), 1):
            yield make(
                f"seattle-weeks-{year}-{k}",
                f"Weeks of {year} in Seattle: weeks {part[0][0]} to {part[-1][0]}",
                {
                    "Week": [f"Week {number}" for number, _ in part],
                    "First day": [day(iso(week[0]["date"])) for _, week in part],
                    "Most frequent weather": [_most(week) for _, week in part],
                    "Precipitation (mm)": numbers([_rain(week) for _, week in part], 1),
                    "High (°C)": numbers([max(Decimal(row["temp_max"]) for row in week) for _, week in part], 1),
                },
            )


def _most(rows: list[Row]) -> str:
    counts = Counter(row["weather"] for row in rows)
    return max(sorted(counts), key=lambda name: counts[name])


def _rain(rows: list[Row]) -> Decimal:
    return sum((Decimal(row["precipitation"]) for row in rows), Decimal(0))


def _months(rows: list[Row]) -> Iterator[Table]:
    for year, rest in groups(rows, lambda row: row["date"][:4]).items():
        months = list(groups(rest, lambda row: row["date"][5:7]).values())
        wettest = [max(part, key=lambda row: Decimal(row["precipitation"])) for part in months]
        hottest = [max(part, key=lambda row: Decimal(row["temp_max"])) for part in months]
        yield make(
            f"seattle-months-{year}",
            f"The months of {year} in Seattle",
            {
                "Month": MONTHS,
                "Wettest day": [day(iso(row["date"])) for row in wettest],
                "Precipitation (mm)": numbers([_rain(part) for part in months], 1),
                "Hottest day": [day(iso(row["date"])) for row in hottest],
                "High (°C)": numbers([row["temp_max"] for row in hottest], 1),
                "Rainy days": [str(sum(row["weather"] == "rain" for row in part)) for part in months],
            },
        )


def _two_cities() -> Iterator[Table]:
    cities = [_extremes("sf-temps"), _extremes("seattle-temps")]
    shared = [date for date in cities[0] if date in cities[1]]
    for first, dates in groups(shared, lambda date: date.replace(day=1)).items():
        for k, part in enumerate(pieces(dates, 16), 1):
            (sf_low, sf_high), (low, high) = ([[city[d][i] for d in part] for i in (0, 1)] for city in cities)
            yield make(
                f"two-cities-{first:%Y-%m}-{k}",
                f"San Francisco and Seattle in {month(first)}, part {k}",
                {
                    "Date": [date.isoformat() for date in part],
                    "Warmer city": [_warmer(a, b) for a, b in zip(sf_high, high, strict=True)],
                    "San Francisco high (°F)": numbers(sf_high, 1),
                    "San Francisco low (°F)": numbers(sf_low, 1),
                    "Seattle high (°F)": numbers(high, 1),
                    "Seattle low (°F)": numbers(low, 1),
                    "Difference of the highs": [number(abs(a - b), 1) for a, b in zip(sf_high, high, strict=True)],
                },
            )


def _extremes(name: str) -> dict[datetime.date, tuple[Decimal, Decimal]]:
    """Lowest and highest of the hourly temperatures of each day."""
    days = groups(vega_csv(name), lambda row: iso(row["date"]))
    temperatures = {date: [Decimal(row["temp"]) for row in rows] for date, rows in days.items()}
    return {date: (min(values), max(values)) for date, values in temperatures.items()}


def _warmer(first: Decimal, second: Decimal) -> str:
    return "San Francisco" if first > second else "Seattle" if second > first else "neither"
