"""Controls of the notebooks' explorers: a search box, an area that follows its controls, pages of a corpus.

They show what pure functions return, so that every view also stands in the notebook as a table or picture: nothing is
lost where there is no kernel. A fault of the input is told in place.

Choices are buttons and numbers are boxes: JupyterLab takes the arrow keys and letters away from lists and sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets
import traitlets
from IPython.core.getipython import get_ipython

from workbench_lib.browsing import Scan
from workbench_lib.display import Live, show_note, show_table
from workbench_lib.errors import WorkbenchError

MATCHES = 20
"""The most matches of a search that are sent to the browser."""

MOST_ROWS = 50
"""The most rows of a page."""

Controls = Mapping[str, ipywidgets.Widget]


def live(make: Callable[[], ipywidgets.Widget]) -> ipywidgets.Widget | Live:
    """The controls where there is someone to use them; in a batch run a sentence that says how to get them.

    So an executed notebook holds no dead controls, and a page that is exported from it loads nothing to draw them.
    """
    if is_interactive():
        return make()
    return show_note("Run this cell in JupyterLab: the controls appear here.")


def is_interactive() -> bool:
    """Whether a front end with cells (JupyterLab, Jupyter Notebook, VS Code) sent the cell that runs now."""
    kernel = getattr(get_ipython(), "kernel", None)
    return kernel is not None and "cellId" in kernel.get_parent().get("metadata", {})


def choice(description: str, options: Sequence[Any], **more: Any) -> ipywidgets.ToggleButtons:
    """Buttons of which one is chosen; options as ipywidgets takes them: values, or pairs of a text and a value."""
    style = {"button_width": "auto"}
    return ipywidgets.ToggleButtons(options=options, description=description, style=style, **more)


def number(description: str, value: int, least: int, most: int) -> ipywidgets.BoundedIntText:
    """A box for a whole number."""
    return ipywidgets.BoundedIntText(value, least, most, description=description, layout={"width": "170px"})


def follow(show: Callable[..., Any], controls: Controls) -> ipywidgets.HTML:
    """An area with what `show(**values)` returns for the values of the controls, renewed whenever one changes.

    Args:
        show: Returns something with `_repr_html_`; a WorkbenchError that it raises is shown in place.
        controls: Each with a `value`, by the names of the arguments.
    """
    area = ipywidgets.HTML(layout={"width": "auto"})

    def renew(_: Any = None) -> None:
        area.value = _html(lambda: show(**_values(controls)))

    _watch(controls, renew)
    renew()
    return area


def beside(*parts: ipywidgets.Widget) -> ipywidgets.Box:
    """Parts from left to right, in several lines where the window is narrow."""
    return ipywidgets.Box(parts, layout={"display": "flex", "flex_flow": "row wrap", "align_items": "flex-start"})


def shown_for(view: ipywidgets.Widget, part: ipywidgets.Widget, values: Sequence[Any]) -> None:
    """Show a part only while the view has one of the values."""

    def renew(_: Any = None) -> None:
        part.layout.display = None if view.value in values else "none"

    _watch({"view": view}, renew)
    renew()


class Search(ipywidgets.VBox):  # type: ignore[misc]
    """A box to type in and the matches below it; `value` is the chosen one, empty where nothing matches.

    Args:
        search: At most so many matches of a text.
        what: What is searched for, in the singular.
        text: What the box holds at first.
    """

    value = traitlets.Unicode("")

    def __init__(self, search: Callable[[str, int], list[str]], what: str, text: str = ""):
        self._search, self._what = search, what
        self.box = ipywidgets.Text(text, description="Search", placeholder=f"type a {what}", continuous_update=True)
        self.matches = choice("", [])
        self.note = ipywidgets.HTML()
        super().__init__([self.box, self.note, self.matches], layout={"width": "320px"})
        self.box.observe(self._find, "value")
        self.matches.observe(self._choose, "value")
        self._find()

    def _find(self, _: Any = None) -> None:
        found = self._search(self.box.value, MATCHES)[:MATCHES]
        self.matches.options = found
        self.matches.value = found[0] if found else None
        self.note.value = show_note(self._told(len(found))).html

    def _choose(self, _: Any = None) -> None:
        self.value = self.matches.value or ""

    def _told(self, found: int) -> str:
        if not found:
            return f"No {self._what} holds “{self.box.value}”."
        return f"The first {found} matches; type more to narrow them." if found == MATCHES else f"{found} found."


class Pages(ipywidgets.VBox):  # type: ignore[misc]
    """The rows of a corpus that the controls ask for, a few at a time.

    Args:
        start: Begins a search for the values of the controls.
        controls: Each with a `value`, by the names of the arguments.
    """

    def __init__(self, start: Callable[..., Scan], controls: Controls):
        self._start, self._controls = start, controls
        self.size = number("Rows", 5, 1, MOST_ROWS)
        self.next = ipywidgets.Button(description="Next rows", icon="arrow-right")
        self.note, self.table = ipywidgets.HTML(), ipywidgets.HTML(layout={"width": "auto"})
        asked = {**controls, "rows": self.size}
        super().__init__([beside(*asked.values(), self.next), self.note, self.table])
        _watch(asked, self._restart)
        self.next.on_click(self._turn)
        self._restart()

    def _restart(self, _: Any = None) -> None:
        self._scan, self._given = self._start(**_values(self._controls)), 0
        self._turn()

    def _turn(self, _: Any = None) -> None:
        self.table.value = _html(self._page)
        self.next.disabled = self._scan.is_over

    def _page(self) -> Live:
        frame = self._scan.take(self.size.value)
        first, self._given = self._given + 1, self._given + len(frame)
        looked = f"looked at {self._scan.looked_at:,} of {len(self._scan.corpus):,} rows"
        end = "" if not self._scan.is_over else "; these are all"
        told = f"Matches {first:,} to {self._given:,}" if len(frame) else "No more matches" if first > 1 else "No match"
        self.note.value = show_note(f"{told} ({looked}{end}).").html
        return show_table(frame) if len(frame) else Live("")


def _values(controls: Controls) -> dict[str, Any]:
    return {name: control.value for name, control in controls.items()}


def _watch(controls: Controls, renew: Callable[[Any], None]) -> None:
    for control in controls.values():
        control.observe(renew, "value")


def _html(show: Callable[[], Any]) -> str:
    try:
        text: str = show()._repr_html_()
    except WorkbenchError as error:
        return show_note(str(error), is_fault=True).html
    return text
