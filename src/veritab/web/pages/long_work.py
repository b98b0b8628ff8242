"""Texts and files: begun by a form, followed on a page of their own, taken away when done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastapi import APIRouter, File, Form, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from veritab.decompose import extract_claims, number_claims
from veritab.errors import InputError
from veritab.render import write
from veritab.render.tables import table_finder
from veritab.render.view import LABELS, LabelView, format_percent, split_text
from veritab.runs.claims import ClaimRecord, read_claims
from veritab.schema import Claim, refuse_long
from veritab.text import nfc, shorten, squeeze
from veritab.web.corpora import Chosen
from veritab.web.job_book import SECONDS_KEPT, JobState
from veritab.web.limits import Limits
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.checking import download, file_name
from veritab.web.pages.jobs import MOST_CLAIMS, CheckJob, JobRunner
from veritab.web.pages.templating import counted, render_page, show_at
from veritab.web.workers import client

if TYPE_CHECKING:
    from veritab.pipeline import Checker

LONGEST_TEXT = 100_000
_LONGEST_FILE_NAME = 120
_LONGEST_WORD = 24
_HOURS = round(SECONDS_KEPT / 3600)


class JobRow(NamedTuple):
    """A claim of a job with its verdict, as the list shows it."""

    number: int
    claim: str
    name: str
    label: LabelView
    percent: str
    is_uncertain: bool
    href: str


class MarkedStretch(NamedTuple):
    """A stretch of a text: its number where it was picked out, its verdict once there is one."""

    text: str
    number: int
    label: LabelView | None

    @property
    def last_word(self) -> str:
        """Stays on one line with the sign that follows it; one too long for that is none."""
        word = self.text.rsplit(maxsplit=1)[-1] if self.text.strip() else ""
        return word if len(word) <= _LONGEST_WORD and self.text.endswith(word) else ""

    @property
    def before_it(self) -> str:
        return self.text.removesuffix(self.last_word)


def add(router: APIRouter, jobs: JobRunner) -> None:
    """Add these pages to the router."""

    @show_at(router, "/text")
    async def text_form(request: Request) -> Response:
        return render_page(request, "text.html", here="/text", longest=LONGEST_TEXT, most_claims=MOST_CLAIMS)

    @router.post("/text")
    async def check_text(request: Request, chosen: Chosen, text: Annotated[str, Form()] = "") -> Response:
        job = await request.app.state.workers.run(text_job, text)
        return await _start_job(request, jobs, replace(job, corpus=chosen.name, client=client.get()))

    @show_at(router, "/file")
    async def file_form(request: Request) -> Response:
        megabytes = request.app.state.limits.upload_bytes >> 20
        return render_page(
            request, "file.html", here="/file", most_claims=MOST_CLAIMS, megabytes=megabytes, hours=_HOURS
        )

    @router.post("/file")
    async def check_file(
        request: Request, chosen: Chosen, file: Annotated[UploadFile | None, File()] = None
    ) -> Response:
        if file is None:
            raise InputError("no file came with the form; choose one and send it again")
        name = file.filename or "claims"
        job = await request.app.state.workers.run(file_job, file.file, name, request.app.state.limits)
        return await _start_job(request, jobs, replace(job, corpus=chosen.name, client=client.get()))

    @show_at(router, "/jobs/{id}")
    async def show(request: Request, id: str) -> Response:
        job = await jobs.job(id, request.app.state.keepers)
        rows, marked = await request.app.state.readers.run(lambda: (_list_rows(job), _mark_text(job)))
        return render_page(
            request,
            "job.html",
            here="/text" if job.text else "/file",
            job=job,
            rows=rows,
            stretches=marked,
            words=_describe_progress(job),
            counts=_count_labels(job),
            hours=_HOURS,
        )

    @show_at(router, "/jobs/{id}/progress")
    async def progress(request: Request, id: str) -> Response:
        job = await jobs.job(id, request.app.state.keepers)
        counts = {label.name: count for label, count in _count_labels(job)}
        return JSONResponse(
            {"done": len(job.results), "over": job.is_over, "words": _describe_progress(job), "counts": counts}
        )

    @router.post("/jobs/{id}/stop")
    async def stop(request: Request, id: str) -> Response:
        return RedirectResponse(_address(await jobs.stop(id, request.app.state.keepers)), 303)

    @show_at(router, "/jobs/{id}/results.jsonl")
    async def results(request: Request, id: str) -> Response:
        job = await jobs.job(id, request.app.state.keepers, whole=True)
        lines = await request.app.state.readers.run(_json_lines, job)
        return download(lines, f"veritab-{file_name(job.name)}.jsonl", "application/x-ndjson")

    @show_at(router, "/jobs/{id}/report.html")
    async def report(request: Request, id: str) -> Response:
        job = await jobs.job(id, request.app.state.keepers, whole=True)
        page = await request.app.state.workers.run(
            _write_report, job, request.app.state.corpora.find(job.corpus_name).checker
        )
        return download(page, f"veritab-{file_name(job.name)}.html", "text/html")


async def _start_job(request: Request, jobs: JobRunner, job: CheckJob) -> Response:
    return RedirectResponse(_address(await jobs.start(job, request.app.state.keepers)), 303)


def _address(job: CheckJob) -> str:
    return PageAddresses(job.corpus).to(f"/jobs/{job.id}")


# -- what is checked -----------------------------------------------------------------------------------------


def text_job(text: str) -> CheckJob:
    """The check-worthy statements of a text."""
    body = nfc(text.replace("\r\n", "\n").replace("\r", "\n"))
    if not body.strip():
        raise InputError("there is no text; paste one into the box")
    if len(body) > LONGEST_TEXT:
        raise InputError(f"the text has {len(body):,} characters, and one may have {LONGEST_TEXT:,}; cut it in parts")
    found = extract_claims(body)
    if len(found) > MOST_CLAIMS:
        raise InputError(f"the text makes {len(found):,} statements, and one may make {MOST_CLAIMS:,}; cut it in parts")
    return CheckJob(shorten(squeeze(body), 60), number_claims(found), body, found)


def file_job(lines: Iterable[bytes], name: str, limits: Limits) -> CheckJob:
    """The claims of a file."""
    shown = squeeze(PurePath(name.replace("\\", "/")).name)[:_LONGEST_FILE_NAME] or "claims"
    read = list(islice(read_claims(lines, shown), MOST_CLAIMS + 1))
    if len(read) > MOST_CLAIMS:
        raise InputError(
            f"{shown} holds more than {MOST_CLAIMS:,} claims; cut it in parts, or use: veritab check --file"
        )
    records = _refuse_bad(read, shown, limits.claim_characters)
    return CheckJob(shown, [Claim(str(each.id), each.text) for each in records])


def _refuse_bad(read: Iterable[ClaimRecord | InputError], name: str, longest: int) -> list[ClaimRecord]:
    """The claims, if every line holds one; a file that is half understood would be half checked."""
    records = []
    for each in read:
        if isinstance(each, InputError):
            raise each
        refuse_long(f"{name}, line {each.number}: a claim", each.text, longest)
        records.append(each)
    if not records:
        raise InputError(f"{name} holds no claim; write one a line")
    return records


# -- what is shown -----------------------------------------------------------------------------------------


def _describe_progress(job: CheckJob) -> str:
    done, every = len(job.results), counted(len(job.claims), "claim")
    if job.waits_for:
        so_far = f"{done:,} of {every} checked" if done else f"Waiting to check {every}"
        return f"{so_far}; no server that is running has {job.waits_for}"
    match job.state:
        case JobState.WAITING:
            return f"Waiting to check {every}"
        case JobState.RUNNING:
            return f"{done:,} of {every} checked"
        case JobState.DONE:
            return f"All {every} checked" if done != 1 else "1 claim checked"
        case JobState.STOPPED:
            return f"Stopped after {done:,} of {every}"
    return f"Failed after {done:,} of {every}"


def _list_rows(job: CheckJob) -> list[JobRow]:
    named = zip(job.claims, job.results, strict=False)
    return [
        JobRow(
            number,
            claim.text,
            "" if claim.id == str(number) else claim.id,
            LABELS[kept.label],
            format_percent(kept.confidence),
            kept.is_uncertain,
            PageAddresses(job.corpus).claim(claim.text),
        )
        for number, (claim, kept) in enumerate(named, 1)
    ]


def _count_labels(job: CheckJob) -> list[tuple[LabelView, int]]:
    """How often each label was given, always in the same order."""
    return [(view, job.labels.count(label)) for label, view in LABELS.items()]


def _mark_text(job: CheckJob) -> list[MarkedStretch]:
    marked = []
    for text, number in split_text(job.text, job.found) if job.text else ():
        label = LABELS[job.labels[number]] if number is not None and number < len(job.results) else None
        marked.append(MarkedStretch(text, 0 if number is None else number + 1, label))
    return marked


def _json_lines(job: CheckJob) -> bytes:
    return b"".join(kept.line + b"\n" for kept in job.results)


def _write_report(job: CheckJob, checker: Checker) -> str:
    from veritab.render.html import HtmlReport

    tables = table_finder(checker.store)
    verdicts = list(job.verdicts())
    if job.text:
        return HtmlReport(title="A text, checked", tables=tables).text_page(
            job.text, job.found[: len(verdicts)], verdicts
        )
    out = StringIO()
    write("html", verdicts, out, title=f"{job.name}: claims checked", tables=tables)
    return out.getvalue()
