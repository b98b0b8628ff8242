"""What to watch a game for: people who play for each other or do not read, and claims that name private things.

Everything here is a reason to look, never a finding: thresholds are set so that honest play hardly ever meets them, and
each suspicion says in a sentence what was seen and what was to be expected.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from veritab.audit.votes import PRIOR_RIGHT, PRIOR_WRONG
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow
from veritab.studio.vocabulary import Listed
from veritab.text import words

LEAST_MEETINGS = 5
"""How many claims of one author somebody has to meet before it can be too many, or go too well."""
READING_SPEED = 10.0
"""Words a second that nobody reads: fast readers of easy texts come to seven."""
LEAST_HASTY = 3
HASTY_SHARE = 0.2
"""The share of somebody's rounds that has to be faster than reading."""
LEAST_ON_A_SIDE = 12
ALWAYS = 0.9
"""The share of somebody's votes that has to fall on one side."""
CHANCE = 0.001
"""How likely honest play may do the same, over all players or pairs of a game together."""
_MOST_ROUNDS_NAMED = 20


class SuspicionKind(Listed):
    """What somebody is suspected of."""

    OFTEN = "often", "Met too often", "Somebody meets the claims of one author more often than the lot gives them."
    WELL = "well", "Known too well", "Somebody judges the claims of one author better than all others."
    HASTY = "hasty", "Faster than reading", "Somebody votes before both claims can be read."
    ONE_SIDE = "one side", "Always one side", "Somebody calls the claim on one side false, wherever the lot put it."


class Suspicion(NamedTuple):
    """Something that should be looked at: who, what was seen, and what was to be expected."""

    kind: SuspicionKind
    people: tuple[int, ...]
    """The voter, and the author where it is about two."""
    seen: int
    of: int
    expected: float
    """How many were to be expected."""
    chance: float | None
    """How likely so many or more are, by chance."""
    rounds: tuple[int, ...]
    """Some of the rounds concerned, the latest last."""
    sentence: str

    @property
    def key(self) -> str:
        """What it is known by when somebody has looked at it."""
        return f"{self.kind.value}:{'-'.join(map(str, self.people))}"


def find_suspicions(
    claims: Iterable[GameClaimRow], rounds: Iterable[GameRoundRow], names: Mapping[int, str]
) -> list[Suspicion]:
    """Everything about players that should be looked at, the least likely first."""
    known = {claim.id: claim for claim in claims}
    by_voter: defaultdict[int, list[GameRoundRow]] = defaultdict(list)
    for each in rounds:
        if each.voter is not None and each.is_over:
            by_voter[each.voter].append(each)
    found = [
        *_find_pairs(known, by_voter, names),
        *_find_hasty(known, by_voter, names),
        *_find_one_sided(by_voter, names),
    ]
    return sorted(found, key=lambda each: (0.0 if each.chance is None else each.chance, each.key))


# -- two accounts ------------------------------------------------------------------------------------------


def _find_pairs(
    claims: Mapping[int, GameClaimRow], by_voter: Mapping[int, Sequence[GameRoundRow]], names: Mapping[int, str]
) -> Iterator[Suspicion]:
    """Voters who meet one author's claims too often, or judge them too well."""
    met: dict[int, defaultdict[int, list[GameRoundRow]]] = {}
    exposure: Counter[int] = Counter()
    for voter, played in by_voter.items():
        theirs = met[voter] = defaultdict(list)
        for each in played:
            for id in (each.true_claim, each.false_claim):
                author = claims[id].author
                if author is not None:
                    theirs[author].append(each)
                    exposure[author] += 1
                else:
                    exposure[0] += 1  # nobody's: nobody has the number 0
    # Every pair might have met often; which of them is judged too well is asked of those alone that did.
    tests = (
        len(by_voter) * len(exposure),
        sum(len(theirs) >= LEAST_MEETINGS for by_author in met.values() for theirs in by_author.values()),
    )
    for voter, by_author in met.items():
        for author, together in by_author.items():
            if len(together) >= LEAST_MEETINGS:
                yield from _look_at_pair(
                    voter, author, together, by_voter[voter], _share_of(author, voter, exposure, met), tests, names
                )


def _share_of(
    author: int, voter: int, exposure: Counter[int], met: Mapping[int, Mapping[int, Sequence[GameRoundRow]]]
) -> float | None:
    """Which share of the claims before everybody else is an author's; None where nobody else could meet any.

    The voter's own claims, which the voter never meets, are left out.
    """
    others = exposure.total() - exposure[voter] - sum(len(each) for each in met[voter].values())
    theirs = exposure[author] - len(met[voter].get(author, ()))
    # What the author met does not hold the author's claims, whoever draws.
    others -= sum(len(each) for by, each in met.get(author, {}).items() if by != voter)
    return theirs / others if others > 0 else None


