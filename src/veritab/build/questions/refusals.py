"""What no claim can be made of, told before anything is tried: each reason in words for whoever wrote the question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import plain
from veritab.build.questions.enumeration import REQUESTS, split_question
from veritab.build.questions.unfronted import holds_statement, is_denied, is_yes_no, says_yes_or_no
from veritab.lexicon.grammar import ARTICLES, BE, PREPOSITIONS, QUESTION_WORDS

MOST_QUESTION_WORDS = 100
MOST_ANSWER_WORDS = 100
_TWO = re.compile(r"\?\s+(?=\w+\s+\w)")
_JOINED = re.compile(
    r"^(?:who|what|when|where|why|how|which)\b.*\band "
    r"(?:(?:(?:in|on|at) )?(?:what|when|where|why|how|which)\b(?! to\b)"
    r"|(?:by|for|from|to|with) (?:whom?|what|which)\b)",
    re.IGNORECASE,
)
OPEN_ENDS = BE | PREPOSITIONS | ARTICLES | frozenset("called named be that which".split())
"""After these the answer goes on: "the capital of France is"."""
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def refusal(question: str, answer: str) -> str:
    """Why no claim is made of a question and its answer; empty where one may be."""
    if not question.strip(" ?|"):
        return "no question"
    if not answer:
        return "no answer"
    size = question.count(" ") + 1
    if size > MOST_QUESTION_WORDS:
        return f"the question has {size:,} words; expected at most {MOST_QUESTION_WORDS}"
    size = answer.count(" ") + 1
    if size > MOST_ANSWER_WORDS:
        return f"the answer has {size:,} words; expected at most {MOST_ANSWER_WORDS}"
    if not any(map(str.isalnum, answer)):
        return f"the answer {answer!r} has neither letters nor digits"
    letters = [letter for letter in question if letter.isalpha()]
    if sum("LATIN" in unicodedata.name(letter, "") for letter in letters) * 2 <= len(letters):
        return "the question is not written in Latin letters; only English questions can be read"
    if _TWO.search(question) or _JOINED.search(question):
        return "two questions in one; ask each on a line of its own"
    words = split_question(question)
    if not words:
        return "no question"
    if _is_statement(words):
        return "a statement in which nothing is asked; ask with a question word"
    if says_yes_or_no(AnswerForm(answer), words) and is_denied(words):
        return 'a yes/no question with "not" in it, to which yes and no may mean the same; ask it without "not"'
    if holds_answer(question, answer) and not _asks(words):
        return "the answer is in the question already, and nothing is asked beside it"
    return ""


def no_reading(question: str) -> str:
    """Why a question that was not refused has no reading."""
    if is_yes_no(split_question(question)):
        return "a yes/no question, and the answer is neither yes, no nor one of its choices"
    return "no rule reads this question"


def remarks(question: str, answer: str, answers: Sequence[str], wordings: int) -> list[str]:
    """What whoever reads the claim should know: what was taken of several, and what looks wrong."""
    found = []
    if wordings > 1:
        found.append(f"{wordings} wordings of one question; the first that can be read was taken")
    if len(answers) > 1:
        found.append(f"the first of {len(answers)} answers was taken")
    if holds_answer(question, answer):
        found.append("the answer is in the question already")
    if not _paired(answer):
        found.append("the answer has an unpaired bracket")
    return found


def holds_answer(question: str, answer: str) -> bool:
    """Whether the answer's words stand in the question."""
    return f" {_spaced(answer)} " in f" {_spaced(question)} "


def _spaced(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _asks(words: Sequence[str]) -> bool:
    return is_yes_no(words) or any(plain(word) in QUESTION_WORDS for word in words)


def _is_statement(words: Sequence[str]) -> bool:
    """Whether nothing is asked, nor left open at the end for the answer, nor called "this" as in quizzes."""
    lower = [plain(word) for word in words]
    opens = lower[0] in REQUESTS or lower[-1] in OPEN_ENDS or lower[-2:-1] == ["this"]
    return not (opens or is_yes_no(words)) and holds_statement(words)


def _paired(text: str) -> bool:
    opened: list[str] = []
    for letter in text:
        if letter in _BRACKETS.values():
            opened.append(letter)
        elif letter in _BRACKETS and (not opened or opened.pop() != _BRACKETS[letter]):
            return False
    return not opened
