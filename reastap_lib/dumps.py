"""MediaWiki XML dumps as a stream of pages: bzip2, gzip or plain, any encoding that XML knows, memory flat."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from mwxml import Page, SiteInfo
from mwxml.element_iterator import ElementIterator
from mwxml.errors import MalformedXML

from workbench_lib.errors import InputError
from workbench_lib.files import sha256_of_file

_OPENERS: dict[bytes, Callable[[Any], Any]] = {b"BZh": bz2.BZ2File, b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw)}
_TABLE_MARKS = ("{|", "<table", "<TABLE", "{{(!")
_WIKITEXT = (None, "", "wikitext")


@dataclass(frozen=True)
class DumpPage:
    """A page of a dump in its last revision.

    Args:
        id: Its number in the wiki.
        title: With the namespace, where it is not an article.
        text: Wikitext.
        fault: Why it is of no use for tables, or nothing.
    """

    id: int
    title: str
    text: str
    fault: str = ""


def sha256_of_dump(path: Path) -> str:
    """Hex sha256 of a dump as it is packed.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        return sha256_of_file(path)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None


class Dump:
    """A dump that is read once, from the first page to the last."""

    def __init__(self, path: Path):
        self.path = path
        self._raw: IO[bytes] = path.open("rb")
        self._bytes = path.stat().st_size

    def __enter__(self) -> Dump:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._raw.close()

    @property
    def share_read(self) -> float:
        """The share of the file's bytes that were read, from 0 to 1."""
        return self._raw.tell() / max(self._bytes, 1)

    def pages(self) -> Iterator[DumpPage]:
        """The pages in order.

        Raises:
            InputError: this is no dump, or it is damaged or ends early; names the last page.
        """
        last = "before the first page"
        try:
            for page in self._elements():
                found = _dump_page(page)
                last = f"after the page {found.title!r}"
                yield found
        except (ParseError, MalformedXML, EOFError, OSError, ValueError, UnicodeError) as error:
            reason = str(error).split("...")[0].split("\n")[0][:100]
            raise InputError(f"not a MediaWiki dump, or damaged, {last} ({reason})", path=self.path) from None

    def _elements(self) -> Iterator[Any]:
        start = self._raw.read(3)
        self._raw.seek(0)
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)
        stream: Any = opener(self._raw) if opener else self._raw
        root = ElementIterator.from_file(stream)
        if root.tag != "mediawiki":
            raise MalformedXML(f"the root is <{root.tag}>")
        namespaces = None
        for element in root:
            if element.tag == "siteinfo":
                found = SiteInfo.from_element(element).namespaces
                namespaces = {namespace.name: namespace for namespace in found or ()}
            elif element.tag == "page":
                yield Page.from_element(element, namespaces)
            root.element.clear()  # or the root would keep an empty element for every page


def _dump_page(page: Any) -> DumpPage:
    revision = None
    for revision in page:  # noqa: B007 (the last one is meant)
        pass
    text = (revision.text if revision else None) or ""
    return DumpPage(page.id or 0, page.title, text, _fault(page, getattr(revision, "model", None), text))


def _fault(page: Any, model: str | None, text: str) -> str:
    if page.namespace != 0:
        return "not an article"
    if page.redirect or text.lstrip()[:9].upper() == "#REDIRECT":
        return "redirect"
    if model not in _WIKITEXT:
        return "not wikitext"
    return "" if any(mark in text for mark in _TABLE_MARKS) else "no table on the page"
