"""Verdicts as one page of HTML that needs nothing else: no script, no network, light and dark, for screen and paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Any, TextIO

from veritab.errors import InputError
from veritab.render.articles import CLASSES, NAMES, article, chip
from veritab.render.markup import Markup, head, joined, tag
from veritab.render.tables import Tables
from veritab.render.view import FoundClaim, stretches
from veritab.schema import Label, Verdict

_STYLE = Path(__file__).with_name("report.css")
_IN_MEMORY = 8 << 20


@dataclass(frozen=True)
class Html:
    """A report on many verdicts, with counts and a choice of labels to be shown."""

    title: str = "Claims checked"
    note: str = ""
    """A line under the title: when, by whom, what for."""
    tables: Tables | None = None
    """Finds the tables that cells lie in; without it they are drawn with the headers their contexts name."""
    language: str = "en"

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write the report; the articles wait on disk, as the counts above them are known only after the last one."""
        counts: Counter[Label] = Counter()
        corpus: Mapping[str, Any] = {}
        with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", errors="replace", newline="\n") as waiting:
            for number, verdict in enumerate(verdicts, 1):
                counts[verdict.label] += 1
                corpus = corpus or verdict.corpus
                waiting.write(article(verdict, number, self.tables) + "\n")
            waiting.seek(0)
            out.write(self._before(counts, corpus))
            out.write("<main>\n" if counts else "<main><p class=none>There were no claims.</p>\n")
            copyfileobj(waiting, out)
        out.write(f"</main>\n{_AFTER}")
        return counts.total()

    def text_page(self, body: str, found: Sequence[FoundClaim], verdicts: Sequence[Verdict]) -> str:
        """A page with a whole text in which the sentences that were checked are marked, and a note for each."""
        if len(found) != len(verdicts):
            raise InputError(f"{len(found)} sentences were found and {len(verdicts)} verdicts given; give one for each")
        counts = Counter(verdict.label for verdict in verdicts)
        corpus = next((verdict.corpus for verdict in verdicts if verdict.corpus), {})
        told = [
            article(verdict, number, self.tables, back=f"#sentence-{number}")
            for number, verdict in enumerate(verdicts, 1)
        ]
        return joined(
            Markup(self._before(counts, corpus, of_text=True)),
            Markup("<main>\n"),
            tag("section", *_paragraphs(body, found, verdicts), class_="text", aria_label="The text"),
            Markup("\n"),
            tag("section", *told, class_="verdicts", aria_label="What was found"),
            Markup(f"</main>\n{_AFTER}"),
        )

    def _before(self, counts: Counter[Label], corpus: Mapping[str, Any], *, of_text: bool = False) -> str:
        start = head(self.title, _STYLE.read_text(encoding="utf-8"))
        top = tag(
            "header",
            tag("h1", self.title, dir="auto"),
            tag("p", self.note, dir="auto") if self.note else None,
            tag("p", _corpus_in_words(corpus), class_="corpus") if corpus else None,
            _choice(counts) if counts else None,
            class_="page",
        )
        opening = f'<!doctype html>\n<html lang="{joined(self.language)}">\n{start}\n'
        return f"{opening}<body{' class=of-text' if of_text else ''}>\n{top}\n"


_AFTER = """<footer><p>Made by Veritab, which checks claims against documents and shows the evidence.</p></footer>
</body>
</html>
"""


def html_text(body: str, found: Sequence[FoundClaim], verdicts: Sequence[Verdict], **options: Any) -> str:
    """A whole text marked up, with a note for each sentence that was checked; the options are those of `Html`."""
    return Html(**{"title": "Text checked", **options}).text_page(body, found, verdicts)


def _corpus_in_words(corpus: Mapping[str, Any]) -> str:
    pages = corpus.get("pages")
    told = [f"Checked against {corpus.get('name') or 'a corpus'}"]
    told += [f"{pages:,} pages"] if isinstance(pages, int) else []
    told += [f"revision {corpus['revision']}"] if corpus.get("revision") else []
    return " · ".join(told)


# -- the choice of labels ----------------------------------------------------------------------------------


def _choice(counts: Counter[Label]) -> Markup:
    """Counts by label; each is also a button that leaves only its verdicts on the page, which needs no script."""
    every = counts.total()
    buttons = [_button("all", joined("All ", tag("b", f"{every:,}")), checked=True)]
    buttons += [
        _button(CLASSES[label], joined(chip(label), " ", tag("b", f"{counts[label]:,}")), disabled=not counts[label])
        for label in Label
    ]
    return joined(
        tag(
            "div",
            *(
                tag("span", class_=f"piece {CLASSES[label]}", style=f"flex-grow:{counts[label]}")
                for label in Label
                if counts[label]
            ),
            class_="bar",
            role="img",
            aria_label=", ".join(f"{NAMES[label]} {counts[label]:,}" for label in Label),
        ),
        tag("fieldset", tag("legend", "Show"), *buttons, class_="choice"),
    )


def _button(name: str, shown: Markup, *, checked: bool = False, disabled: bool = False) -> Markup:
    id = f"show-{name}"
    return joined(
        tag("input", type="radio", name="show", id=id, checked=checked, disabled=disabled), tag("label", shown, for_=id)
    )


# -- a text ------------------------------------------------------------------------------------------------


def _paragraphs(body: str, found: Sequence[FoundClaim], verdicts: Sequence[Verdict]) -> Iterator[Markup]:
    """The text by its own paragraphs; a sentence that goes over the end of one is marked in both."""
    pieces: list[tuple[str, int | None]] = []
    for stretch in stretches(body, found):
        lines = stretch.text.splitlines()
        pieces += [piece for line in lines for piece in ((line, stretch.number), ("\n", None))][:-1]
        pieces += [("\n", None)] if stretch.text.endswith(("\n", "\r")) else []
    begun: set[int] = set()
    for ends, run in groupby(pieces, key=lambda piece: piece[0] == "\n"):
        told = [] if ends else list(run)
        if any(text.strip() for text, _ in told):
            yield tag("p", *(_marked(*piece, verdicts, begun) for piece in told), dir="auto")


def _marked(text: str, number: int | None, verdicts: Sequence[Verdict], begun: set[int]) -> Markup:
    if number is None:
        return joined(text)
    label = verdicts[number].label
    note = tag(
        "a",
        tag("sup", number + 1),
        href=f"#verdict-{number + 1}",
        aria_label=f"note {number + 1}: {NAMES[label]}",
    )
    id = None if number in begun else f"sentence-{number + 1}"
    begun.add(number)
    return tag("mark", text, note if id else None, class_=CLASSES[label], id=id)
