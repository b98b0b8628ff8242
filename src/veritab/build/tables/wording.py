"""The wording of questions over tables: asked as the converter reads them, left out where no claim of them reads well.

People who ask about a table in front of them leave words out, point at its rows and write in lower case throughout.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.build.inflection import inflect_noun, is_common_word, is_comparative, is_only_noun, is_plural_noun
from veritab.build.tables.near_values import YEAR
from veritab.datasets.table_questions import SourceTable
from veritab.lexicon.numbers import SMALL_CARDINALS
from veritab.text import STOP_WORDS

# -- questions ---------------------------------------------------------------------------------------------

_REWORDED = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"\?([\"”])$", r"\1?"),
        (r"^(?:please )?(?:name|list|give|tell|state|identify)(?: me)? (?=(?:the|an?|one)\b)", "what is "),
        (r"^(?:what|which|how many) number of\b", "how many"),
        (r"^how many of (?!(?:this|these|those|his|its|hers|theirs)\b)(?=[a-z]+s\b)", "how many "),
        (r"^how many times total\b", "how many times"),
        (r"^where (is|was) (?=the (?:location|venue|place|city|site)\b)", r"what \1 "),
        (r"^what (?:are|is) (?=the (?:total )?number of)", "what is "),
        (r"^what were (?=the (?:total )?number of)", "what was "),
        (r"^(?:the )?((?:total |average |combined )?(?:number|amount)) of\b", r"what is the \1 of"),
        (r"^what (is|was) (?=(?:difference|total|average|number|sum|combined)\b)", r"what \1 the "),
        (r"^(?:in )?(?:what|which) (year|season|month|week|day|decade) has the\b", r"what is the \1 that has the"),
        (r"^(?:in )?(?:what|which) (year|season|month|week|day|decade) had the\b", r"what was the \1 that had the"),
    )
)
_MEASURE = (
    r"(?:\d|[$£€]|(?:the (?:average|age)|sea|zero|par|freezing|half|an?|one|two|three|four|five|six|seven|ten)\b)"
)
_UNREADABLE = tuple(
    (re.compile(pattern, re.IGNORECASE), why)
    for pattern, why in (
        (rf"(?<!ranked )(?<!finished )(?<!placed )\b(?:above|below) (?!{_MEASURE})", "it asks about the table itself"),
        (r"\bnext to\b|\bat the (?:very )?(?:top|bottom)\b|\bprevious to\b", "it asks about the table itself"),
        (
            r"\b(?:is|was|are|were|comes?|came) (?:listed |just |right |directly |immediately |the \w+ )?"
            r"(?:before|after) (?!\d|the year\b|(?:january|february|march|april|may|june|july|august|september|"
            r"october|november|december)\b)",
            "it asks about the table itself",
        ),
        (r"\bhow far\b|\bhow long (?:after|before)\b|\bhow long (?:is|was|were) .* (?:in|on|at) ", ""),
        (r"\bhow many (?:(?!times\b)[\w-]+ ){1,3}(?:is|was) (?!there\b)", ""),
        (r"\w .*\bwhat (?:kind|type|sort) of\b", ""),
        (r"^(?:is|was|are|were|did|does|do|has|have|had) .*\bany\b", ""),
        (r"^(?:who|what|which) (?:the|an?) ", "a word is missing"),
        (r"\b(?:the|an?) (?:are|is|was|were|of|than|about) ", "a word is missing"),
        (r"\b(?:least|most|highest|lowest|best|worst) (?:with|about of|than|is|was)\b", "a word is missing"),
        (r"\babout of\b", "a word is missing"),
        (r"\bdifference (?:in|of) .*\bfrom\b.*\band\b", ""),
        (r"^how many times (?:is|was|were|are) (?:the|an?) .* (?:the|an?) ", ""),
        (r"^how many times .* an? (?:winner|runner|champion)", ""),
        (r"^where (?:is|was|are|were) .*\bfrom (?!\?|$)", ""),
        (r"^how many (?:seasons|games|matches|weeks|months|rounds) .*\b(?:scor|rank|finish|plac|reach)\w*\b", ""),
        (r"\beach what\b|^(?:what|which) \w+ (?:is|was|are|were) both\b", ""),
        (r"^(?:what|which) (?!.*\b(?:that|has|had)\b)(?:the )?year (?:scored|won|got|made|ranked|came)\b", ""),
        (r"\w .*\b(?:name|list|give|tell) (?:me )?(?:the|an?|one)\b", ""),
    )
)
_NO_RULE = "not converted: no rule reads this way of asking"


def reword(question: str) -> str:
    """The question with the words that people leave out before a table."""
    for pattern, new in _REWORDED:
        question = pattern.sub(new, question)
    return question


def find_unreadable(question: str) -> str:
    """Why no claim of a question would read well; nothing where one may."""
    return next((why or _NO_RULE for pattern, why in _UNREADABLE if pattern.search(question)), "")


class Choice(NamedTuple):
    """A question that offers two values of a table: what is asked of both, and the two."""

    asked: str
    first: str
    second: str

    def other(self, answer: str) -> str:
        return self.second if answer.casefold() == self.first.casefold() else self.first

    def question(self, answer: str) -> str:
        """The question to which an answer of the two is the whole answer: "who won more races than Ann?"."""
        if match := _ORDER.search(self.asked):
            before = "before" if match[1].lower() in ("first", "earlier") else "after"
            return f"{self.asked[: match.start()]}{before} {self.other(answer)}?"
        return f"{self.asked} than {self.other(answer)}?"


_ORDER = re.compile(r"\b(first|earlier|last|later)$", re.IGNORECASE)
_ASKS = re.compile(r"(?:who|which|what)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|less|fewer|greater|better|worse)\b", re.IGNORECASE)


def find_choice(question: str, table: SourceTable) -> Choice | None:
    """The two values of the table that a question ends with, where it asks which of them is more or was before."""
    tail = question.rstrip(" ?.").casefold()
    if " or " not in tail:
        return None
    before, _, second = tail.rpartition(" or ")
    values = {cell.casefold(): cell for row in table.rows[1:] for cell in row if cell}
    second = second.removeprefix("the ")
    first = max(
        (value for value in values if re.search(rf"(?:^|\W){re.escape(value)},?$", before)), key=len, default=""
    )
    if second not in values or not first or first == second:
        return None
    asked = re.sub(r"(?:\W|\bbetween|\bthe)+$", "", question[: before.rindex(first)])
    compares = _MORE.search(asked) or any(map(is_comparative, asked.lower().split()))
    if re.search(r"\bthan\b", asked) or not (compares or _ORDER.search(asked)) or not _ASKS.match(asked):
        return None
    return Choice(asked, values[first], values[second])


# -- claims ------------------------------------------------------------------------------------------------

_BROKEN = re.compile(
    r"\?(?!\W*$)|\bthere been\.$|"  # "the route? (in miles)"
    r"['’]s (?:is|was|were|are|did|has|had)\b|"  # "Ann's was last race"
    r"\b(?:is|was|are|were)(?: not)? than\b|"
    r"\b(?:was|were|is|are) (?:[A-Z][\w.'’-]+ )+[a-z]+ed (?:for|in|by|at|to|as)\b|"  # "Rain was Ann nominated for"
    r"\b(?:in|on|at|for|by|with|from) (?:in|on|at|for|by|with|from|next)\b|"
    r"\b(?:does|did|do) (?:the )?[A-Z]|\b(?:has|have|had) (?:[A-Z][\w.'’-]+ )+been\b|"  # "has Ann Lee been nominated"
    r"\b(?:is|was|are|were) (?:appears|has|have|wins|won)\b|"
    r"\bonly that\b|\b(?:[Tt]he|[Aa]n?) (?:the|an?|is|was|were|are|of)\b|\b(?:the|an?|of|than)\.$|"
    r"\bfor (?!1\d\d\d\.|20\d\d\.)[\d,.]+\.$|"  # "served for 19."
    r"\bplay(?:s|ed)? which\b|\b(?:is|was) the [a-z]+ that ha[sd] their\b|"
    r"^Not [a-z]+ed\b|\b(?:is|was|are|were) (?:type|kind|sort) [A-Z]|"
    r"\b[A-Z]?[a-z]+ed (?:is|was|were) by\b|"
    r"\bto be (?:is|was|are|were)\b|\bof [a-z]+er (?:is|was|are|were)\b|\d\([A-Za-z]|"
    r"\b[a-z]+ed (?:at most |at least )?(?:has|had) \d|"  # "was elected has 8 years"
    r"\b(?:is|was|are|were) from (?:the )?[A-Z][\w ]* that (?:is|was|are|were)\b|"
    r"\b\d[\d,.]* \d+ times\b|\b(?:is|was|has|had) both [A-Z]|\beach [A-Z][\w ]*\.$|\bChampionships (?:is|was|has)\b|"
    r"\b([a-z]{4,}) (?:\S+ )?\1\b|"  # "the first winner men's winner"
    r"^(?:1\d|20)\d\d (?!is\b|was\b|saw\b|ha[sd]\b|marked\b)[a-z]"
)
_TIMES = re.compile(r"\b(?:is|was) (?:total )?[\d,]+ times\b(?! (?:as|more|less|the|that)\b)|\btimes an? [a-z]+er\b")
_THERE = re.compile(r"\b[Tt]here (is|was|are|were)(?: not)? ([\d,.]+) ")
_COUNTED = re.compile(
    r"(?<![\w.,$£€#/–-])(\d[\d,.]*) ([a-z]{3,})(?=[.,]|$| (?:is|was|are|were|in|on|of|that|from|have|has)\b)"
)
_COPULA_LAST = re.compile(r"\b\d+ [a-z]+s (?:are|were) ([a-z]+)\.$")
_NUMBER_OF = re.compile(
    r"\bnumber of (.+?)(?: (?:is|was|are|were|that|in|on|for|by|from|to|with|listed|who|which|has|had)\b|[.,])"
)
_UNITS = frozenset(
    "percent million billion thousand hundred dozen feet series people second third fourth fifth half place gold "
    "silver bronze male female more".split()
)
"""What follows a number in the same form, whatever the number is."""
_FRACTIONS = frozenset(
    "points miles kilometers kilometres meters metres seconds minutes hours percent millions million billion inches "
    "feet acres tons tonnes hectares yards pounds dollars years square degrees games lengths cents grams".split()
)
_WITH_ARTICLE = (
    "United States|United Kingdom|United Arab Emirates|Netherlands|Philippines|Soviet Union|Bahamas|Czech Republic|"
    "Dominican Republic|Maldives|Ivory Coast|Republic of Ireland|Gambia|Sudan(?=$)"
)
_BARE_COUNTRY = re.compile(
    rf"(?:^|(?<=\b(?:by|in|of|to) )|(?<=\bfrom )|(?<=\bboth )|(?<=\bfor )|(?<=\bthan )|(?<=\band ))"
    rf"(?=(?:{_WITH_ARTICLE})(?! [-–]))"
)
_SMALL_WORDS = frozenset({*STOP_WORDS, *SMALL_CARDINALS, "against", "among", "versus", "per", "every"})
_TEAM = re.compile(r"\b(?:team|opponent|franchise)s?\b", re.IGNORECASE)


_BRITISH = frozenset({"Rangers", "Rovers", "Wanderers", "Harriers"})
"""Nicknames of clubs that take no article."""


def is_broken(claim: str) -> bool:
    """Whether a claim has words in an order that no sentence has, or a number that does not go with its noun."""
    return bool(_BROKEN.search(claim) or _TIMES.search(claim)) or not _agrees(claim)


def _agrees(claim: str) -> bool:
    """Whether numbers and the nouns and verbs around them are in the singular or plural together."""
    for there in _THERE.finditer(claim):
        if (there[2] == "1") != (there[1] in ("is", "was")):
            return False
    for number, noun in _COUNTED.findall(claim):
        if YEAR.fullmatch(number) or noun in _UNITS:
            continue
        if (number == "1" and is_plural_noun(noun)) or (number != "1" and _is_singular(noun)):
            return False
        if re.fullmatch(r"[\d,]*\.\d+", number) and is_plural_noun(noun) and noun not in _FRACTIONS:
            return False
    if (last := _COPULA_LAST.search(claim)) and _is_singular(last[1]):
        return False
    # What is counted is several things: "the number of symbol zn" counts none.
    counted = _NUMBER_OF.search(claim)
    return not counted or any(not _is_singular(word) and _may_be_counted(word) for word in counted[1].split())


def _may_be_counted(word: str) -> bool:
    return is_plural_noun(word.lower()) or word in _UNITS or word[:1].isupper() or word.endswith("s")


def _is_singular(word: str) -> bool:
    """Whether a word in lower case is a noun in the singular that has a plural, and nothing else."""
    return is_only_noun(word) and not is_plural_noun(word) and inflect_noun(word) not in ("", word)


def keeps_quotes(question: str, claim: str) -> bool:
    """Whether all that a question quotes stands in its claim as it was."""
    said = claim.casefold()
    return all(quoted.casefold() in said for quoted in re.findall(r"[\"“](.*?)[\"”]", question))


def put_value_last(claim: str, answer: str) -> str:
    """ "The total was 7" for "7 was the total": a sentence hardly begins with what it tells."""
    match = re.fullmatch(rf"{re.escape(answer)} (is|was|are|were) (the .+?)\.", claim)
    return f"{match[2]} {match[1]} {answer}." if match and answer[:1] in "-0123456789$£€" else claim


def add_articles(claim: str, answer: str, table: SourceTable) -> str:
    """ "The United States", "the Chicago Bulls": countries and teams that take an article, where they stand alone."""
    claim = add_country_articles(claim)
    *before, last = answer.split() or [""]
    is_plural = (
        bool(before)
        and last[:1].isupper()
        and last.endswith("s")
        and last not in _BRITISH
        and is_common_word(last.lower())
    )
    if is_plural and claim.startswith(f"{answer} ") and _names_teams(answer, table):
        return f"the {claim}"
    return claim


def add_country_articles(claim: str) -> str:
    """ "The United States": countries that take an article, where they have none."""
    return _BARE_COUNTRY.sub("the ", claim)


def _names_teams(answer: str, table: SourceTable) -> bool:
    columns = [column for column, name in enumerate(table.rows[0]) if _TEAM.search(name)]
    return any(row[column] == answer for row in table.rows[1:] for column in columns)


def find_strange_word(claim: str, table: SourceTable) -> str:
    """The first word in lower case that is neither English nor a word of the page: a name or a slip of the pen."""
    known = _words_of(table)
    unquoted = re.sub(r"[\"“].*?[\"”]", "", claim)
    for match in re.finditer(r"(?<![\w'’.&/-])[a-z]{3,}(?![\w'’&/]|-\w)", unquoted):
        word = match[0]
        if word not in _SMALL_WORDS and word not in known and not is_common_word(word):
            return word
    return ""


def _words_of(table: SourceTable) -> frozenset[str]:
    texts = (table.opening, table.caption, *table.sections, *(cell for row in table.rows for cell in row))
    return frozenset(word for text in texts for word in re.findall(r"[a-z]{3,}", text))
