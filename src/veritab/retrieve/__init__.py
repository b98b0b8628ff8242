"""Claims find pages, then elements, then cells.

Reading down the room: `sparse` finds entries by words, `names` by what pages are called, `index` keeps both beside a
corpus, and `damage` says what is wrong with it. `mentions` reads the names in a claim, `pages` ranks pages, `links`
follows where they point, `elements` ranks what stands on them (`in_page`, where the page is known), `cells` picks cells
of tables, `selecting` lets a model choose among all of these, `fuse` joins, reorders and cuts rankings, and
`retrievers` puts all of it together; `spacy_names` lets a model find names too. Three rooms lie behind: `dense` finds
by meaning, `papers` as the papers did, and `search` serves people who type words.
"""

from __future__ import annotations

from veritab.retrieve.fuse import cut, fuse, rerank
from veritab.retrieve.index import Index, build_index, open_index
from veritab.retrieve.retrievers import EvidenceRetriever, PageRetriever, named_pages, open_retriever

__all__ = [
    "EvidenceRetriever",
    "Index",
    "PageRetriever",
    "build_index",
    "cut",
    "fuse",
    "named_pages",
    "open_index",
    "open_retriever",
    "rerank",
]
