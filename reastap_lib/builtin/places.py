"""Tables of places: airports by state, states, countries, councils."""

from __future__ import annotations

from collections.abc import Iterator

from reastap_lib.builtin.raw import make, number, numbers, pieces, statsmodels_csv, unique, vega_csv
from reastap_lib.tables import Table

_STATES = dict(
    line.split(" ", 1)
    for line in """AK Alaska,AL Alabama,AR Arkansas,AZ Arizona,CA California,CO Colorado,CT Connecticut,FL Florida
    GA Georgia,HI Hawaii,IA Iowa,ID Idaho,IL Illinois,IN Indiana,KS Kansas,KY Kentucky,LA Louisiana,MA Massachusetts
    MD Maryland,ME Maine,MI Michigan,MN Minnesota,MO Missouri,MS Mississippi,MT Montana,NC North Carolina
    ND North Dakota,NE Nebraska,NH New Hampshire,NJ New Jersey,NM New Mexico,NV Nevada,NY New York,OH Ohio
    OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas
    UT Utah,VA Virginia,VT Vermont,WA Washington,WI Wisconsin,WV West Virginia,WY Wyoming""".replace(
        "\n    ", ","
    ).split(",")
)
_NOT_COUNTRIES = {
    "Latin America & Caribbean (all income levels)",
    "OECD members",
    "Other small states",
    "Pacific island small states",
}
_KINDS = ("Municipal", "County", "Regional", "International", "Field", "City")


def tables() -> Iterator[Table]:
    yield from _airports()
    yield from _fertility()
    yield from _states()
    yield from _scotland()
    yield _executions()
    yield _smoking()


def _airports() -> Iterator[Table]:
    rows = [{k: " ".join(v.split()) for k, v in row.items()} for row in vega_csv("airports")]
    for code, state in _STATES.items():
        here = unique([row for row in rows if row["state"] == code], lambda row: row["name"].casefold())
        part = sorted(here, key=lambda row: row["iata"])[:18]
        yield make(
            f"airports-{code}",
            f"Airports in {state}" + ("" if len(here) == len(part) else ", the first by code"),
            {
                "Airport": [row["name"] for row in part],
                "Code": [row["iata"] for row in part],
                "City": [row["city"] for row in part],
                "Kind": [_kind(row["name"]) for row in part],
                "Latitude": numbers([row["latitude"] for row in part], 2),
                "Longitude": numbers([row["longitude"] for row in part], 2),
            },
        )


def _kind(name: str) -> str:
    return next((kind for kind in _KINDS if kind in name.replace("/", " ").split()), "other")


def _fertility() -> Iterator[Table]:
    years = [str(year) for year in range(1960, 1999)]
    countries = [row for row in statsmodels_csv("fertility") if row["Country Name"] not in _NOT_COUNTRIES]
    rows = [row for row in countries if all(row.get(year) for year in years)]
    for k, part in enumerate(pieces(sorted(rows, key=lambda row: row["Country Name"]), 16), 1):
        highest = [max(years, key=lambda year, row=row: (float(row[year]), year)) for row in part]  # type: ignore[misc]
        yield make(
            f"fertility-{k}",
            f"Births per woman, {part[0]['Country Name']} to {part[-1]['Country Name']}",
            {
                "Country": [row["Country Name"] for row in part],
                "Births per woman in 1960": numbers([row["1960"] for row in part], 2),
                "Births per woman in 1998": numbers([row["1998"] for row in part], 2),
                "Highest rate": [number(row[year], 2) for row, year in zip(part, highest, strict=True)],
                "Year of the highest rate": highest,
            },
        )


def _states() -> Iterator[Table]:
    for k, part in enumerate(pieces(statsmodels_csv("statecrime"), 17), 1):
        names = [row["state"] for row in part]
        where = f"{names[0].strip()} to {names[-1].strip()}, 2009"
        yield make(
            f"states-crime-{k}",
            f"Crime in US states, {where}",
            {
                "State": names,
                "Violent crime rate": numbers([row["violent"] for row in part], 1),
                "Murder rate": numbers([row["murder"] for row in part], 1),
                "Urban population (%)": numbers([row["urban"] for row in part], 1),
            },
        )
        yield make(
            f"states-life-{k}",
            f"Schooling and poverty in US states, {where}",
            {
                "State": names,
                "High school graduates (%)": numbers([row["hs_grad"] for row in part], 1),
                "Poverty (%)": numbers([row["poverty"] for row in part], 1),
                "Single-parent families (%)": numbers([row["single"] for row in part], 1),
            },
        )


def _scotland() -> Iterator[Table]:
    for k, part in enumerate(pieces(statsmodels_csv("scotland", "scotvote"), 16), 1):
        yield make(
            f"scotland-{k}",
            f"Scottish councils and the devolution vote of 1997, part {k}",
            {
                "Council": [row["COUNCILDIST"].replace("_", " ") for row in part],
                "Yes vote (%)": numbers([row["YES"] for row in part], 1),
                "Council tax (£)": numbers([row["COUTAX"] for row in part], prefix="£"),
                "Labour force participation (%)": numbers([row["ACT"] for row in part], 1),
                "GDP": numbers([row["GDP"] for row in part]),
            },
        )


def _executions() -> Table:
    rows = statsmodels_csv("cpunish")
    return make(
        "executions",
        "Executions in US states in the 1990s, with income and poverty",
        {
            "State": [row["STATE"] for row in rows],
            "South": ["yes" if row["SOUTH"] == "1" else "no" for row in rows],
            "Executions": numbers([row["EXECUTIONS"] for row in rows]),
            "Median income ($)": numbers([row["INCOME"] for row in rows], prefix="$"),
            "Poverty (%)": numbers([row["PERPOVERTY"] for row in rows], 1),
        },
    )


def _smoking() -> Table:
    rows = statsmodels_csv("china_smoking")
    return make(
        "smoking",
        "Smoking and lung cancer in eight Chinese cities",
        {
            "City": [row["Location"] for row in rows],
            "Smokers with lung cancer": numbers([row["smoking_yes_cancer_yes"] for row in rows]),
            "Smokers without lung cancer": numbers([row["smoking_yes_cancer_no"] for row in rows]),
            "Non-smokers with lung cancer": numbers([row["smoking_no_cancer_yes"] for row in rows]),
            "Non-smokers without lung cancer": numbers([row["smoking_no_cancer_no"] for row in rows]),
        },
    )
