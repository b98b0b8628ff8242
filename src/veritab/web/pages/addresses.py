"""Where the server shows pages, elements and claims."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from veritab.render.html import anchor_name
from veritab.schema import ElementId, Kind


class PageAddresses:
    """The addresses that verdicts and tables link to."""

    def page(self, title: str, mark: Iterable[ElementId] = ()) -> str:
        """Where a page of the corpus is shown; with elements, opened at the first of them and all of them marked.

        The title is a parameter, because a browser takes the title ".." in a path for the folder above.
        """
        marks = [anchor_name(id) for id in mark]
        query = urlencode([("title", title), *(("mark", each) for each in marks)])
        return f"/page?{query}" + (f"#{marks[0]}" if marks else "")

    def element(self, id: ElementId) -> str:
        """Where an element is shown."""
        return self.page(id.page, [] if id.kind is Kind.TITLE else [id])

    def claim(self, text: str, revision: str = "") -> str:
        """Where a claim is checked; a link with the revision shows whether the corpus has changed since."""
        return "/check?" + urlencode({"claim": text} | ({"at": revision} if revision else {}))


ADDRESSES = PageAddresses()
