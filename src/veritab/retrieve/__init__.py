"""Claims find pages, then elements, then cells.

Reading down the room: `sparse` finds entries by words, `name_index` by what pages are called, `index` keeps both beside
a corpus, `index_errors` says what is wrong with it, and `preparation` makes both of documents at hand. `spelling` finds
near words for misspelt ones, `entity_mentions` links the names in a claim to pages, `pages` ranks pages, `links`
follows where they point, `elements` ranks what stands on them (`in_page`, where the page is given), `retrievers` puts
these together. `cells` ranks the cells of tables, `lexical` and `rerank` select among all that was retrieved,
`candidate_text` is what a reranker reads, and `fuse` joins, reorders and cuts rankings. Two rooms lie behind: `dense`
retrieves by vectors, and `search` serves people who type words.
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
