"""Training examples with the evidence that the pipeline brings: what a verdict model reads, by claim.

    python -m benchmarks.retrieved_evidence FILE --set written|documents|fever --corpus DIR [--shard 0/2] [--most N]

`written` takes the claims of written/train and written/dev over a corpus of wiki/pages_html, `documents` those over a
corpus of the invented documents, `fever` those of fever/train_pairs over corpus R. Every line has the claim, its label,
its split, the text that the model would read, and whether all gold evidence was among what was found; `veritab train`
reads the file as the source `retrieved`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import orjson

from benchmarks.corpus_r import FILES
from veritab.corpus.fever import title_of
from veritab.corpus.tokenised import detokenise
from veritab.models.pair_tokens import room_beside
from veritab.pipeline import Checker
from veritab.schema import CELLS, Claim, ElementId, Evidence, Kind
from veritab.settings import Settings
from veritab.text import squeeze, terms
from veritab.train.sources.normalise import title_key
from veritab.train.sources.pages import held_out_titles
from veritab.verify.compose import compose
from veritab.verify.judge import compute_answer
from veritab.verify.model import ModelVerifier, _relevant_facts

_BATCH = 32
_SAME_SENTENCE = 0.7


class Gold(NamedTuple):
    """A claim, what it is, and what settles it: elements by address, or a sentence by its page and text."""

    claim: str
    label: str
    split: str
    elements: tuple[ElementId, ...] = ()
    page: str = ""
    sentence: str = ""

    def is_found(self, evidence: Evidence) -> bool:
        """Whether all of it is among the evidence; a cell is where its table is."""
        if self.page:
            own = set(terms(self.sentence))
            near = (set(terms(each.text)) for each in evidence.elements if each.id.page == self.page)
            return any(len(own & other) >= _SAME_SENTENCE * len(own | other) for other in near)
        tables = {table.id for table in evidence.tables}
        ids = {element.id for element in evidence.elements}
        return all(
            id in ids or (id.kind in CELLS | {Kind.TABLE_CAPTION} and id.table in tables) for id in self.elements
        )


def gold_claims(name: str) -> Iterator[Gold]:
    """The claims of a set with their gold evidence, without the pages that models are measured on."""
    held_out = held_out_titles(FILES)
    if name == "fever":
        for record in FILES.records("fever/train_pairs"):
            page = title_of(record["page"])
            if title_key(page) not in held_out:
                claim = squeeze(detokenise(record["claim"]))
                yield Gold(claim, record["label"], "train", page=page, sentence=detokenise(record["sentence"]))
        return
    for split in ("train", "dev"):
        for record in FILES.records(f"written/{split}"):
            if ("collection" in record) is not (name == "documents"):
                continue
            ids = tuple(ElementId.parse(id) for id in record["evidence"][0]["content"])
            if split == "dev" or not any(title_key(id.page) in held_out for id in ids):
                yield Gold(squeeze(record["claim"]), record["label"], split, ids)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", choices=("written", "documents", "fever"), default="written")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--shard", default="0/1", help="which part of the claims, of how many")
    parser.add_argument("--most", type=int, help="no more claims than this: those for development, then a sample")
    options = parser.parse_args(arguments)
    number, shards = map(int, options.shard.split("/"))
    claims = list(gold_claims(options.set))
    random.Random(0).shuffle(claims)
    claims = sorted(claims, key=lambda gold: gold.split != "dev")[number::shards][: options.most]
    # One thread in each process: several processes side by side are faster than the threads of one.
    settings = Settings().replaced({"verify.threads": 1})
    done = _claims_in(options.file)
    claims = [gold for gold in claims if gold.claim not in done]
    with Checker.open(options.corpus, settings) as checker, options.file.open("ab") as file:
        for start in range(0, len(claims), _BATCH):
            some = claims[start : start + _BATCH]
            for gold, evidence, text in zip(some, *_read(checker, some), strict=True):
                line = {"claim": gold.claim, "label": gold.label, "split": gold.split, "found": gold.is_found(evidence)}
                file.write(orjson.dumps({**line, "evidence": text}) + b"\n")
            file.flush()


def _claims_in(file: Path) -> set[str]:
    """The claims that a file has already: a run that was stopped goes on."""
    return {orjson.loads(line)["claim"] for line in file.read_bytes().splitlines()} if file.is_file() else set()


def _read(checker: Checker, some: Sequence[Gold]) -> tuple[list[Evidence], list[str]]:
    """The evidence of some claims, and the text that the model reads of it."""
    pipeline = checker.pipeline
    verifier = pipeline.verify
    assert isinstance(verifier, ModelVerifier)
    model = verifier.model
    found = pipeline.find([Claim("", gold.claim) for gold in some])
    gathered, texts = [], []
    for gold, each in zip(some, found, strict=True):
        evidence = pipeline.gather.gather(Claim("", gold.claim), each.selected)
        evidence = replace(evidence, computation=compute_answer(gold.claim, evidence))
        room = room_beside(model.length(gold.claim), model.max_length)
        facts = [fact.text for fact in _relevant_facts(evidence)]
        texts.append(compose(gold.claim, evidence, facts, room, model.length).text)
        gathered.append(evidence)
    return gathered, texts


if __name__ == "__main__":
    main()
