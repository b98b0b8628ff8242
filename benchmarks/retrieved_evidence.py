"""Training examples with the evidence that the pipeline brings: what a verdict model reads, by claim.

    python -m benchmarks.retrieved_evidence FILE --set written|documents|fever --corpus DIR [--shard 0/2] [--split dev]

`written` takes the claims of written/train and written/dev over a corpus of wiki/pages_html, `documents` those over a
corpus of the invented documents, `fever` those of fever/train_pairs over corpus R, with FEVER's claims without evidence
beside them. Every line has the claim, its label, its split, and the texts that the model would read: all evidence
together and the best few pieces, each with whether all gold evidence is in it. `veritab train` reads the file as the
source `retrieved`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchmarks.corpus_r import FILES
from veritab.corpus.fever import title_of
from veritab.corpus.tokenised import detokenise
from veritab.datasets.normalise import title_key
from veritab.pipeline import Checker
from veritab.schema import CELLS, Claim, ElementId, Evidence, Kind
from veritab.settings import Settings
from veritab.text import squeeze, terms
from veritab.train.sources.pages import held_out_titles
from veritab.verify.judge import compute_answer
from veritab.verify.model import ModelVerifier

_BATCH = 32
_SAME_SENTENCE = 0.7
_NOT_ENOUGH = "NOT ENOUGH INFO"


class Gold(NamedTuple):
    """A claim, what it is, and what settles it: elements by address, or a sentence by its page and text."""

    claim: str
    label: str
    split: str
    elements: tuple[ElementId, ...] = ()
    page: str = ""
    sentence: str = ""

    def is_found(self, evidence: Evidence, read: Set[ElementId], tables: Set[ElementId]) -> bool:
        """Whether all of it is in a text that has these elements, and facts derived from these tables."""
        if self.page:
            own = set(terms(self.sentence))
            elements = (each for each in evidence.elements if each.id.page == self.page and each.id in read)
            near = (set(terms(each.text)) for each in elements)
            return any(len(own & other) >= _SAME_SENTENCE * len(own | other) for other in near)
        return all(
            id in read or (id.kind in CELLS | {Kind.TABLE_CAPTION} and id.table in tables) for id in self.elements
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
        for record in FILES.records("more/fever_train_extra/train"):
            if record["label"] == _NOT_ENOUGH and title_key(record["page"]) not in held_out:
                yield Gold(squeeze(detokenise(record["claim"])), _NOT_ENOUGH, "train")
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
    parser.add_argument(
        "--split", choices=("train", "dev"), help="only claims to train on, or only those for development"
    )
    parser.add_argument("--most", type=int, help="no more claims than this, a sample")
    options = parser.parse_args(arguments)
    number, shards = map(int, options.shard.split("/"))
    claims = [gold for gold in gold_claims(options.set) if options.split in (None, gold.split)]
    random.Random(0).shuffle(claims)
    claims = claims[number::shards][: options.most]
    # One thread in each process: several processes side by side are faster than the threads of one.
    settings = Settings().replaced({"verify.threads": 1})
    done = _claims_in(options.file)
    claims = [gold for gold in claims if gold.claim not in done]
    with Checker.open(options.corpus, settings) as checker, options.file.open("ab") as file:
        reachable = [gold for gold in claims if not gold.page or gold.page in checker.store]
        for start in range(0, len(reachable), _BATCH):
            some = reachable[start : start + _BATCH]
            for gold, readings in zip(some, _read(checker, some), strict=True):
                line = {"claim": gold.claim, "label": gold.label, "split": gold.split, "readings": readings}
                file.write(orjson.dumps(line) + b"\n")
            file.flush()


def _claims_in(file: Path) -> set[str]:
    """The claims that a file has already: a run that was stopped goes on."""
    return {orjson.loads(line)["claim"] for line in file.read_bytes().splitlines()} if file.is_file() else set()


def _read(checker: Checker, some: Sequence[Gold]) -> list[list[dict[str, Any]]]:
    """The texts that the model reads for each of some claims, and whether its gold evidence is in them."""
    pipeline = checker.pipeline
    verifier = pipeline.verify
    assert isinstance(verifier, ModelVerifier)
    found = pipeline.find([Claim("", gold.claim) for gold in some])
    every = []
    for gold, each in zip(some, found, strict=True):
        claim = each.read.claim
        evidence = pipeline.gather.gather(claim, each.selected)
        evidence = replace(evidence, computation=compute_answer(claim.text, evidence))
        composed = verifier.compose(claim, evidence)
        stated = {cell.table for fact in composed.facts for cell in fact.cells if cell.table}
        texts = [(rendered, stated) for rendered in composed.texts] + [(rendered, set()) for rendered in composed.few]
        every.append(
            [
                {
                    "claim": claim.text,
                    "text": rendered.text,
                    "found": gold.is_found(evidence, set(rendered.used), tables),
                }
                for rendered, tables in texts
            ]
        )
    return every


if __name__ == "__main__":
    main()
