"""Claims made of claims, each with the label it implies: FEVER's six mutations and FEVEROUS's five, on any claim.

What a mutation implies follows from the label of its source and from what the rule knows; `IMPLICATIONS` says it for
each rule, with the reason. Where nothing follows, the label is unknown: it is for the checker or for people to say.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol

from veritab.build import mutations
from veritab.build.kinds import PERSON, CorpusKinds, name_of
from veritab.build.negations import denials, says_one_thing, why_none
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, GivenClaim, LeftOut, earlier_origin
from veritab.build.rephrasing import rephrasings
from veritab.build.sampling import random_stream
from veritab.corpus import Corpus
from veritab.errors import InputError, NotFound, nearest_name
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.numbers import ORDINALS
from veritab.schema import Claim, Element, ElementId, Example, Kind, Label, Verdict
from veritab.text import squeeze, tokenize

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


class Implication(NamedTuple):
    """The labels that a mutation of a supported, refuted or undecided claim has, and why; None is unknown."""

    supports: Label | None
    refutes: Label | None
    not_enough: Label | None
    reason: str

    def of(self, label: Label | None) -> Label | None:
        """The label of a mutation of a claim that has this one."""
        return {S: self.supports, R: self.refutes, N: self.not_enough}.get(label) if label else None


IMPLICATIONS: Mapping[str, Implication] = {
    "same": Implication(S, R, N, "it says the same in other words"),
    "denied": Implication(R, S, N, "it denies the whole sentence, so that one of the two is true"),
    "denied in part": Implication(R, None, None, "it denies one of several things; another may be what is false"),
    "other value": Implication(R, None, None, "one thing has one such value; a wrong one may become right, or not"),
    "contrary": Implication(R, None, None, "both cannot be true, but both can be false"),
    "contradicted": Implication(R, None, None, "the evidence names another thing in this very place"),
    "open": Implication(None, None, None, "both may be true, and nothing at hand says that they are not"),
    "follows": Implication(S, None, None, "what is true of the narrower is true of the wider, not the other way"),
    "adds truth": Implication(S, R, N, "it says the same, and a thing besides that the corpus says"),
    "narrower": Implication(None, R, None, "if the wider claim is false, so is the narrower one; nothing else follows"),
}
"""What follows from how a claim was changed."""


class MutatedText(NamedTuple):
    """A changed claim: its text, the implication that holds for it, what was done, and evidence it needs besides."""

    text: str
    implication: str
    details: Mapping[str, Any]
    more_evidence: tuple[ElementId, ...] = ()


class SourceClaim(NamedTuple):
    """The claim that is changed, with what the corpus has of it."""

    text: str
    evidence: tuple[frozenset[ElementId], ...]
    kinds: CorpusKinds
    element_of: Callable[[ElementId], Element | None]


Rule = Callable[[SourceClaim, random.Random], Iterator[MutatedText]]

# -- names in a claim --------------------------------------------------------------------------------------

_NAME = re.compile(r"(?<![\w’'-])[A-Z0-9][\w.’'-]*(?:(?: (?:of|the|de|la|von|van|da|and))* [A-Z0-9][\w.’'-]*)*")
_NAMES_MORE = re.compile(r"^(?: [A-Z][\w’'-]+| (?:language|river|mountains|Prize|Games|Cup)\b|['’]s? [A-Z]|-)")


class _Mention(NamedTuple):
    start: int
    end: int
    name: str
    title: str


def _mentions(claim: str, kinds: CorpusKinds) -> list[_Mention]:
    """The things of the corpus that a claim names, longest names first where they overlap."""
    found = []
    for run in _NAME.finditer(claim):
        words = list(re.finditer(r"\S+", run[0]))
        while words:
            for count in range(len(words), 0, -1):
                start, end = run.start() + words[0].start(), run.start() + words[count - 1].end()
                name = claim[start:end].rstrip(".,'’")
                name = name.removesuffix("'s").removesuffix("’s")
                title = kinds.page_of(name)
                if title and not name.isdigit():
                    found.append(_Mention(start, start + len(name), name, title))
                    words = words[count:]
                    break
            else:
                words = words[1:]
    return found


def _swap(claim: str, mention: _Mention, new: str) -> str:
    """The claim with another name there, "the" before it where the names need it."""
    before, after = claim[: mention.start], claim[mention.end :]
    needs = _takes_the(new)
    if before.endswith(("the ", "The ")) and not needs:
        before = before[:-4]
    elif needs and not before.endswith(("the ", "The ")):
        new = f"the {new}" if before else f"The {new}"
    if not before:
        new = new[0].upper() + new[1:]
    return f"{before}{new}{after}"


_THE = re.compile(
    r"(?:River|Sea|Ocean|Islands|Alps|Mountains|Union|Empire|Kingdom|States|Republic|Netherlands|Desert|Gulf|Canal|"
    r"Telescope|Olympics|Games|Cup|System|Lakes|Way)$|"
    r"^(?:Nile|Danube|Rhine|Volga|Yangtze|Congo River|Matterhorn|Sun|Moon)$"
)


def _takes_the(name: str) -> bool:
    return bool(_THE.search(name))


# -- FEVER's six -------------------------------------------------------------------------------------------


def rephrase(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The same in other words."""
    for each in rephrasings(source.text):
        yield MutatedText(each.text, "same", {"by": each.by})


