"""Verdicts as their pages show them, and those that were shown last, so that what is kept is what was seen."""

from __future__ import annotations

from collections import OrderedDict

from veritab.render.html import VerdictHtml
from veritab.render.json import verdict_to_json
from veritab.web.archive import KeptVerdict
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.templating import render_blocks

_BLOCKS = ("answer", "grounds", "certificate")
_MOST_RECENT = 32


class RecentVerdicts:
    """The verdicts that were shown last."""

    def __init__(self) -> None:
        self._drawn: OrderedDict[tuple[str, str], KeptVerdict] = OrderedDict()

    def add(self, verdict: KeptVerdict) -> None:
        self._drawn[verdict.corpus, verdict.claim] = verdict
        self._drawn.move_to_end((verdict.corpus, verdict.claim))
        if len(self._drawn) > _MOST_RECENT:
            self._drawn.popitem(last=False)

    def find(self, corpus: str, claim: str) -> KeptVerdict | None:
        """What was last said of a claim, if that is not long ago."""
        return self._drawn.get((corpus, claim))


def draw_verdict(verdict: VerdictHtml, corpus: str) -> KeptVerdict:
    """A verdict as its page shows it now."""
    addresses = PageAddresses(corpus)
    drawn = render_blocks("verdict.html", _BLOCKS, verdict=verdict, view=verdict.view, to=addresses.to)
    record = verdict_to_json(verdict.verdict)
    return KeptVerdict(verdict.view.claim, corpus, verdict.view.label.words, drawn, record)