def _look_at_pair(
    voter: int,
    author: int,
    together: Sequence[GameRoundRow],
    played: Sequence[GameRoundRow],
    share: float | None,
    tests: tuple[int, int],
    names: Mapping[int, str],
) -> Iterator[Suspicion]:
    who, whose = names.get(voter, str(voter)), names.get(author, str(author))
    met, count = 2 * len(played), len(together)
    if share is not None:
        chance = binomial_tail(count, met, share)
        if chance * tests[0] < CHANCE:
            yield Suspicion(
                SuspicionKind.OFTEN,
                (voter, author),
                count,
                met,
                met * share,
                chance,
                _numbers(together),
                f"Of {met:,} claims that {who} met, {count:,} are by {whose}; by lot about {met * share:.1f} would be.",
            )
    right, theirs = sum(each.spotted for each in together), set(together)
    others = [each for each in played if each not in theirs]
    usual = (PRIOR_RIGHT + sum(each.spotted for each in others)) / (PRIOR_RIGHT + PRIOR_WRONG + len(others))
    chance = binomial_tail(right, count, usual)
    if chance * tests[1] < CHANCE:
        yield Suspicion(
            SuspicionKind.WELL,
            (voter, author),
            right,
            count,
            count * usual,
            chance,
            _numbers(together),
            f"{who} judged {right:,} of {count:,} claims by {whose} rightly; as {who} judges others, about "
            f"{count * usual:.1f} would be.",
        )


# -- one account -------------------------------------------------------------------------------------------


def _find_hasty(
    claims: Mapping[int, GameClaimRow], by_voter: Mapping[int, Sequence[GameRoundRow]], names: Mapping[int, str]
) -> Iterator[Suspicion]:
    lengths = {id: len(claim.text.split()) for id, claim in claims.items()}
    for voter, played in by_voter.items():
        hasty = [
            each
            for each in played
            if each.seconds < (lengths[each.true_claim] + lengths[each.false_claim]) / READING_SPEED
        ]
        if len(hasty) >= LEAST_HASTY and len(hasty) >= HASTY_SHARE * len(played):
            right = sum(each.spotted for each in hasty)
            yield Suspicion(
                SuspicionKind.HASTY,
                (voter,),
                len(hasty),
                len(played),
                0.0,
                None,
                _numbers(hasty),
                f"{names.get(voter, str(voter))} voted in {len(hasty):,} of {len(played):,} rounds before both claims "
                f"can be read at {READING_SPEED:g} words a second; {right:,} of them rightly.",
            )


def _find_one_sided(by_voter: Mapping[int, Sequence[GameRoundRow]], names: Mapping[int, str]) -> Iterator[Suspicion]:
    for voter, played in by_voter.items():
        left = sum(each.chose_left for each in played)
        most, side = max((left, "left"), (len(played) - left, "right"))
        chance = min(1.0, 2 * binomial_tail(most, len(played), 0.5))
        is_always = len(played) >= LEAST_ON_A_SIDE and most >= ALWAYS * len(played)
        if is_always and chance * len(by_voter) < CHANCE:
            yield Suspicion(
                SuspicionKind.ONE_SIDE,
                (voter,),
                most,
                len(played),
                len(played) / 2,
                chance,
                _numbers(played),
                f"{names.get(voter, str(voter))} called the claim on the {side} false in {most:,} of {len(played):,} "
                f"rounds; the lot puts it there in about {len(played) / 2:.1f}.",
            )


def _numbers(rounds: Sequence[GameRoundRow]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each.id for each in rounds))[-_MOST_ROUNDS_NAMED:]


def binomial_tail(least: int, n: int, share: float) -> float:
    """How likely at least so many of n are, each with this chance."""
    if least <= 0 or share >= 1:
        return 1.0
    if share <= 0 or least > n:
        return 0.0
    whole, yes, no = math.lgamma(n + 1), math.log(share), math.log1p(-share)
    terms = (
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * yes + (n - k) * no)
        for k in range(least, n + 1)
    )
    return min(1.0, math.fsum(terms))


# -- what a claim says -------------------------------------------------------------------------------------


class MarkKind(Listed):
    """What a claim may hold that should not be published unseen."""

    NAME = "name", "Name", "A person's name that neither the page's title nor the evidence has, or a player's."
    ADDRESS = "address", "Address", "A street with a number, or a web address."
    EMAIL = "e-mail", "E-mail address", "An e-mail address."
    PHONE = "phone", "Telephone number", "Digits as telephone numbers have them."
    OFFENSIVE = "offensive", "Offensive word", "A word that hurts, in any context or in most."


class ClaimMark(NamedTuple):
    """Words of a claim that somebody should look at before it is published."""

    kind: MarkKind
    words: str