def negate(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A denial of it."""
    for each in denials(source.text):
        yield MutatedText(each.text, "denied" if each.whole else "denied in part", {"by": each.by})


_ONE_VALUED = re.compile(
    r"\b(?:was born (?:in|at)|died (?:in|at)|(?:is|was) the capital of|the capital of \S+ is|(?:is|was) named after|"
    r"(?:is|was) buried (?:in|at)|\d{4} [^,]* (?:was|were) held in)(?: the)? $"
)
"""What a thing has one of: another thing there makes it false."""
_ONE_SUBJECT = re.compile(
    r"^ (?:is|was) the (?:capital|only|first|last|(?:\w+-)?(?:\w{3,}est|most \w+)|second|third|fourth|fifth|sixth)\b"
)
"""What only one thing can be."""
_GENDERED = re.compile(r"\b(?:he|she|his|her|him|himself|herself)\b")


def substitute_similar(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A thing swapped for another of its kind: from a column or list it stands in, or called the same."""
    yield from _swap_cells(source, rng)
    for mention in _swappable(source):
        others = [each for each in source.kinds.similar(mention.title) if _fits(each, source)]
        near = [each for each in others if source.kinds.share_group(mention.title, each)] or others
        if near:
            yield _swapped(source, mention, rng.choice(near))


def substitute_dissimilar(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A thing swapped for one of another kind."""
    for mention in _swappable(source):
        others = [each for each in source.kinds.dissimilar(mention.title) if _fits(each, source)]
        if others:
            yield _swapped(source, mention, rng.choice(others))


def _swappable(source: SourceClaim) -> Iterator[_Mention]:
    """The mentions that are not part of a longer name, nor said of a noun: "the Latin nouns"."""
    for mention in _mentions(source.text, source.kinds):
        said_of_noun = source.text[: mention.start].endswith(("the ", "The ")) and not _takes_the(mention.name)
        if not said_of_noun and not _NAMES_MORE.match(source.text[mention.end :]):
            yield mention


def _swapped(source: SourceClaim, mention: _Mention, other: str) -> MutatedText:
    details = {"old": mention.name, "new": name_of(other)}
    if group := source.kinds.share_group(mention.title, other):
        details["both_in"] = group
    one_valued = _ONE_VALUED.search(source.text[: mention.start]) or (
        mention.start in (0, len("The ")) and _ONE_SUBJECT.search(source.text[mention.end :])
    )
    # A city and the country around it: who was born in the one was born in the other.
    nested = source.kinds.noun_of(mention.title) != source.kinds.noun_of(other)
    sure = one_valued and not nested and not _NEGATION.search(source.text)
    implied = "contradicted" if sure else "open"
    return MutatedText(_swap(source.text, mention, name_of(other)), implied, details)


def _fits(title: str, source: SourceClaim) -> bool:
    """Whether a thing can take the place of another: the claim does not name it, and no "his" may come to be wrong."""
    if _GENDERED.search(source.text) and source.kinds.sort_of(title) == PERSON:
        return False
    return not _is_named(title, source.text)


def _is_named(title: str, text: str) -> bool:
    return name_of(title).casefold() in text.casefold()


def _swap_cells(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A cell of the evidence swapped for another of its column.

    Where all cells are of one row, and the claim names that row, the row says that it is the one and not the other.
    """
    for gold in source.evidence:
        cells = sorted(id for id in gold if id.kind is Kind.CELL)
        rows = {(id.page, id.path[0], id.path[1]) for id in cells}
        for id in cells:
            element = source.element_of(id)
            text = element.text if element else ""
            found = re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-]| of\b)", source.text) if len(text) > 2 else None
            if not found or not element or any(map(str.isdigit, text)):
                continue
            row, column = _row_and_column(source, id)
            others = [each for each in column if each not in row and each.casefold() not in source.text.casefold()]
            if not others:
                continue
            headed = [each.text for each in element.context if each.id.kind is Kind.HEADER_CELL]
            named = [key for key in (*headed, *row) if key != text and len(key) > 2 and key in source.text]
            sure = len(rows) == 1 and len(gold) == len(cells) and named and not _compares(source.text)
            mention = _Mention(found.start(), found.end(), text, "")
            new = rng.choice(others)
            yield MutatedText(
                _swap(source.text, mention, new),
                "contradicted" if sure else "open",
                {"old": text, "new": new, "both_in": str(id.table)},
            )


