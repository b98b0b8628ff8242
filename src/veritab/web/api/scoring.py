"""The route for programs that ask whether documents support claims, in the form that grounding scorers have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError
from veritab.schema import refuse_long
from veritab.web.api.shapes import EvidenceOrText, ScoreBody, ScoreShape, ScoresOfManyShape, evidence_to_library
from veritab.web.api.texts import refuse_long_text
from veritab.web.api.work import BatchRequest, respond_batch
from veritab.web.limits import Limits

_DIGITS = 4


class _Pair(NamedTuple):
    """A claim, and the document that should support it."""

    doc: EvidenceOrText
    claim: str


def add(routes: APIRouter) -> None:
    """Add the route."""

    def score(request: Request, pairs: Sequence[_Pair]) -> list[dict[str, Any]]:
        checker = request.app.state.corpora.default  # the models are the same whatever the corpus
        scores = checker.score([evidence_to_library(pair.doc) for pair in pairs], [pair.claim for pair in pairs])
        return [
            {"label": label, "probability": round(probability, _DIGITS)}
            for label, probability in zip(scores.labels, scores.probabilities, strict=True)
        ]

    @routes.post(
        "/score",
        tags=["check"],
        summary="Score claims by documents",
        response_model=ScoreShape | ScoresOfManyShape,
    )
    async def score_claims(request: Request, body: ScoreBody) -> Response:
        """Say how likely it is that documents support claims; nothing is searched for.

        `docs` and `claims` are lists of the same length: each claim is scored by the document beside it, and the answer
        has `labels`, 1 where the document supports the claim, else 0, and `probabilities`. One `doc` stands for all
        `claims`, and one `claim` for all `docs`; of one each, the answer has one `label` and one `probability`. A
        document is a text, a table, or a piece with a title. Of one that is longer than the model's window, the
        sentences most like the claim are read; where they leave it open, it is read to its end in chunks, and the one
        that says most about the claim counts. Tables are computed with whole. With `Accept: application/x-ndjson`, each
        claim's answer is a line.
        """
        limits: Limits = request.app.state.limits
        pairs, alone = _pair_up(body)
        for pair in pairs:
            refuse_long("a claim", pair.claim, limits.claim_characters)
            refuse_long_text("a document", _text_of(pair.doc), limits)
        batch = BatchRequest(
            pairs,
            lambda some: score(request, some),
            lambda pair: {"claim": pair.claim},
            None if alone else "scores",
            _join,
        )
        return await respond_batch(request, request.app.state.workers, batch)


def _pair_up(body: ScoreBody) -> tuple[list[_Pair], bool]:
    """Each claim with its document, and whether there was one of each, not in lists."""
    for one, many in (("doc", "docs"), ("claim", "claims")):
        given = [name for name in (one, many) if getattr(body, name) is not None]
        if len(given) != 1:
            raise InputError(f"the body has {' and '.join(given) or f'neither {one} nor {many}'}; give one of the two")
    count = max(len(body.docs or ()), len(body.claims or ())) or 1
    docs = body.docs if body.docs is not None else [body.doc] * count
    claims = body.claims if body.claims is not None else [body.claim] * count
    if len(docs) != len(claims):
        raise InputError(f"{len(docs):,} docs and {len(claims):,} claims do not pair up; give as many of each")
    pairs = [_Pair(doc, claim) for doc, claim in zip(docs, claims, strict=True) if doc is not None and claim]
    return pairs, body.docs is None and body.claims is None


def _text_of(doc: EvidenceOrText) -> str:
    return doc if isinstance(doc, str) else "" if isinstance(doc, list) else doc.text or ""


def _join(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "labels": [answer["label"] for answer in answers],
        "probabilities": [answer["probability"] for answer in answers],
    }
