"""Where the server shows pages, elements and claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from veritab.render.html import anchor_name
from veritab.schema import ElementId, Kind

_MOST_MARKS = 200


@dataclass(frozen=True)
class PageAddresses:
    """The addresses that verdicts and tables link to, in the corpus of that name; the server's first without one."""

    corpus: str = ""

    def to(self, path: str, **parameters: str) -> str:
        """A page of this server, about the same corpus."""
        query = urlencode(parameters | ({"corpus": self.corpus} if self.corpus else {}))
        return f"{path}?{query}" if query else path

    def page(self, title: str, mark: Iterable[ElementId] = ()) -> str:
        """Where a page of the corpus is shown; with elements, opened at the first of them and all of them marked.

        The title is a parameter, because a browser takes the title ".." in a path for the folder above.
        """
        marks = [anchor_name(id) for id in mark]
        about = [("corpus", self.corpus)] if self.corpus else []
        query = urlencode([("title", title), *about, *(("mark", each) for each in marks)])
        return f"/page?{query}" + (f"#{marks[0]}" if marks else "")

    def original(self, title: str, page: int, mark: Iterable[ElementId] = (), path: str = "/original") -> str:
        """Where a page or a sheet of the file is shown that a document was read from, with elements marked."""
        about = [("corpus", self.corpus)] if self.corpus else []
        marks = [("mark", anchor_name(id)) for id in mark][:_MOST_MARKS]
        return f"{path}?{urlencode([('title', title), ('page', page), *about, *marks])}"

    def element(self, id: ElementId) -> str:
        """Where an element is shown."""
        return self.page(id.page, [] if id.kind is Kind.TITLE else [id])

    def claim(self, text: str, revision: str = "") -> str:
        """Where a claim is checked; a link with the revision shows whether the corpus has changed since."""
        return self.to("/check", claim=text, **({"at": revision} if revision else {}))