def _row_and_column(source: SourceClaim, id: ElementId) -> tuple[list[str], list[str]]:
    """The other cells of a cell's row, and of its column, as texts."""
    try:
        page = source.kinds.corpus.page(id.page)
    except NotFound:
        return [], []
    table = next((each for each in page.tables if each.id == id.table), None)
    if table is None or table.infobox:  # what stands below each other there is of different kinds
        return [], []
    squares = table.squares(id) if id.path[1] < len(table.rows) else ()
    if not squares:
        return [], []
    row, column = squares[0]
    width = len(table.places[row])
    of_row = [table.text(row, each) for each in range(width)]
    of_column = []
    for line, places in enumerate(table.places):
        place = places[column] if column < len(places) else None
        if line != row and place and not table.rows[place[0]][place[1]].header:
            of_column.append(table.text(line, column))
    usable = [each for each in dict.fromkeys(of_column) if 2 < len(each) <= 60 and not any(map(str.isdigit, each))]
    return of_row, usable


_NEGATION = re.compile(r"\b(?:not|never|no|none|nor|neither|without|cannot|unlike)\b|n['’]t\b", re.IGNORECASE)
_COMPARING = re.compile(r"\b(?:than|only|both|all|every|each|none|most|same|as \w+ as|first|last|times)\b", re.I)


def _compares(claim: str) -> bool:
    words = [token.lower for token in tokenize(claim)]
    return bool(_COMPARING.search(claim)) or any(is_superlative(word) or is_comparative(word) for word in words)


# -- numbers, dates, opposites -----------------------------------------------------------------------------

