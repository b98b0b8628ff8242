"""Typos: a word that the corpus does not have is searched and read as a near word that it has.

A word is known where its term is in the vocabulary of the index, where it is part of a known name, or where it is
common English; known words and numbers are never touched, so that Turin stays Turin beside Turing. For an unknown word,
every word one mistake away is looked up in the term dictionary; where there is none and the word is long, the terms
with the same first letter are compared, two mistakes allowed. A term is a stem: the word itself is taken from a page
that has it, which also throws out stems that only look near.

Searching for a wrong word costs little, and reading a claim about one thing as a claim about another costs a verdict.
So every near word is searched for, with a low weight, and a claim is read with one only where that makes a name of the
corpus ("Albert Einstien"), where it is one slip in a long name by itself, or where what was retrieved for the claim has
the word and most of the rest of the claim too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from veritab.errors import NotFound
from veritab.models.vocabulary import is_common_word
from veritab.retrieve.index import Index, NearWord
from veritab.retrieve.name_index import LONGEST_NAME, NameSource, NameSpan, NameTarget, key
from veritab.schema import Claim, Element, Hit, Page, ReadClaim, WordChange
from veritab.text import STOP_WORDS, Token, content_terms, nfc, printable, terms, tokenize_for_index, word_spans, words

MOST_WORDS = 300
"""A claim of more words than this is truncated."""
_SHORTEST = 4
_MIDDLE = 6
_LONG = 8
"""From this many letters on, two mistakes are allowed, and one of them may be in the first letter."""
_MOST_UNKNOWN = 5
"""A text of more unknown words than this is in another language, or about something else, and is left alone."""
_MOST_NEAR = 4
_MOST_TRIED = 8
_PAGES_READ = 3
_FAMOUS = 20
_MOST_KEPT = 10_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VOWELS = frozenset("aeiouy")
# How much of the rest of a claim a hit must say, and how many words at least, to vouch for a near word.
_REST, _FEWEST = 0.6, 2


# -- unknown words -----------------------------------------------------------------------------------------


def find_unknown(of: Sequence[Token], spans: Iterable[NameSpan], index: Index) -> list[int]:
    """The places of the words that the corpus does not have and that may be misspelt; those of names are not."""
    strange = _find_strange(of, index)
    if not strange:
        return []
    named = {place for span in spans for place in range(span.first, span.last)}
    found = [place for place in strange if place not in named and not is_common_word(of[place].lower)]
    return found if len(found) <= _MOST_UNKNOWN else []


def _find_strange(of: Sequence[Token], index: Index) -> list[int]:
    """The places of the words that are not in the vocabulary of the index."""
    return [place for place, word in enumerate(of) if _may_be_misspelt(word.lower) and not _is_known(word.lower, index)]


def _may_be_misspelt(word: str) -> bool:
    """Numbers, codes, short words and other scripts are left alone."""
    return len(word) >= _SHORTEST and word.isascii() and word.isalpha() and word not in STOP_WORDS


def _is_known(word: str, index: Index) -> bool:
    return all(_count_pages(term, index) for term in terms(word))


def _count_pages(term: str, index: Index) -> int:
    return index.pages.frequency("body", term) or index.pages.frequency("title", term)


# -- near words --------------------------------------------------------------------------------------------


def find_near_words(word: str, index: Index) -> tuple[NearWord, ...]:
    """The words of the corpus nearest to an unknown one, the likeliest first."""
    known = index.near_words.get(word)
    if known is None:
        known = _verify(word, _one_mistake(word, index), index, 1)
        if not known and len(word) >= _LONG:
            known = _verify(word, _two_mistakes(word, index), index, 2)
        if len(index.near_words) >= _MOST_KEPT:
            index.near_words.clear()
        index.near_words[word] = known
    return known


def _one_mistake(word: str, index: Index) -> list[str]:
    """The terms of all that is one mistake away from a word, as far as the index has them."""
    tried = dict.fromkeys(terms(" ".join(_edits(word))))
    return [term for term in tried if _count_pages(term, index)]


def _edits(word: str) -> Iterator[str]:
    """Every text one mistake away; the first letter of a short word stays."""
    for place in range(0 if len(word) >= _LONG else 1, len(word) + 1):
        before, after = word[:place], word[place:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        yield from (before + letter + after for letter in _LETTERS)


def _two_mistakes(word: str, index: Index) -> list[str]:
    """The terms two mistakes away that begin with the same letter."""
    (term,) = terms(word)
    listed = {other for field in ("title", "body") for other in index.pages.terms_that_begin(field, word[0])}
    near = process.extract(term, list(listed), scorer=OSA.distance, score_cutoff=2, limit=None)
    return [other for other, _, _ in near]


def _verify(word: str, near: Iterable[str], index: Index, mistakes: int) -> tuple[NearWord, ...]:
    """The likeliest of some terms, each with a word that a page has and that is no more mistakes away.

    Letters that changed places come first, then words of titles, then the more frequent ones.
    """

    def order(term: str) -> tuple[bool, bool, int, str]:
        swapped = sorted(term) != sorted(terms(word)[0])
        return swapped, not index.pages.frequency("title", term), -_count_pages(term, index), term

    found = []
    for term in sorted(near, key=order)[:_MOST_TRIED]:
        written = _find_form(word, term, index, mistakes)
        if written:
            found.append(NearWord(written, term))
    return tuple(found[:_MOST_NEAR])


def _find_form(word: str, term: str, index: Index, mistakes: int) -> str:
    """How pages write a term: the form nearest to a word, and of those the most frequent; empty where none is near."""
    hits = index.pages.search([term], {"title": 3.0, "body": 1.0}, _PAGES_READ)
    times: Counter[str] = Counter()
    for title in index.store.titles_by_number(hit.page for hit in hits).values():
        try:
            page = index.store.page(title)
        except NotFound:  # gone since the index was built
            continue
        times.update(_forms(page, term))
    near = {form: distance for form in times if (distance := _count_mistakes(word, key(form), mistakes))}
    return min(near, key=lambda form: (near[form], -times[form], form), default="")


def _forms(page: Page, term: str) -> Iterator[str]:
    for text in (page.title, *(text for text, _ in page.texts())):
        # The terms of a whole text cost little; only those of a text that has this one are told apart.
        if term in terms(text):
            yield from (text[start:end] for start, end in word_spans(text) if terms(text[start:end]) == [term])


def _count_mistakes(written: str, word: str, most: int) -> int:
    """How many mistakes make a word what is written; 0 where they are too many, or none that people make."""
    distance = OSA.distance(written, word, score_cutoff=most)
    return distance if distance <= most and len(word) >= _SHORTEST and _may_be_slip(written, word) else 0


def _may_be_slip(written: str, word: str) -> bool:
    """Whether two words differ as a typo and its word do, rather than as two names or two forms of a word do.

    Forms of words differ at their ends ("Texas" and "Texan", "Michael" and "Michaela"), and short names by a consonant
    ("Iran" and "Iraq").
    """
    if written[0] != word[0] and len(written) < _LONG:
        return False
    if written[-1] != word[-1] and sorted(written[-2:]) != sorted(word[-2:]):
        return len(written) >= _LONG and word[:-1] == written  # the last letter was not typed
    if len(written) == len(word) and len(written) < _MIDDLE:
        changed = {letter for pair in zip(written, word, strict=True) if pair[0] != pair[1] for letter in pair}
        return changed <= _VOWELS or sorted(written) == sorted(word)
    return True


# -- changes of a text -------------------------------------------------------------------------------------


def change_word(word: Token, read: str) -> WordChange:
    """A word changed into another, with a capital where it has one."""
    return WordChange(word.start, word.end, word.text, _capitalise(read) if word.is_capital else read)


def change_words(text: str, changes: Iterable[WordChange]) -> str:
    """A text with some of its words changed."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.read + text[change.end :]
    return text


