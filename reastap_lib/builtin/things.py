"""Tables of things people make and do: cars, copper, committees, driving, wheat and wages, a war."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reastap_lib.builtin.raw import (
    decimal,
    groups,
    iso,
    make,
    month,
    numbers,
    pieces,
    statsmodels_csv,
    unique,
    vega_json,
)
from reastap_lib.tables import Table, words

Row = dict[str, Any]
_SPELLING = {
    "vw": "volkswagen",
    "vokswagen": "volkswagen",
    "maxda": "mazda",
    "toyouta": "toyota",
    "chevroelt": "chevrolet",
    "chevy": "chevrolet",
    "mercedes": "mercedes-benz",
}
_CAPITALS = frozenset(words("amc bmw iii rx-4 rx-7 sst glc gtl d/l lxi gsl"))


def tables() -> Iterator[Table]:
    yield from _cars()
    yield from _copper()
    yield _committees()
    yield _longley()
    yield from _driving()
    yield from _wheat()
    yield from _crimea()


def _cars() -> Iterator[Table]:
    rows = [{**row, "Name": _car_name(row["Name"])} for row in vega_json("cars")]
    rows = unique(rows, lambda row: row["Name"].casefold())
    for maker, part in groups(rows, lambda row: row["Name"].split()[0]).items():
        if part[0]["Origin"] == "USA":
            yield from _car_tables(maker, f"{maker} cars", part)
    for origin, title in {"Europe": "European cars", "Japan": "Japanese cars"}.items():
        yield from _car_tables(title.replace(" ", "-"), title, [row for row in rows if row["Origin"] == origin])
    for year, part in groups(rows, lambda row: row["Year"][:4]).items():
        yield from _year_tables(year, part)


def _car_tables(name: str, title: str, rows: list[Row]) -> Iterator[Table]:
    if len(rows) < 8:
        return
    for k, part in enumerate(pieces(rows, 16), 1):
        years = [row["Year"][:4] for row in part]
        yield make(
            f"cars-{name}-{k}",
            f"{title}, model years {min(years)} to {max(years)}",
            {
                "Car": [row["Name"] for row in part],
                "Model year": years,
                "Cylinders": numbers([row["Cylinders"] for row in part]),
                "Horsepower": numbers([row["Horsepower"] for row in part]),
                "Weight (lb)": numbers([row["Weight_in_lbs"] for row in part]),
                "Miles per gallon": numbers([row["Miles_per_Gallon"] for row in part], 1),
            },
        )


def _year_tables(year: str, rows: list[Row]) -> Iterator[Table]:
    if len(rows) < 8:
        return
    for k, part in enumerate(pieces(rows, 20), 1):
        yield make(
            f"cars-{year}-{k}",
            f"Cars of the model year {year}, part {k}",
            {
                "Car": [row["Name"] for row in part],
                "Origin": [row["Origin"] for row in part],
                "Displacement (cubic inches)": numbers([row["Displacement"] for row in part], 1),
                "Acceleration (s)": numbers([row["Acceleration"] for row in part], 1),
                "Weight (lb)": numbers([row["Weight_in_lbs"] for row in part]),
            },
        )


def _car_name(name: str) -> str:
    first, *rest = name.lower().split()
    return " ".join(_capital(word) for word in [_SPELLING.get(first, first), *rest])


def _capital(word: str) -> str:
    if word in _CAPITALS or any(letter.isdigit() for letter in word) or len(word.strip("()")) < 3:
        return word.upper()
    return "-".join(part.capitalize() for part in word.split("-"))


def _copper() -> Iterator[Table]:
    for k, part in enumerate(pieces(statsmodels_csv("copper"), 13), 1):
        yield make(
            f"copper-{k}",
            f"Copper and aluminium, {part[0]['YEAR']} to {part[-1]['YEAR']}",
            {
                "Year": [row["YEAR"] for row in part],
                "Consumption of copper (1,000 t)": numbers([row["WORLDCONSUMPTION"] for row in part], 1),
                "Copper price": numbers([row["COPPERPRICE"] for row in part], 2),
                "Aluminium price": numbers([row["ALUMPRICE"] for row in part], 2),
                "Dearer metal": [_dearer(row) for row in part],
            },
        )


def _dearer(row: dict[str, str]) -> str:
    return "copper" if decimal(row["COPPERPRICE"]) > decimal(row["ALUMPRICE"]) else "aluminium"


def _committees() -> Table:
    rows = statsmodels_csv("committee")
    return make(
        "committees",
        "Committees of the US House of Representatives, 103rd and 104th Congress",
        {
            "Committee": [row["COMMITTEE"].replace("_", " ") for row in rows],
            "Prestige": ["high" if row["PRESTIGE"] == "1" else "ordinary" for row in rows],
            "Members": numbers([row["SIZE"] for row in rows]),
            "Subcommittees": numbers([row["SUBS"] for row in rows]),
            "Staff": numbers([row["STAFF"] for row in rows]),
            "Bills in the 103rd Congress": numbers([row["BILLS103"] for row in rows]),
            "Bills in the 104th Congress": numbers([row["BILLS104"] for row in rows]),
        },
    )


def _longley() -> Table:
    rows = statsmodels_csv("longley")
    return make(
        "longley",
        "Employment in the United States, 1947 to 1962 (thousands)",
        {
            "Year": [row["YEAR"] for row in rows],
            "Employed": numbers([row["TOTEMP"] for row in rows]),
            "Unemployed": numbers([row["UNEMP"] for row in rows]),
            "Armed forces": numbers([row["ARMED"] for row in rows]),
            "Population": numbers([row["POP"] for row in rows]),
            "GNP deflator": numbers([row["GNPDEFL"] for row in rows], 1),
        },
    )


def _driving() -> Iterator[Table]:
    for k, part in enumerate(pieces(vega_json("driving"), 19), 1):
        yield make(
            f"driving-{k}",
            f"Driving in the United States, {part[0]['year']} to {part[-1]['year']}",
            {
                "Year": [str(row["year"]) for row in part],
                "Miles per person": numbers([row["miles"] for row in part]),
                "Price of a gallon of gas": numbers([row["gas"] for row in part], 2, prefix="$"),
            },
        )


def _wheat() -> Iterator[Table]:
    rows = [row for row in vega_json("wheat") if row.get("wages")]
    for k, part in enumerate(pieces(rows, 17), 1):
        yield make(
            f"wheat-{k}",
            f"Wheat and wages in England, {part[0]['year']} to {part[-1]['year']}",
            {
                "Year": [str(row["year"]) for row in part],
                "Price of a quarter of wheat (shillings)": numbers([row["wheat"] for row in part], 1),
                "Weekly wage (shillings)": numbers([row["wages"] for row in part], 2),
            },
        )


def _crimea() -> Iterator[Table]:
    for k, part in enumerate(pieces(vega_json("crimea"), 12), 1):
        causes = ["wounds", "disease", "other"]
        yield make(
            f"crimea-{k}",
            f"Deaths in the British army, Crimea, {month(iso(part[0]['date']))} to {month(iso(part[-1]['date']))}",
            {
                "Month": [month(iso(row["date"])) for row in part],
                "Deaths from wounds": numbers([row["wounds"] for row in part]),
                "Deaths from disease": numbers([row["disease"] for row in part]),
                "Deaths from other causes": numbers([row["other"] for row in part]),
                "Main cause": [_main(row, causes) for row in part],
            },
        )


def _main(row: Row, causes: list[str]) -> str:
    most = [cause for cause in causes if row[cause] == max(row[c] for c in causes)]
    return most[0] if len(most) == 1 else "several"