_BOUNDED = re.compile(
    r"\b(?:than|least|most|over|under|about|around|nearly|almost|some|roughly|approximately|up to|between|from|to|"
    r"since|until|before|after|by|the|all|these|those|of|and|or)\s*$"
)
_RELATIVE = re.compile(r"\b(?:than|times|only|as \w+ as|at least|at most|together|average)\b")
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|discovered|invented|published|completed|built|launched|patented|isolated|"
    r"released|premiered|incorporated|demolished|dissolved|abolished|assassinated|executed|crowned|first)\b"
)
"""What happens to a thing once: another year makes it false. What is won or held may be so again."""
_VALUES = (mutations.year, mutations.number, mutations.day, mutations.count)


def change_value(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """Another number, year or date."""
    for rule in _VALUES:
        for change in rule(source.text, rng):
            text = change.apply(source.text)
            place = source.text.find(change.old)
            before, after = source.text[:place], source.text[place + len(change.old) :]
            if change.kind == "count" and _odd_count(change, before, after, source.text):
                continue
            # "Voyager 2" and "the 1908 Summer Olympics" are names.
            if text == source.text or source.text.count(change.old) > 1 or _in_name(before, after, change.kind):
                continue
            bounded = bool(_BOUNDED.search(before)) or bool(_RELATIVE.search(source.text))
            again = change.kind in ("year", "date") and not _ONCE.search(source.text)
            unsure = bounded or again or bool(_NEGATION.search(source.text))
            details = {"old": change.old, "new": change.new, "kind": change.kind}
            yield MutatedText(text, "open" if unsure else "other value", details)


def _odd_count(change: mutations.Mutation, before: str, after: str, claim: str) -> bool:
    """Whether a number in words says which is meant: "the first three dives", "as first languages"."""
    if re.search(rf"\b{change.new}\b", claim) or after.startswith(" of "):
        return True
    if change.old not in ORDINALS:
        return False
    return not re.search(r"\b(?:the|his|her|its|their) $", before) or bool(
        re.match(r" \w+s\b| (?:two|three|four)\b", after)
    )


def _in_name(before: str, after: str, kind: str) -> bool:
    if kind in ("date", "count"):
        return False
    return bool(re.search(r"[A-Z][\w’'-]* $", before) or re.match(r"(?:st|nd|rd|th)?[- ][A-Z]", after))


# The list of opposites is of words; in a sentence these are often something else ("left Paris", "one day").
_UNSURE_OPPOSITES = frozenset(
    """left right black white day night single double primary secondary end beginning major minor common rare popular
    unpopular defeated joined live-action animated hero villain acquired bought sold rich poor wealthy comedy tragedy
    summer winter started finished former current upper lower most least largely hardly including excluding always
    never domestic international success failure majority minority""".split()
)
_CONTRARIES = frozenset(
    """older younger oldest youngest before after earlier later earliest latest north south northern southern northeast
    southwest northwest southeast northeastern southwestern northwestern southeastern east west eastern western
    increase decrease increased decreased increasing decreasing more less largest smallest larger smaller highest
    lowest higher longest shortest longer shorter best worst tallest male female first last father mother brother
    sister son daughter husband wife inside outside above below""".split()
)


_IN_PASSING = frozenset("later earlier first last".split())
_SAID_OF_IT = re.compile(r"\b(?:is|was|are|were)(?: the)? $")


def use_opposite(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A word swapped for its opposite."""
    if _NEGATION.search(source.text):
        return
    for change in mutations.opposite(source.text, rng):
        if change.old in _UNSURE_OPPOSITES or change.new in _UNSURE_OPPOSITES:
            continue
        spans = list(re.finditer(rf"(?<![\w'-]){re.escape(change.old)}(?![\w'-])", source.text))
        if len(spans) != 1 or re.search(rf"\b{change.new}\b", source.text):
            continue
        if change.old == "more" and re.match(r"(?: than [\w,]+)? [a-z]{3,}s\b", source.text[spans[0].end() :]):
            change = change._replace(new="fewer")
        sure = change.old in _CONTRARIES and says_one_thing(source.text)
        if change.old in _IN_PASSING:
            # "A year later" and "the first man" only say which is meant.
            sure = sure and bool(_SAID_OF_IT.search(source.text[: spans[0].start()]))
        implied = "contrary" if sure else "open"
        yield MutatedText(change.apply(source.text), implied, {"old": change.old, "new": change.new})


# -- more general, more specific ---------------------------------------------------------------------------

_NOT_MONOTONE = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|only|all|every|each|few|fewer|less|most|least|first|last|except|unlike|"
    r"other|exactly|alone|any|than|both|same|half|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?P<in>[Ii]n) (?P<year>(?:1[0-9]|20)\d\d)\b(?!\s*(?:[–-]|and|or|to)\b)")
_IN_PLACE = re.compile(r"\b(?:in|from|near|at) (?:the )?$")


def generalise(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something wider: a place for one in it, a kind for a thing, a decade for a year."""
    if _not_monotone(source.text):
        return
    for found in _IN_YEAR.finditer(source.text):
        decade = f"{found['in']} the {found['year'][:3]}0s"
        text = f"{source.text[: found.start()]}{decade}{source.text[found.end() :]}"
        yield MutatedText(text, "follows", {"old": found[0], "new": decade, "by": "decade"})
    for mention in _mentions(source.text, source.kinds):
        is_a = source.kinds.is_a.get(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        if not is_a or _NAMES_MORE.match(after):
            continue
        if is_a.lies_in and _IN_PLACE.search(before) and not _is_named(is_a.lies_in.removeprefix("the "), source.text):
            place = is_a.lies_in
            cut = before.removesuffix("the ") if before.endswith(" the ") else before
            yield MutatedText(
                f"{cut}{place}{after}",
                "follows",
                {"old": mention.name, "new": place, "by": "place around"},
                (is_a.sentence,),
            )
        if not before and after.startswith(" ") and not re.match(r" (?:is|was|are|were) (?:an?|the)\b| and ", after):
            phrase = is_a.phrase
            article = "An" if phrase[0].lower() in "aeio" else "A"
            yield MutatedText(
                f"{article} {phrase}{after}",
                "follows",
                {"old": mention.name, "new": phrase, "by": "kind of thing"},
                (is_a.sentence,),
            )


def specify(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something narrower: what a thing is, said besides; or a place within a place."""
    if _not_monotone(source.text):
        return
    for mention in _mentions(source.text, source.kinds):
        is_a = source.kinds.is_a.get(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        if _NAMES_MORE.match(after):
            continue
        if is_a and not is_a.definite and after.startswith(" ") and before in ("", "The ") and is_a.noun not in after:
            phrase = is_a.phrase
            article = "an" if phrase[0].lower() in "aeio" else "a"
            yield MutatedText(
                f"{before}{mention.name}, {article} {phrase},{after}",
                "adds truth",
                {"new": f"{article} {phrase}", "by": "kind of thing"},
                (is_a.sentence,),
            )
        within = [each for each in source.kinds.places_within(mention.title) if not _is_named(each, source.text)]
        if within and _IN_PLACE.search(before):
            new = name_of(rng.choice(within))
            cut = before.removesuffix("the ") if before.endswith(" the ") and not _takes_the(new) else before
            yield MutatedText(f"{cut}{new}{after}", "narrower", {"old": mention.name, "new": new, "by": "place within"})


def _not_monotone(claim: str) -> str:
    """The word of a claim for which what holds of the narrower need not hold of the wider."""
    found = _NOT_MONOTONE.search(claim)
    if found:
        return found[0]
    return next((token.text for token in tokenize(claim) if is_superlative(token.lower)), "")


RULES: Mapping[str, Rule] = {
    "rephrase": rephrase,
    "negate": negate,
    "similar": substitute_similar,
    "dissimilar": substitute_dissimilar,
    "value": change_value,
    "opposite": use_opposite,
    "general": generalise,
    "specific": specify,
}
"""The mutations by name. FEVER's six; FEVEROUS's five are the same without "dissimilar"."""
_WHY_NONE = {
    "rephrase": "none of the ways to say the same fits it",
    "similar": "it names nothing of which the corpus knows others of its kind",
    "dissimilar": "it names nothing of which the corpus knows another kind that could stand there",
    "value": "it has no number, year or date that stands alone",
    "opposite": "it has no word with a sure opposite",
    "general": "it has no year, place or subject that something wider is known for",
    "specific": "it names nothing of which the corpus says something narrower",
}


def pick_rules(names: Iterable[str]) -> dict[str, Rule]:
    """The rules of those names; all of them where none is named."""
    chosen = list(names) or list(RULES)
    for name in chosen:
        if name not in RULES:
            raise InputError(
                f"there is no mutation {name!r}; did you mean {nearest_name(name, RULES)!r}? All: {', '.join(RULES)}"
            )
    return {name: RULES[name] for name in RULES if name in chosen}


# -- many claims -------------------------------------------------------------------------------------------


class ClaimChecker(Protocol):
    """What gives verdicts on claims: `veritab.Checker`."""

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]: ...


class DisputedLabel(NamedTuple):
    """A built claim of which the checker says another thing than how it was built implies."""

    id: str
    claim: str
    implied: str
    checked: str
    score: float


@dataclass
class LabelCheck:
    """What the checker said of the labels that mutations imply."""

    asked: int = 0
    agreed: Counter[str] = field(default_factory=Counter)
    differed: Counter[str] = field(default_factory=Counter)
    disagreements: list[DisputedLabel] = field(default_factory=list)

    def count(self, record: BuiltRecord, verdict: Verdict) -> None:
        """Count what the checker says of one record."""
        if record.label is None:
            return
        self.asked += 1
        if verdict.label is record.label:
            self.agreed[record.origin.rule] += 1
            return
        self.differed[record.origin.rule] += 1
        score = round(verdict.scores[verdict.label], 3)
        self.disagreements.append(DisputedLabel(record.id, record.claim, str(record.label), str(verdict.label), score))


class Mutator:
    """Makes claims of claims over a corpus."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        seed: int = 0,
        rules: Iterable[str] = (),
        most: int = 1,
        with_sources: bool = False,
    ) -> None:
        """`most` is how many claims each rule makes of one; `with_sources` yields the claims themselves, too."""
        self._corpus, self._seed, self._most, self._with_sources = corpus, seed, most, with_sources
        self._rules = pick_rules(rules)
        self._kinds = CorpusKinds(corpus, seed)

    def element_of(self, id: ElementId) -> Element | None:
        """The element with that address; None where the corpus has none."""
        try:
            return self._corpus.element(id)
        except NotFound:
            return None

    def mutate(self, claims: Iterable[GivenClaim | LeftOut], source: str) -> Iterator[Built]:
        """The mutations of claims, in their order; what a rule cannot do with a claim is told."""
        for given in claims:
            if isinstance(given, LeftOut):
                yield given
            else:
                yield from self._mutate(given, source)

    def _mutate(self, given: GivenClaim, source: str) -> Iterator[Built]:
        example = given.example
        claim = SourceClaim(example.claim.text, example.evidence, self._kinds, self.element_of)
        gold = tuple(tuple(sorted(each)) for each in example.evidence)
        if self._with_sources:
            origin = ClaimOrigin(source, example.claim.id, "source", self._seed)
            details = earlier_origin(example)
            yield BuiltRecord(
                example.claim.id, claim.text, example.label, origin, gold, silver=example.silver, details=details
            )
        made = {claim.text.casefold()}
        for name, rule in self._rules.items():
            rng = random_stream(self._seed, source, example.claim.id, name)
            found = _distinct(rule(claim, rng), made)
            chosen = rng.sample(found, self._most) if len(found) > self._most else found
            for number, each in enumerate(chosen, 1):
                made.add(each.text.casefold())
                yield self._record(example, each, name, number, source, gold)
            if not chosen:
                yield LeftOut(given.where, example.claim.id, self._why_none(name, claim.text), name)
        if len(made) == 1:
            yield LeftOut(given.where, example.claim.id, "no mutation fits it")

    def _record(
        self,
        example: Example,
        mutated: MutatedText,
        rule: str,
        number: int,
        source: str,
        gold: tuple[tuple[ElementId, ...], ...],
    ) -> BuiltRecord:
        implication = IMPLICATIONS[mutated.implication]
        label = implication.of(example.label)
        evidence = gold
        if mutated.more_evidence and gold:
            evidence = tuple(tuple(sorted({*each, *mutated.more_evidence})) for each in gold)
        details = {
            "claim": example.claim.text,
            "label": str(example.label) if example.label else "unknown",
            "implication": mutated.implication,
            **mutated.details,
            **earlier_origin(example),
        }
        id = f"{example.claim.id}-{rule}" + (f"-{number}" if self._most > 1 else "")
        origin = ClaimOrigin(source, example.claim.id, rule, self._seed)
        # Evidence that the rule added was found by it; nobody marked it for this claim.
        silver = example.silver or (bool(mutated.more_evidence) and bool(gold))
        return BuiltRecord(id, mutated.text, label, origin, evidence, silver=silver, details=details)

    @staticmethod
    def _why_none(rule: str, claim: str) -> str:
        if rule == "negate":
            return why_none(claim)
        if rule in ("general", "specific") and (word := _not_monotone(claim)):
            return f"with {word!r} in it, the wider does not follow from the narrower"
        return _WHY_NONE[rule]


def _distinct(found: Iterable[MutatedText], made: Collection[str]) -> list[MutatedText]:
    """Those that differ from what there is and from each other, whatever their white space and case."""
    kept: dict[str, MutatedText] = {}
    for each in found:
        text = squeeze(each.text)
        if text.casefold() not in made:
            kept.setdefault(text.casefold(), each._replace(text=text))
    return list(kept.values())


_TOGETHER = 32


def label_by_checker(claims: Iterable[GivenClaim | LeftOut], checker: ClaimChecker) -> Iterator[GivenClaim | LeftOut]:
    """Claims that have no label, with that of the checker and the evidence it found, which is silver."""
    waiting = iter(claims)
    while some := list(islice(waiting, _TOGETHER)):
        open_ones = [each for each in some if isinstance(each, GivenClaim) and each.example.label is None]
        verdicts = dict(
            zip(map(id, open_ones), checker.check_many([each.example.claim for each in open_ones]), strict=True)
        )
        for each in some:
            verdict = verdicts.get(id(each))
            yield _labelled(each, verdict) if verdict and isinstance(each, GivenClaim) else each


def _labelled(given: GivenClaim, verdict: Verdict) -> GivenClaim:
    found = frozenset(hit.element.id for hit in verdict.evidence)
    example = replace(given.example, label=verdict.label, evidence=(found,) if found else (), silver=True)
    return given._replace(example=example)


def check_labels(built: Iterable[Built], checker: ClaimChecker, check: LabelCheck) -> Iterator[Built]:
    """The same records, each with what the checker says of it; where it says another thing, `check` lists it."""
    waiting = iter(built)
    while some := list(islice(waiting, _TOGETHER)):
        records = [each for each in some if isinstance(each, BuiltRecord)]
        verdicts = iter(checker.check_many([Claim(each.id, each.claim) for each in records]))
        for each in some:
            yield _checked(each, next(verdicts), check) if isinstance(each, BuiltRecord) else each


def _checked(record: BuiltRecord, verdict: Verdict, check: LabelCheck) -> BuiltRecord:
    check.count(record, verdict)
    said = {"checked": str(verdict.label), "score": round(verdict.scores[verdict.label], 3)}
    return replace(record, details={**record.details, **said})
