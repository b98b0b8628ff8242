"""What is said of two things at once: "Like A, B was founded in 1898", "Unlike A, B lies in Nepal"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.reason.plain import decide_plainly
from veritab.reason.reasoner import Reasoning
from veritab.reason.subjects import Subjects

_LIKE = re.compile(
    r"(?P<like>like|unlike) (?P<one>[^,]+), (?P<other>.+?) (?P<said>(?:is|was|has|had|lies|died) .+)", re.I
)
_BOTH = re.compile(
    r"both (?P<one>.+?) and (?P<other>.+?) (?P<verb>are|were|have|had|lie|died) (?P<said>.+)", re.IGNORECASE
)
_SINGULAR = {"are": "is", "were": "was", "have": "has", "lie": "lies"}


def decide_likeness(claim: str, text: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answer where what is said can be decided for each of the two."""
    if found := _LIKE.fullmatch(text):
        parts = [f"{found[name]} {found['said']}" for name in ("other", "one")]
        wanted = [True, found["like"].lower() == "like"]
    elif found := _BOTH.fullmatch(text):
        verb = _SINGULAR.get(found["verb"].lower(), found["verb"])
        parts = [f"{found[name]} {verb} {found['said']}" for name in ("one", "other")]
        wanted = [True, True]
    else:
        return
    decided = [decide_plainly(part, subjects) for part in parts]
    known = [(each, want) for each, want in zip(decided, wanted, strict=True) if each and each.answer is not None]
    against = [each for each, want in known if each.answer is not want]
    if not against and len(known) < len(parts):
        return
    deciding = against[:1] or [each for each, _ in known]
    true = 1 - min(each.confidence for each in deciding) if against else min(each.confidence for each in deciding)
    lines = tuple(line for each in deciding for line in each.lines)
    cells = tuple(dict.fromkeys(cell for each in deciding for cell in each.cells))
    facts = tuple(fact for each in deciding for fact in each.facts)
    form = "; ".join(each.form for each in deciding)
    yield Reasoning(claim, not against, true, deciding[0].program, lines, cells, facts, form)