_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_STREET_KINDS = (
    r"(?:Street|St\.|Avenue|Ave\.?|Road|Rd\.?|Lane|Ln\.?|Drive|Dr\.|Boulevard|Blvd\.?|Court|Square|Terrace|Apt\.?)"
)
_STREET = re.compile(rf"\b\d{{1,5}}[A-Za-z]?\s+(?:[A-Z][\w'’]*\s+){{1,3}}{_STREET_KINDS}(?!\w)")
_PHONE = re.compile(r"(?<![\w.,])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,5}\)[ .-]?|\d{2,5}[ .-])\d{3,4}[ .-]\d{3,4}(?![\w])")
_PERSON = re.compile(
    r"\b(?P<title>(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s+)?(?P<name>[A-Z][a-z’'-]+(?:\s+[A-Z]\.)?(?:\s+[A-Z][a-z’'-]+){0,2})"
)
_GIVEN_NAMES = frozenset(
    """aaron adam alan alex alexander alexandra alice alison amanda amy andrea andrew angela ann anna anne anthony
    barbara ben benjamin betty bill bob brandon brian bruce carl carol caroline catherine charles charlotte chris
    christian christina christine christopher cynthia dan daniel dave david deborah dennis diana donald donna dorothy
    ed edward elaine elizabeth emily emma eric erica ethan eva evelyn frank fred gary george gerald grace greg gregory
    hannah harold harry heather helen henry ian jack jacob james jane janet jason jean jeff jeffrey jennifer jeremy
    jerry jessica jim joan joe john johnny jonathan jordan joseph joshua joyce juan judith judy julia julie justin karen
    kate katherine kathleen keith kelly ken kenneth kevin kim larry laura lauren lawrence lee linda lisa lucas lucy luke
    marco margaret maria marie marilyn mark martha martin mary matt matthew megan melissa michael michelle mike mohamed
    mohammed nancy natalie nathan nicholas nick nicole noah olivia pamela patricia patrick paul peter philip rachel
    ralph raymond rebecca richard rob robert roger ron ronald rose russell ruth ryan sam samantha samuel sandra sara
    sarah scott sean sharon simon sophia sophie stephanie stephen steve steven stuart susan teresa terry theresa thomas
    tim timothy tom tony tyler victoria vincent walter wayne wendy will william zachary""".split()
)
_OFFENSIVE = frozenset(
    """arsehole asshole bastard bastards bitch bitches bollocks bullshit cock cocksucker cunt cunts dickhead dyke fag
    faggot faggots fuck fucked fucker fuckers fucking fucks goddamn jackass kike kikes kys motherfucker motherfuckers
    nazi nigga nigger niggers paki pakis piss prick pussy retard retarded retards shit shithead shitty slut sluts spic
    spics tits tranny trannies twat wanker wankers whore whores wop""".split()
)


def find_marks(text: str, known: Iterable[str] = (), players: Collection[str] = frozenset()) -> tuple[ClaimMark, ...]:
    """What of a claim should be looked at before it is published.

    `known` are the page's title and its evidence: names that they have are no private ones, and words that they have
    are quoted. Rules this simple miss things, and mark others that are fine.
    """
    found = [ClaimMark(MarkKind.EMAIL, each) for each in _EMAIL.findall(text)]
    rest = _EMAIL.sub(" ", text)
    found += [ClaimMark(MarkKind.ADDRESS, each) for each in _WEB.findall(rest)]
    rest = _WEB.sub(" ", rest)
    found += [ClaimMark(MarkKind.ADDRESS, each) for each in _STREET.findall(rest)]
    found += [ClaimMark(MarkKind.PHONE, each.strip()) for each in _PHONE.findall(rest)]
    said = words(rest)
    doubtful = list(_persons(rest)), [each for each in said if each in _OFFENSIVE]
    if any(doubtful):
        quoted = {word for each in known for word in words(each)}
        persons, hurting = doubtful
        found += [ClaimMark(MarkKind.NAME, each) for each in persons if not quoted.issuperset(words(each))]
        found += [ClaimMark(MarkKind.OFFENSIVE, each) for each in hurting if each not in quoted]
    named = " ".join(said)
    found += [
        ClaimMark(MarkKind.NAME, each)
        for each in sorted(players)
        if "-" in each and f" {' '.join(words(each))} " in f" {named} "
    ]
    return tuple(dict.fromkeys(found))


def _persons(text: str) -> Iterator[str]:
    """Names of people, as far as a title or a usual given name tells them."""
    for match in _PERSON.finditer(text):
        name = match["name"]
        first = name.split()[0].lower()
        if match["title"] or (len(name.split()) > 1 and first in _GIVEN_NAMES):
            yield name.removesuffix("'s").removesuffix("’s")
