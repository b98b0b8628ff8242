"""What questions over a table leave to its page: "this team", "he", "on this chart" are named, or the question is not.

A question stands beside its table; a claim stands alone. What points at the page is replaced by a name that the title
or the first sentence of the page justifies. A claim that names nothing of its page is told where it holds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.build.inflection import is_common_word
from veritab.build.mutations import COUNTRIES, NATIONALITIES
from veritab.datasets.table_questions import SourceTable
from veritab.datasets.tabular import UNTITLED
from veritab.text import STOP_TERMS, stems

_TABLE = r"(?:tables?|charts?|lists?|listings?|graphs?|diagrams?|tabulation|data|page|information|info)"
_POINTED = rf"(?:this|the|that|these) (?:\w+ed |above |following )?{_TABLE}"
_MORE = r"(?! (?:of|for|that|which)\b| ?['’]|-)"
_ORDER = re.compile(
    rf"\b(?:first|last|top|bottom|next|previous|beginning|end|above|below|before|after)\b.*\b(?:listed|shown|{_TABLE})\b|"
    rf"\b(?:listed|shown|{_TABLE})\b.*\b(?:first|last|top|bottom|next|previous|above|below|before|after)\b"
)
"""What stands first in a table is seen by its place, not by what its cells say."""
_STANDS = re.compile(
    rf"\b(is|are|was|were|be) (?:there )?(?:on|in|from|within) {_POINTED}\b{_MORE}(?=[?.,]|$| (?:after|before|with)\b)"
)
_WITHIN = re.compile(rf",? ?\b(?:according to|based on|on|in|from|within|of|by|throughout|per) {_POINTED}\b{_MORE},?")
_ABOUT_TABLE = re.compile(
    rf"\b(?:this|the|these) {_TABLE}\b(?<!the data)(?<!the page)|\b(?:columns?|rows?|listed (?:above|below|next to))\b"
)
_SECOND_SENTENCE = re.compile(r"\w{3,}[.?!] +(?:what|who|which|how|when|where|in|did|was|is)\b", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|these|those) ((?:\w+ ){0,2}\w+)|\b(?:this|these)\b")
_TIME = frozenset("time day date period point moment year month week way".split())
_SPANS = frozenset("season tournament championship competition olympics event contest election".split())
"""What things happen in, and what a question may name without a preposition: "who won this season?"."""
_INTRODUCED = re.compile(
    r"(?:^|\b(?:in|of|during|for|at|on|from|to|about|with|by|throughout|within|is|was|are|were|did|does|do|has|had|have|"
    r"will|than|that|and|or) )$"
)
_PRONOUN = re.compile(r"\b(he|she|him|his|her|they|them|their|it|its)\b(?!['’])")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_BOUND = re.compile(
    r"(?:who|(?:which|what)(?: [\w'’-]+){1,3}?) (?:has|have|had|got|won|lost|made|took|set|led|ran|beat|[\w-]+ed)\b"
    r"(?!.*\b(?:he|she|they)\b)"
)
"""Of "which player has his best score in 2003" the one who is asked for is meant."""
_OWN = frozenset({"his", "her", "their", "its"})
_PEOPLE = frozenset({"he", "she", "him", "his", "her"})
_DUMMY_IT = re.compile(
    r"\b(?:did|does|do|is|was|has|had|will|would|can) it (?:take|took|taken|been|cost|last)\b|"
    r"\bhow long (?:was|is) it\b|"
    r"\b(?:make|made|making) it (?:to|into|past)\b"
)

_PERSON = frozenset(
    "actor actress artist athlete author boxer competitor composer cyclist dancer director driver fighter footballer "
    "golfer guy individual jockey king lady man model musician person performer pitcher player politician producer "
    "queen racer rapper rider runner sailor singer skater skier songwriter star swimmer umpire woman wrestler writer "
    "comedian celebrity quarterback goalkeeper striker diver archer gymnast jumper thrower coach".split()
)
_KINDS = {
    "team": ("team", "club", "side", "franchise", "squad"),
    "club": ("club", "team"),
    "school": ("school", "university", "college", "academy"),
    "university": ("university", "college"),
    "band": ("band", "group", "duo", "trio"),
    "group": ("group", "band", "duo"),
    "artist": ("band", "singer", "rapper", "musician", "group", "duo", "artist"),
    "show": ("show", "series", "program", "sitcom"),
    "series": ("series", "show", "championship"),
    "game": ("game", "match"),
    "tournament": ("tournament", "championship", "cup", "open", "competition", "event"),
    "competition": ("competition", "championship", "tournament", "cup", "contest", "event", "games", "olympics"),
    "event": ("event", "competition", "championship", "games", "olympics", "race"),
    "race": ("race", "prix", "marathon", "tour"),
    "city": ("city", "town"),
    "country": ("country", "state", "nation"),
    "election": ("election", "elections"),
    "league": ("league", "division", "season"),
    "season": ("season",),
    "contest": ("contest", "pageant"),
    "olympics": ("olympics",),
    "championship": ("championship", "championships"),
}
_WORKS = re.compile(r" (?:discography|filmography|videography|bibliography|singles discography|albums discography)$")
_SEASON = re.compile(
    r"^(?:\d{4}(?:[–-]\d{2,4})?) (.+?)(?: (?:football|baseball|basketball|women's|men's|softball))* (?:season|team)$"
)
_YEARS = re.compile(r"^\d{4}(?!\S* in )")
_FIELD = re.compile(
    r"(?:Economy|Geography|History|Demographics|Politics|Religion|Culture|Education|Transport|Sport) (?:of|in) "
)
_PLURAL_FIELD = re.compile(r"(?:Politics|Religion|Education|Transport|Sport|Human rights) (?:of|in) ")
_ENDS_COMMON = re.compile(
    r" (?:elections?|referendum|season|team|league|discography|(?:election|team) results)"
    r"(?:, [\d–-]+| [\d–-]+ results)?$"
)
"""What is no name by its end: "the Bolivian general election, 2014"."""
_BORN = re.compile(r"\bborn\b|\bb\. |\(\d{4}[–-]|\(\w+ \d{1,2}, \d{4}|\(\d{1,2} \w+ \d{4}")
_ADJECTIVES = frozenset((*NATIONALITIES, *COUNTRIES))
_SMALL = frozenset("of the in at on and for de la le du von van der den di da el y a an to with by vs".split())
_LIST = re.compile(r"^(?:List|Lists|Table|Members|Chronology|Timeline) of ")
_PLURAL_SUBJECT = re.compile(r"\b(?:band|group|team|club|duo|franchise|side|university|college)\b")


class NamedQuestion(NamedTuple):
    """A question with what it points at named; or why that could not be done."""

    text: str
    reason: str = ""


def name_subject(question: str, table: SourceTable) -> NamedQuestion:
    """The question with names where it points at its page or its table."""
    text = _without_table(question)
    if _SECOND_SENTENCE.search(text):
        return NamedQuestion("", "it is more than one sentence")
    if _ORDER.search(question) or _ABOUT_TABLE.search(text):
        return NamedQuestion("", "it asks about the table itself")
    if match := _THIS.search(text):
        name = _subject_called(match[1] or "", table)
        if not name:
            return NamedQuestion("", f"nothing on the page says what {_shown(match)!r} is")
        before, called = text[: match.start()], name[1]
        if called in _SPANS and not _INTRODUCED.search(before):
            before += "in "
        text = f"{before}{name[0]}{text[match.start(1) + len(called) :]}"
        if _THIS.search(text, len(before) + len(name[0])):
            return NamedQuestion("", "it points at its page more than once")
    return _without_pronoun(text, table)


def _shown(match: re.Match[str]) -> str:
    return " ".join(match[0].split()[:2])


def _without_table(question: str) -> str:
    text = _STANDS.sub(r"\1 listed", question)
    text = _WITHIN.sub("", text).strip(" ,")
    return re.sub(r"\s+([?.,])", r"\1", re.sub(r"\blisted listed\b", "listed", text))


# -- what the page is about --------------------------------------------------------------------------------


def _plain_title(table: SourceTable) -> str:
    title = re.sub(r" \([^()]*\)$", "", table.title)
    return _WORKS.sub("", title)


def with_article(title: str, table: SourceTable) -> str:
    """A title inside a sentence: with "the" where its own page begins so, and without the capital of a common noun."""
    if _LIST.match(title):
        listed = "list of " if title.startswith("Members") else ""
        return f"the {listed}{title[0].lower()}{title[1:]}"
    words = title.split()
    # "The Brașov metropolitan area" tells that Brașov is a name, "The electoral district" that no name begins there.
    is_common = is_common_word(words[0].lower()) or words[0].lower() in table.opening.split()
    is_name = not is_common or table.opening.startswith(f"The {words[0]}")
    if len(words) > 1 and (_is_common(words[1]) or _FIELD.match(title)) and not is_name and words[0] not in _ADJECTIVES:
        bare = f"{title[0].lower()}{title[1:]}"
        return bare if _PLURAL_FIELD.match(title) else f"the {bare}"
    has_article = table.opening.casefold().startswith(f"the {words[0].casefold()}")
    return f"the {title}" if has_article or _YEARS.match(title) or _ENDS_COMMON.search(title) else title


def _is_common(word: str) -> bool:
    return word.isalpha() and word.islower() and word not in _SMALL


def _predicate(table: SourceTable) -> str:
    """What the page says its subject is."""
    match = re.search(r"\b(?:is|was|are|were) (?:an?|the|one of)\b(.{0,160})", table.opening)
    return match[1].casefold() if match else ""


def _is_person(table: SourceTable) -> bool:
    if _LIST.match(table.title) or _YEARS.match(table.title):
        return False
    said = frozenset(re.findall(r"\w+", _predicate(table)))
    return bool(_BORN.search(table.opening[:200]) or said & _PERSON)


def _subject_called(words: str, table: SourceTable) -> tuple[str, str] | None:
    """The subject of the page by a name, and the words of the question that call it; None where that is not sure."""
    if table.title == UNTITLED:
        return None
    own = words.split()
    title = _plain_title(table)
    for size in range(1, len(own) + 1):
        noun = own[size - 1]
        called = " ".join(own[:size])
        if noun in _TIME:
            return None
        if noun in _PERSON:
            return (title, called) if _is_person(table) else None
        if noun == "team" and (season := _SEASON.match(title)):
            return f"the {season[1]}", called
        kinds = _KINDS.get(noun, (noun,))
        in_title = frozenset(re.findall(r"\w+", title.casefold()))
        bracket = re.search(r"\(([^()]*)\)$", table.title)
        if _LIST.match(title):
            continue
        if frozenset(kinds) & in_title:
            return with_article(title, table), called
        if bracket and any(kind in bracket[1] for kind in kinds):
            return with_article(title, table), called
        if any(re.search(rf"\b{kind}\b", _predicate(table)) for kind in kinds) and not _is_person(table):
            return with_article(title, table), called
    return None


def _without_pronoun(text: str, table: SourceTable) -> NamedQuestion:
    """The first pronoun named, where nothing before it can be what it stands for."""
    outside = _QUOTED.sub(lambda quoted: "*" * len(quoted[0]), text)
    match = next((m for m in _PRONOUN.finditer(outside) if not _is_dummy(m, text)), None)
    if not match or (match[1] in _OWN and _BOUND.match(text)):
        return NamedQuestion(text)
    if _names_something(text[: match.start()], table):
        return NamedQuestion(text)
    pronoun = match[1]
    fits = _is_person(table) if pronoun in _PEOPLE else bool(_PLURAL_SUBJECT.search(_predicate(table)))
    if table.title == UNTITLED or not fits or pronoun in ("it", "its"):
        return NamedQuestion("", f"nothing on the page says who or what {pronoun!r} is")
    season = _SEASON.match(_plain_title(table))
    name = f"the {season[1]}" if season else with_article(_plain_title(table), table)
    if pronoun in _OWN and not (pronoun == "her" and re.match(r"\W*$", text[match.end() :])):
        name += "'" if name.endswith("s") else "'s"
    return NamedQuestion(f"{text[: match.start()]}{name}{text[match.end() :]}")


def _is_dummy(match: re.Match[str], text: str) -> bool:
    return match[1] == "it" and any(m.start() <= match.start() < m.end() for m in _DUMMY_IT.finditer(text))


def _names_something(text: str, table: SourceTable) -> bool:
    """Whether a name of the table or of its page stands in a text."""
    said = frozenset(stems(text))
    names = [part for row in table.rows[1:] for cell in row for part in re.split(r"[()/,;\"]", cell)]
    season = _SEASON.match(_plain_title(table))
    for name in (_plain_title(table), season[1] if season else "", *names):
        own = [stem for stem in stems(name) if stem not in STOP_TERMS and not stem.isdigit()]
        if own and len(name) > 3 and said.issuperset(own):
            return True
    return False


# -- where a claim holds -----------------------------------------------------------------------------------

_TELLING = re.compile(
    r"(?:[A-Z][\w'’-]*(?: [\w'’&-]+){0,3} )?(?:filmography|discography|videography|bibliography|results?|schedule|"
    r"standings|medal table|medal count|track listings?|tracklist|roster|squad|achievements|honou?rs|awards|"
    r"nominations|statistics|stats|recordings|singles|albums|finals?|winners|rankings?|classification|championships|timeline|"
    r"records?|leaderboard|fixtures|transfers|episodes|draft|elections?|career|demographics|heats?|semifinals?|"
    r"qualification|qualifying|rounds?|race|winnings|wins|titles|performances?|charts?|chart positions)",
    re.IGNORECASE,
)
"""Headings that name what a table of a page tells, so that something can be said to be in it."""


def place_claim(claim: str, table: SourceTable, answer: str = "") -> str:
    """The claim as a sentence, with where it holds before it unless it names the subject of its page."""
    title = _plain_title(table)
    said = frozenset(stems(claim))
    wanted = [stem for stem in stems(title) if stem not in STOP_TERMS]
    if table.title == UNTITLED or not wanted or said.issuperset(wanted):
        return claim[:1].upper() + claim[1:]
    first = claim.split(" ", 1)[0]
    if first in _LOWERED and not (answer and claim.startswith(answer)):
        claim = claim[0].lower() + claim[1:]
    return f"{_where(title, table)}, {claim}"


def _where(title: str, table: SourceTable) -> str:
    named = with_article(title, table)
    if _LIST.match(title):
        return f"In {named}"
    if section := headed_by(table):
        kept = {place for place, word in enumerate(section.split()) if word.isupper() or word in _ADJECTIVES}
        lowered = " ".join(w if n in kept else w.lower() for n, w in enumerate(section.split()))
        return f"In the {lowered} of {named}"
    return f"In {named}" if re.search(r"\d{4}", title) else f"According to the table on {named}"


def headed_by(table: SourceTable) -> str:
    """The heading that names what a table tells, so that something can be said to be in it; nothing without one."""
    title = _plain_title(table).casefold()
    fitting = (each for each in reversed(table.sections) if _TELLING.fullmatch(each) and each.casefold() not in title)
    return next(fitting, "")


_LOWERED = frozenset(
    "The A An There In On At It No All Both Only One Two Three Most More During After Before "
    "Of Out Among Between From By For With Under Over Since Until Each Every".split()
)
