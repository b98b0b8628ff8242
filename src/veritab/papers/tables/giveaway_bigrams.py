"""Fool Me Twice, table 3, and FaVIQ, table 3: the pairs of words that go with a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veritab import datasets
from veritab.audit.giveaways import Associations, LmiVariant
from veritab.audit.ngrams import count_ngrams
from veritab.papers.tables.cells import ProgressStep, TableCell, TableEvent, TableNote
from veritab.papers.tables.config import TableConfig
from veritab.papers.tables.inputs import TableInputs
from veritab.schema import Example, Label

_DECIDED = (str(Label.SUPPORTS), str(Label.REFUTES))
_LOOKED_AT = 100


def top_bigrams(table: TableConfig, inputs: TableInputs) -> Iterator[TableEvent]:
    """The pairs of words with the highest local mutual information with a label, in each of some sets of claims."""
    column, counting = table.columns[0], LmiVariant(table.settings["counting"])
    for row in table.settings["rows"]:
        name = first_available(row["data"], inputs)
        if name is None:
            yield TableCell(row["name"], column, why=f"{row['data'][0]} is not on hand; see: veritab data")
            continue
        yield ProgressStep(f"counting the words of {name}")
        examples = inputs.sample_examples(decided_claims(name, inputs))
        yield TableNote(name, f"{len(examples):,} supported and refuted claims of {name}; the paper: {row['paper']}")
        pairs = Associations(
            count_ngrams(example.claim.text for example in examples)[1],
            [str(example.label) for example in examples],
            _DECIDED,
        )
        # The papers' lists leave out pairs with a punctuation mark, which their longer lists in appendices have.
        found = [each.thing for each in pairs.by_lmi(row["label"], counting, _LOOKED_AT) if _has_words_only(each.thing)]
        yield TableCell(row["name"], column, ", ".join(found[: table.settings["top"]]), notes=(name,))


def _has_words_only(pair: str) -> bool:
    return all(word.isalnum() for word in pair.split())


def first_available(names: Sequence[str], inputs: TableInputs) -> str | None:
    """The first of some data sets that is on this machine."""
    return next((name for name in names if datasets.REGISTRY[name].find(inputs.data_folder)), None)


def decided_claims(name: str, inputs: TableInputs) -> list[Example]:
    """The supported and refuted claims of a data set."""
    loaded = datasets.load(name, data=inputs.data_folder)
    return [example for example in loaded if str(example.label) in _DECIDED]
