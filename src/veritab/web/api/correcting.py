"""The route that corrects claims: the smallest edit that the evidence supports, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.build.correcting.correction import correct
from veritab.render.json import correction_to_json
from veritab.schema import Claim, refuse_long
from veritab.web.api.shapes import CheckBody, ClaimsBody, CorrectionShape, CorrectionsShape, claim_of
from veritab.web.api.work import BatchRequest, respond_batch
from veritab.web.corpora import Chosen
from veritab.web.limits import Limits

if TYPE_CHECKING:
    from veritab.pipeline import Checker


def add(routes: APIRouter) -> None:
    """Add the route."""

    def correct_each(request: Request, checker: Checker, claims: Sequence[Claim]) -> list[dict[str, Any]]:
        answers = []
        for claim in claims:
            answers.append(correction_to_json(correct(checker, claim)))
            request.app.state.metrics.count_claim(answers[-1]["verdict"]["label"])
        return answers

    @routes.post(
        "/correct", tags=["check"], summary="Correct claims", response_model=CorrectionShape | CorrectionsShape
    )
    async def correct_claims(request: Request, body: CheckBody, chosen: Chosen) -> Response:
        """Check one claim, or several; of each that is refuted, find the smallest edit that the evidence supports.

        `correction` is the claim with the `edits` made, whose offsets count characters (Unicode code points) of the
        claim; it is null where the claim holds, where nothing settles it, and where no edit is clearly supported, as
        `outcome` says. With `Accept: application/x-ndjson`, each answer is a line, written as soon as it is there.
        """
        limits: Limits = request.app.state.limits
        claims = [claim_of(each) for each in (body.claims if isinstance(body, ClaimsBody) else [body])]
        for claim in claims:
            refuse_long("a claim", claim.text, limits.claim_characters)
        many = "corrections" if isinstance(body, ClaimsBody) else None
        batch = BatchRequest(claims, lambda some: correct_each(request, chosen.checker, some), _identify, many, size=1)
        return await respond_batch(request, request.app.state.workers, batch)


def _identify(claim: Claim) -> dict[str, Any]:
    return {"id": claim.id, "claim": claim.text} if claim.id else {"claim": claim.text}
