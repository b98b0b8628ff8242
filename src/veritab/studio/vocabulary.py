"""The closed lists of FEVER, FEVEROUS and the studio: values are stored and published, labels are shown to people."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class Listed(StrEnum):
    """A word of a closed list: its value, what people read for it, and one sentence that explains it."""

    label: str
    help: str

    def __new__(cls, value: str, label: str = "", help: str = "") -> Self:
        word = str.__new__(cls, value)
        word._value_ = value
        word.label = label
        word.help = help
        return word


# -- claims ------------------------------------------------------------------------------------------------


class Challenge(Listed):
    """What makes a claim hard to verify: the six that FEVEROUS publishes, in its spelling."""

    NUMERICAL_REASONING = (
        "Numerical Reasoning",
        "Numerical reasoning",
        "Something has to be counted, added, subtracted or compared as numbers.",
    )
    MULTI_HOP_REASONING = (
        "Multi-hop Reasoning",
        "Multi-hop reasoning",
        "One piece of evidence leads to the next, on another page or in another section.",
    )
    ENTITY_DISAMBIGUATION = (
        "Entity Disambiguation",
        "Entity disambiguation",
        "A name in the claim fits several pages, and the right one has to be found.",
    )
    COMBINING_TABLES_AND_TEXT = (
        "Combining Tables and Text",
        "Combining tables or lists with text",
        "Cells or list items settle the claim only together with sentences.",
    )
    SEARCH_TERMS_NOT_IN_CLAIM = (
        "Search terms not in claim",
        "Search terms not in the claim",
        "The page with the evidence cannot be found by words of the claim.",
    )
    OTHER = "Other", "Other", "None of the other challenges stands out."


class ClaimType(Listed):
    """The three claims that FEVEROUS asks for about one highlight."""

    HIGHLIGHT_ONLY = "I", "Claim using the highlight", "It uses the highlight, its title and headings, nothing else."
    BEYOND_HIGHLIGHT = "II", "Claim beyond the highlight", "It uses the highlight and something that is not in it."
    MUTATED = "III", "Mutated claim", "It is one of the other two claims, changed in the way that is asked for."


class PrescribedTruth(Listed):
    """Whether a claim of type I has to be true or false."""

    TRUE = "true", "True", "The claim agrees with the highlight."
    FALSE = "false", "False", "The claim contradicts the highlight."


class PageRule(Listed):
    """Where a claim of type II takes what is not in the highlight from."""

    SAME_PAGE = "same page", "Same page", "Add something from elsewhere on the page of the highlight."
    SEVERAL_PAGES = "several pages", "Several pages", "Add something from at least one other page."


class MutationType(Listed):
    """How a claim is changed into another one."""

    SPECIFICATION = (
        "specification",
        "More specific",
        "Say more, so that the new claim implies the old one.",
    )
    GENERALISATION = (
        "generalisation",
        "More general",
        "Say less, so that the old claim implies the new one.",
    )
    NEGATION = (
        "negation",
        "Negation",
        "Say the opposite, so that old and new claim cannot both be true.",
    )
    PARAPHRASE = (
        "paraphrase",
        "Paraphrase",
        "Say the same in other words.",
    )
    ENTITY_SUBSTITUTION = (
        "entity substitution",
        "Entity substitution",
        "Put another person, place or thing in the place of one that the claim names.",
    )
    SIMILAR_SUBSTITUTION = (
        "similar substitution",
        "Substitution by something similar",
        "Replace the verb or its object by something of the same kind.",
    )
    DISSIMILAR_SUBSTITUTION = (
        "dissimilar substitution",
        "Substitution by something dissimilar",
        "Replace the verb or its object by something of another kind.",
    )


FEVEROUS_MUTATION_SHARES: Mapping[MutationType, float] = {
    MutationType.SPECIFICATION: 0.15,
    MutationType.GENERALISATION: 0.15,
    MutationType.NEGATION: 0.30,
    MutationType.PARAPHRASE: 0.10,
    MutationType.ENTITY_SUBSTITUTION: 0.30,
}
"""How often each is asked for (FEVEROUS, 3.1.1)."""
FEVEROUS_MUTATIONS = tuple(FEVEROUS_MUTATION_SHARES)
FEVER_MUTATIONS = (
    MutationType.PARAPHRASE,
    MutationType.NEGATION,
    MutationType.SIMILAR_SUBSTITUTION,
    MutationType.DISSIMILAR_SUBSTITUTION,
    MutationType.SPECIFICATION,
    MutationType.GENERALISATION,
)
"""All six are asked for at once (FEVER, A.4)."""


class HighlightKind(Listed):
    """What a claim is written about."""

    SENTENCES = "sentences", "Sentences"
    TABLE = "table", "Table"


# -- what people are asked, and what they answer -----------------------------------------------------------


class TaskKind(Listed):
    """What somebody does in one task; its value is the name of the guideline too."""

    FEVER_CLAIMS = "fever-claims", "Write claims", "Write true claims about one sentence."
    FEVER_MUTATIONS = "fever-mutations", "Change claims", "Change a claim in six ways."
    FEVER_LABELLING = "fever-labelling", "Label claims", "Find the sentences that support or refute a claim."
    FEVEROUS_CLAIMS = "feverous-claims", "Write three claims", "Write three claims about sentences or a table."
    FEVEROUS_VERIFICATION = (
        "feverous-verification",
        "Verify claims",
        "Find the sentences, items and cells that settle a claim, and give the verdict.",
    )
    PLAIN_VERIFICATION = "plain-verification", "Verify claims of a file", "Find the evidence for a claim that is given."
    PLAIN_RATING = "plain-rating", "Rate claims", "Say whether a claim reads well, then whether it is true."


class SkipReason(Listed):
    """Why a claim is skipped when it should be labelled (FEVER, A.7.3)."""

    NOT_ENOUGH_INFORMATION = (
        "not enough information",
        "Not enough information",
        "Other public sources may settle the claim; these pages do not.",
    )
    NOT_FOR_ME = "not for me", "Not for me: give it to somebody else", "Somebody else will be able to label it."
    AMBIGUOUS_OR_PERSONAL = (
        "ambiguous or personal",
        "Ambiguous or personal",
        "No public source can settle the claim: it is vague, implausible or about somebody's private life.",
    )
    AGAINST_GUIDELINES = (
        "against guidelines",
        "Against the guidelines for claims",
        "The claim should not have been written like that.",
    )
    TYPO = "typo", "Typing or grammar mistake", "A small correction would make it a good claim."


class HighlightSkipReason(Listed):
    """Why no claims are written about a sentence, sentences or a table (FEVER, A.2; FEVEROUS, 3.1.1 and 7.9.1)."""

    FORMATTING = "formatting", "Formatting problems", "It is damaged, cut off or garbled."
    NOTHING_VERIFIABLE = (
        "nothing verifiable",
        "Nothing verifiable",
        "No clear claim can be made of it that anybody could look up.",
    )
    DISPUTED = "disputed", "Disputed", "It is only about disputed matters, or about politics of our days."
    NOT_FOR_ME = "not for me", "Not for me: give it to somebody else", "Somebody else will be able to write about it."


class ReportReason(Listed):
    """Why a claim is reported instead of verified (FEVEROUS, 7.10.2)."""

    UNVERIFIABLE = (
        "unverifiable",
        "Cannot be verified or understood",
        "The claim is personal, implausible, too ambiguous, or not to be understood by itself.",
    )
    AGAINST_GUIDELINES = (
        "against guidelines",
        "Against the guidelines for claims",
        "The claim has a figure of speech, needless words or a political topic of our days.",
    )
    LANGUAGE = "language", "Grammar, spelling or typing mistake", "The claim is not written in correct English."
    EVIDENCE_NOT_SHOWN = (
        "evidence not shown",
        "Evidence is not shown correctly",
        "A page or table that the verdict needs is damaged or incomplete here.",
    )
    OWN_NOTE = "note", "Another reason", "Say in a sentence what is wrong."


class ClaimRating(Listed):
    """How well a claim reads (FaVIQ)."""

    PERFECT = "perfect", "Perfect", "It reads as if somebody had written it with care."
    MINOR_ISSUES = "minor", "Minor issues", "It has mistakes, but it can be understood."
    INCOMPREHENSIBLE = "incomprehensible", "Incomprehensible", "It cannot be understood, so it gets no label."


class FalsehoodCause(Listed):
    """What makes a refuted claim false (FaVIQ, appendix B)."""

    NEGATION = "negation", "Negation", "It denies what the evidence says, with a word such as not."
    ANTONYM = "antonym", "Antonym", "A word of it is the opposite of one of the evidence: lost, where they won."
    CONJUNCTIONS = (
        "conjunctions",
        "Requires reading across conjunctions",
        "Part of it fits, and only all of it together is false.",
    )
    SHARED_ATTRIBUTES = (
        "shared attributes",
        "Shared attributes",
        "It takes one thing for another that has much in common with it.",
    )
    PROCEDURAL_EVENT = (
        "procedural event",
        "Procedural event",
        "It takes one step of a course of events for another.",
    )
    PROPERTY_TYPE = (
        "property type",
        "Incorrect type of properties",
        "It gives a property of the wrong kind: a name, where a place was asked for.",
    )
    NO_CAUSE = "no cause", "Cannot find potential cause", "Nothing shows how anybody could have come to it."
    ANNOTATION_ERROR = "annotation error", "Annotation error", "It is true, or cannot be settled, whatever its label."


class SuggestionTime(Listed):
    """When the checker's own answer is shown to whoever verifies a claim."""

    HIDDEN = "hidden", "Never", "Nobody sees the checker's answer."
    AFTER = "after", "After the answer", "It is shown once the own answer was given, which may be changed then."
    FIRST = "first", "From the beginning", "It is shown with the claim."