def _capitalise(word: str) -> str:
    return word[0].upper() + word[1:]


def has_capitals(text: str) -> bool:
    """Whether a text has any; who writes without them writes names so too."""
    return any(map(str.isupper, text))


def find_names_without_capitals(
    of: Sequence[Token], spans: Mapping[NameSpan, Sequence[NameTarget]]
) -> Iterator[WordChange]:
    """The changes that give the names of pages among some words their capitals."""
    for place in sorted(
        {place for span in spans if is_page_name(spans[span]) for place in range(span.first, span.last)}
    ):
        if of[place].lower not in STOP_WORDS and not of[place].is_proper:
            yield change_word(of[place], _capitalise(of[place].text))


def is_page_name(targets: Iterable[NameTarget]) -> bool:
    """Whether a name is that of a page itself, not only the words of some link to it."""
    return any(target.how is not NameSource.ANCHOR for target in targets)


# -- which near word is meant ------------------------------------------------------------------------------


def choose_clear(of: Sequence[Token], unknown: Iterable[int], index: Index) -> dict[int, NearWord]:
    """The near words that are meant whatever is retrieved, by place: those that make names of pages, for the most."""
    near = {place: _find_alike(of, place, index) for place in unknown}
    near = {place: found for place, found in near.items() if found}
    # Both words of a name may be misspelt: while one is tried, the others are the likeliest.
    likely = {place: found[0] for place, found in near.items()}
    chosen = {}
    for place, found in near.items():
        named = [each for each in found if _is_named(of, likely | {place: each}, place, index)]
        if len(named) == 1 or _is_plain(of, place, found):
            chosen[place] = (named or found)[0]
    return chosen


def _find_alike(of: Sequence[Token], place: int, index: Index) -> list[NearWord]:
    """The near words of one that are written as it is: a word without a capital is no name that has one elsewhere."""
    near, word = find_near_words(of[place].lower, index), of[place]
    if word.is_capital or not any(other.is_capital for other in of):
        return list(near)
    return [each for each in near if not each.word[0].isupper()]


