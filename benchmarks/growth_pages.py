"""Pages for corpora of any size: real ones as far as they go, then generated ones that are like them.

Real pages come in an order that has nothing to do with what is on them, so that a small corpus is a fair sample of a
large one and the beginning of it. Beyond them every page is made from a real one, whose lengths, lists, tables and
links it has: the most frequent words stay, every other word becomes another of its kind (a name, a word, a number) that
is about as frequent. The same word becomes the same everywhere, so links lead to the page with the changed title, and
words that go together still do. As many of the rare words become words never seen before as Heaps's law says.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

Record = dict[str, Any]

# Entities are no words; what is neither letter nor digit stays as it is.
_TOKEN = re.compile(r"&#?\w+;|[^\W\d_]+|\d+")
_KEPT = 1000
"""So many of the most frequent words are the same in generated pages: "the", "was", "born", "film"."""
_SHORT_NUMBER = 3
_SEED = 22


class PagePlace(NamedTuple):
    """Where a page is in its file, how many texts and tables it has, and its place among the pages."""

    order: bytes
    start: int
    length: int
    texts: int
    tables: int


def texts_of(record: Record) -> Iterator[str]:
    """What of a page is an entry of its own in the index: sentences, passages, items and captions."""
    for name in record["order"]:
        value = record[name]
        if name.startswith(("sentence", "passage")):
            yield value
        elif name.startswith("list"):
            yield from (item["value"] for item in value["list"])
        elif name.startswith("table") and value.get("caption"):
            yield value["caption"]


def places(path: Path) -> list[PagePlace]:
    """The pages of a file of FEVEROUS JSON lines, in an order that has nothing to do with what is on them."""
    found = []
    start = 0
    with path.open("rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            order = blake2b(record["title"].encode(), digest_size=8).digest()
            tables = sum(name.startswith("table") for name in record["order"])
            found.append(PagePlace(order, start, len(line), sum(1 for _ in texts_of(record)), tables))
            start += len(line)
    return sorted(found)


def read(path: Path, chosen: list[PagePlace]) -> Iterator[Record]:
    """These pages, in their order."""
    with path.open("rb") as file:
        for place in chosen:
            file.seek(place.start)
            yield orjson.loads(file.read(place.length))


# -- what real text is like --------------------------------------------------------------------------------


class Vocabulary(NamedTuple):
    """The words of real pages as they are written, and how many there were after so many words of text."""

    counts: Counter[str]
    growth: list[tuple[int, int]]

    def exponent(self) -> float:
        """By what power of the length of the text its vocabulary grows (Heaps's law), at its end."""
        lengths, sizes = np.array(self.growth, dtype=float).T
        return float(np.polyfit(np.log(lengths), np.log(sizes), 1)[0])

    def zipf(self) -> float:
        """By what power of its rank a word becomes rarer (Zipf's law), from the tenth to the ten-thousandth."""
        times = np.array([count for _, count in _fold(self.counts).most_common(10_000)][10:], dtype=float)
        return -float(np.polyfit(np.log(np.arange(11, 11 + len(times))), np.log(times), 1)[0])


def _fold(counts: Counter[str]) -> Counter[str]:
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[word.lower()] += count
    return folded


def count(records: Iterator[Record], pages: int) -> Vocabulary:
    """The vocabulary of so many pages; its growth is noted at the last five doublings."""
    counts: Counter[str] = Counter()
    marks = {pages >> shift for shift in range(5)} - {0}
    growth = []
    for number, record in enumerate(records, 1):
        for text in strings(record):
            counts.update(token for token in _TOKEN.findall(text) if token[0] != "&")
        if number in marks:
            growth.append((counts.total(), len({word.lower() for word in counts})))
    return Vocabulary(counts, growth)


def strings(record: Record) -> Iterator[str]:
    """Everything on a page that is text."""
    collected: list[str] = []

    def collect(text: str) -> str:
        collected.append(text)
        return text

    change(record, collect)
    yield from collected


def change(record: Record, function: Callable[[str], str]) -> Record:
    """The page with a function applied to its title and to every text on it."""
    changed = {**record, "title": function(record["title"])}
    for name in record["order"]:
        value = record[name]
        if isinstance(value, str):
            changed[name] = function(value)
        elif "table" in value:
            rows = [[{**cell, "value": function(cell["value"])} for cell in row] for row in value["table"]]
            changed[name] = {**value, "table": rows}
            if value.get("caption"):
                changed[name]["caption"] = function(value["caption"])
        elif "list" in value:
            changed[name] = {**value, "list": [{**item, "value": function(item["value"])} for item in value["list"]]}
        else:
            changed[name] = {**value, "value": function(value["value"])}
    return changed


# -- words become others -----------------------------------------------------------------------------------


class Renaming(dict[str, str]):
    """What every word becomes in one round of generated pages; words as they are written, capitals kept."""

    def __init__(self, vocabulary: Vocabulary, number: int) -> None:
        """Rounds are numbered from 1; each has its own words."""
        super().__init__()
        draw = random.Random(_SEED + number)
        folded = _fold(vocabulary.counts)
        capital: Counter[str] = Counter()
        for word, times in vocabulary.counts.items():
            if word[0].isupper():
                capital[word.lower()] += times
        self._words = {word: word for word, _ in folded.most_common(_KEPT)}
        bands: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word, times in folded.items():
            if word not in self._words:
                bands[_kind(word, 2 * capital[word] > times), int(math.log2(times))].append(word)
        for band in bands.values():
            others = band.copy()
            draw.shuffle(others)
            self._words |= zip(band, others, strict=True)
        growing = vocabulary.exponent()
        self._add_new(folded, round(len(folded) * ((number + 1) ** growing - number**growing)), draw)

    def _add_new(self, folded: Counter[str], wanted: int, draw: random.Random) -> None:
        rare = sorted((word for word in self._words if not _is_short(word)), key=lambda word: (folded[word], word))
        # Some are left, of the rarest ones too: in a longer text words that came once come again.
        candidates = rare[: round(wanted * 1.15)]
        endings = [word[len(word) // 2 :] for word in candidates if not word.isdigit()]
        for word in draw.sample(candidates, min(wanted, len(candidates))):
            if word.isdigit():
                self._words[word] = "".join(draw.choices("123456789", k=len(word)))
                continue
            made = word[: (len(word) + 1) // 2] + draw.choice(endings)
            while made in folded:
                made += draw.choice("aeiou") + draw.choice("bdklmnrst")
            self._words[word] = made

    def __missing__(self, token: str) -> str:
        became = self._words.get(token.lower(), token)
        if token[0].isupper():
            became = became.upper() if len(token) > 1 and token.isupper() else became[:1].upper() + became[1:]
        self[token] = became
        return became

    def apply(self, text: str) -> str:
        """A text with its words changed."""
        return _TOKEN.sub(lambda match: self[match[0]] if match[0][0] != "&" else match[0], text)


def _kind(word: str, named: bool) -> str:
    return str(len(word)) if word.isdigit() else "name" if named else "word"


def _is_short(word: str) -> bool:
    return word.isdigit() and len(word) <= _SHORT_NUMBER


class Written(NamedTuple):
    """What was written: pages, how many of them are real, texts, tables, words and different words."""

    pages: int
    real: int
    texts: int
    real_texts: int
    tables: int
    words: int
    vocabulary: int
    heaps: float | None = None
    zipf: float | None = None


def write(path: Path, into: Path, texts: int) -> Written:
    """Write pages with so many texts: real ones first, then generated ones where they do not suffice."""
    real = places(path)
    chosen: list[PagePlace] = []
    left = texts
    for place in real:
        if left <= 0:
            break
        chosen.append(place)
        left -= place.texts
    generated, tables = 0, sum(place.tables for place in chosen)
    vocabulary = count(read(path, chosen), len(chosen))
    words, different = vocabulary.counts.total(), set(_fold(vocabulary.counts))
    heaps = zipf = None
    with into.open("wb") as file:
        for record in read(path, chosen):
            file.write(orjson.dumps(record) + b"\n")
        if left > 0:
            heaps, zipf = vocabulary.exponent(), vocabulary.zipf()
            titles = {record["title"] for record in read(path, real)}
            for record in _generated(path, real, vocabulary, titles):
                generated += 1
                left -= sum(1 for _ in texts_of(record))
                tables += sum(name.startswith("table") for name in record["order"])
                for text in strings(record):
                    tokens = [token.lower() for token in _TOKEN.findall(text) if token[0] != "&"]
                    words += len(tokens)
                    different.update(tokens)
                file.write(orjson.dumps(record) + b"\n")
                if left <= 0:
                    break
    real_texts = sum(place.texts for place in chosen)
    pages = len(chosen) + generated
    return Written(pages, len(chosen), texts - left, real_texts, tables, words, len(different), heaps, zipf)


def _generated(path: Path, real: list[PagePlace], vocabulary: Vocabulary, titles: set[str]) -> Iterator[Record]:
    number = 0
    while True:
        number += 1
        renaming = Renaming(vocabulary, number)
        for record in read(path, real):
            made = change(record, renaming.apply)
            # A title of frequent words only is there already: such pages are told apart as in Wikipedia.
            title, turn = made["title"], 1
            while made["title"] in titles:
                turn += 1
                made["title"] = f"{title} ({turn})"
            titles.add(made["title"])
            yield made


def write_with_tables(path: Path, into: Path) -> Written:
    """Write the real pages that have tables, to tell what a table costs from what a text costs."""
    chosen = [place for place in places(path) if place.tables]
    with into.open("wb") as file:
        for record in read(path, chosen):
            file.write(orjson.dumps(record) + b"\n")
    texts = sum(place.texts for place in chosen)
    return Written(len(chosen), len(chosen), texts, texts, sum(place.tables for place in chosen), 0, 0)


def claims(path: Path, number: int) -> list[str]:
    """What somebody might type of pages that every corpus has: first sentences, cut where a claim would end."""
    found: list[str] = []
    for record in read(path, places(path)[: 20 * number]):
        first = record.get("sentence_0") or ""
        words = re.sub(r"\[\[[^|\]]*\||\]\]|\([^()]*\)|&#?\w+;", "", first).split()
        if len(words) > 6 and isinstance(first, str):
            found.append(" ".join(words[:16]).rstrip(",;.") + ".")
        if len(found) == number:
            break
    return found