ADVISED_SECONDS: Mapping[TaskKind, int] = {
    TaskKind.FEVER_CLAIMS: 120,
    TaskKind.FEVER_MUTATIONS: 60 * len(FEVER_MUTATIONS),
    TaskKind.FEVER_LABELLING: 180,
    TaskKind.FEVEROUS_VERIFICATION: 600,
}
"""The most that a whole task should take: two minutes, one for each mutation, two or three, ten.

FEVEROUS advises no time for writing claims; the other tasks are not of a paper.
"""
TIME_LIMITED = frozenset({TaskKind.FEVEROUS_VERIFICATION})
"""Where the advised time is a limit: the verdict is NOT ENOUGH INFO once it is over (FEVEROUS, 7.10.1)."""

# -- tasks and people --------------------------------------------------------------------------------------


class Pool(Listed):
    """What the answers to a task are for."""

    WORK = "work", "Work", "The answers become the data set."
    PRACTICE = "practice", "Practice", "The right answer is shown afterwards; nothing is exported."
    CALIBRATION = "calibration", "Calibration", "The answers decide whether somebody joins the work."
    GOLD = "gold", "Hidden gold", "The right answer is known, and nobody can tell it from work."
    SUPER = "super", "Super-annotation", "All the evidence there is gets looked for, without advice on time."


SHARED_POOLS = frozenset({Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD})
"""Where everybody answers every task: it never leaves the state open, and wants no certain number of answers."""


class Role(Listed):
    """What somebody may do in a project."""

    ANNOTATOR = "annotator", "Annotator", "You do tasks, and see your own work and its grades."
    MANAGER = "manager", "Manager", "You invite people, grade, decide where answers differ, and export."
    ADMINISTRATOR = "administrator", "Administrator", "You make projects and accounts, and do what managers do."
