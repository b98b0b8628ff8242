"""A corpus of a few pages made by hand, for builders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from veritab.errors import NotFound
from veritab.schema import Cell, Element, ElementId, Item, Link, ListBlock, Page, Sentence, TableBlock


class HandmadeCorpus:
    """Pages by title, as a store has them."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = {page.title: page for page in pages}

    def __len__(self) -> int:
        return len(self._pages)

    def page(self, title: str) -> Page:
        if title not in self._pages:
            raise NotFound(f"no page {title!r}")
        return self._pages[title]

    def element(self, id: ElementId | str) -> Element:
        address = ElementId.parse(id) if isinstance(id, str) else id
        found = next((each for each in self.page(address.page).elements if each.id == address), None)
        if found is None:
            raise NotFound(f"no element {str(address)!r}")
        return found

    def titles(self) -> Iterator[str]:
        return iter(self._pages)

    def pages(self) -> Iterator[Page]:
        return iter(self._pages.values())

    def close(self) -> None:
        """Nothing is open."""


def linked(text: str) -> Cell:
    return Cell(text, (Link(0, len(text), text),))


CORPUS = HandmadeCorpus(
    [
        Page(
            "Nile",
            (
                Sentence(0, "Nile is a river of northeastern Africa, usually regarded as the longest in the world."),
                Sentence(1, "Its delta begins north of Cairo."),
                Sentence(2, "Boats with square sails carried stone for the builders of temples."),
            ),
        ),
        Page("Danube", (Sentence(0, "Danube is a river in Europe that flows through ten countries."),)),
        Page("Cairo", (Sentence(0, "Cairo is the capital of Egypt and the largest city of the Arab world."),)),
        Page("Vienna", (Sentence(0, "Vienna is the capital of Austria, on both banks of the Danube."),)),
        Page("Egypt", (Sentence(0, "Egypt is a country in the northeast of Africa."),)),
        Page("Austria", (Sentence(0, "Austria is a landlocked country in central Europe."),)),
        Page("Ada Lovelace", (Sentence(0, "Ada Lovelace was an English mathematician who wrote about an engine."),)),
        Page("Alan Turing", (Sentence(0, "Alan Turing was a British mathematician who laid foundations."),)),
        Page("Franz Schubert", (Sentence(0, "Franz Schubert was an Austrian composer who lived in Vienna."),)),
        Page(
            "Capitals",
            (
                ListBlock(0, (Item("Cairo", (Link(0, 5, "Cairo"),)), Item("Vienna", (Link(0, 6, "Vienna"),)))),
                TableBlock(
                    0,
                    (
                        (Cell("Country", header=True), Cell("River", header=True), Cell("Capital", header=True)),
                        (Cell("Egypt", header=True), linked("Nile"), linked("Cairo")),
                        (Cell("Austria", header=True), linked("Danube"), linked("Vienna")),
                    ),
                ),
            ),
        ),
    ]
)