def _is_named(of: Sequence[Token], read: Mapping[int, NearWord], place: int, index: Index) -> bool:
    """Whether a word, with these read in the place of those written, is a name or part of one."""
    begin, end = max(0, place + 1 - LONGEST_NAME), place + LONGEST_NAME
    tokens = [
        word._replace(text=read[at].word, lower=key(read[at].word)) if at in read else word
        for at, word in enumerate(of[begin:end], begin)
    ]
    spans = index.names.spans(tokens)
    around = [span for span in spans if span.first <= place - begin < span.last and is_page_name(spans[span])]
    if any(span.last - span.first > 1 for span in around):
        return True
    # A short word by itself is near too many others, and one within a longer name is another name: "Gustav Einstien".
    written, word = of[place].lower, key(read[place].word)
    is_short = max(len(written), len(word)) < _MIDDLE and sorted(written) != sorted(word)
    if is_short or not _is_alone(of, place):
        return False
    return bool(around) or (of[place].is_capital and _is_surname(read[place], index))


def _is_plain(of: Sequence[Token], place: int, near: Sequence[NearWord]) -> bool:
    """Whether one slip in a long name by itself makes it what it is, and nothing else could be meant."""
    written = of[place].lower
    return (
        len(near) == 1
        and of[place].is_capital
        and len(written) >= _LONG
        and _is_alone(of, place)
        and _count_mistakes(written, key(near[0].word), 1) == 1
    )


def _is_alone(of: Sequence[Token], place: int) -> bool:
    """Whether a word is no part of a longer name by its capitals; in a text without any, nobody can tell."""
    before = place > 0 and of[place - 1].lower not in STOP_WORDS and _continues(of[place - 1], of[place])
    return not before and (place + 1 == len(of) or not _continues(of[place], of[place + 1]))


def _continues(word: Token, following: Token) -> bool:
    """Whether two words may be of one name: with capitals and no comma between them; a year is no part of a name."""
    return word.is_capital and following.is_capital and following.start - word.end <= 1


def _is_surname(near: NearWord, index: Index) -> bool:
    """Whether a page has a title of several words that ends with this one."""
    hits = index.pages.largest(near.term, "title", _FAMOUS)
    titles = (words(title) for title in index.store.titles_by_number(hit.page for hit in hits).values())
    return any(len(title) > 1 and title[-1] == key(near.word) for title in titles)


# -- claims ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpellingReader:
    """Reads claims in the spelling of a corpus, as far as what was retrieved for them has the words."""

    index: Index

    def read(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[ReadClaim]:
        """Each claim with its misspelt words replaced by near words that its hits have, and names with capitals."""
        return [self._read(claim, found) for claim, found in zip(claims, hits, strict=True)]

    def _read(self, claim: Claim, hits: Sequence[Hit]) -> ReadClaim:
        text = nfc(printable(claim.text))
        of = tokenize_for_index(text)[:MOST_WORDS]
        is_plain = not has_capitals(text)
        if not is_plain and not _find_strange(of, self.index):
            return ReadClaim(claim)
        spans = self.index.names.spans(of)
        unknown = find_unknown(of, spans, self.index)
        changes = self._respell(of, unknown, hits)
        names: list[WordChange] = []
        if is_plain:
            names += [*find_names_without_capitals(of, spans), *_capitalise_names(of, unknown, hits)]
        done = {change.start for change in changes}
        every = [*changes, *(change for change in dict.fromkeys(names) if change.start not in done)]
        return ReadClaim(replace(claim, text=change_words(text, every)), tuple(changes)) if every else ReadClaim(claim)

    def _respell(self, of: Sequence[Token], unknown: Sequence[int], hits: Sequence[Hit]) -> list[WordChange]:
        clear = choose_clear(of, unknown, self.index)
        said = [_said(hit.element) for hit in hits] if unknown else []
        rest = set(content_terms(" ".join(word.lower for place, word in enumerate(of) if place not in unknown)))
        changes = []
        for place in unknown:
            read = clear.get(place)
            if read is None:
                near = _find_alike(of, place, self.index)
                read = next((each for hit in said for each in near if _vouches(hit, each, rest)), None)
            if read:
                changes.append(change_word(of[place], read.word))
        return changes


def _said(element: Element) -> set[str]:
    """The terms of an element, the titles and headers around it among them."""
    texts = (element.id.page, element.text, *(near.text for near in element.context))
    return {term for text in texts for term in terms(text)}


def _vouches(said: set[str], near: NearWord, rest: set[str]) -> bool:
    """Whether what is said has a near word, and most of the rest of the claim."""
    shared = len(said & rest)
    return near.term in said and shared >= _FEWEST and shared >= _REST * len(rest)


def _capitalise_names(of: Sequence[Token], unknown: Sequence[int], hits: Sequence[Hit]) -> Iterator[WordChange]:
    """Capitals for words that the corpus does not know, as names are, and for those that the hits write with one."""
    capital: Counter[str] = Counter()
    for hit in hits:
        # The first word of a sentence has a capital whatever it is.
        for word in tokenize_for_index(hit.element.text)[1:]:
            capital[word.lower] += 1 if word.is_capital else -1
    for place, word in enumerate(of):
        if (place in unknown or capital[word.lower] > 0) and word.lower not in STOP_WORDS and not word.is_proper:
            yield change_word(word, _capitalise(word.text))
