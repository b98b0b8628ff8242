"""Documents that visitors bring: read aside, private, bounded, gone in time, kept when somebody says so."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.web.serving import until, without_models
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.corpora import Corpora
from veritab.web.limits import Limits
from veritab.web.pages.uploading import COOKIE
from veritab.web.uploads import Uploads, check_name, clean_file_name

LAKES = "Lake Onda is 31 m deep and lies in the north. Lake Mera is 12 m deep."
TABLE = "Lake,Depth (m)\nOnda,31\nMera,12\n"
BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


def opened(folder: Path, name: str) -> Checker:
    return Checker.open(folder, without_models(), name=name)


@contextmanager
def serving(checker: Checker, folder: Path, **options: Any) -> Iterator[TestClient]:
    """A client of a server that takes documents."""
    limits = options.pop("limits", Limits())
    corpora = Corpora([checker], Uploads(folder / "uploads", opened, limits=limits, **options))
    with TestClient(create_app(corpora, limits=limits), raise_server_exceptions=False, headers=BROWSER) as client:
        yield client
    for name in corpora.names[1:]:
        corpora.find(name).checker.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def client(checker: Checker, folder: Path) -> Iterator[TestClient]:
    with serving(checker, folder, keep_in=folder / "kept", limits=Limits(uploads_per_client=50)) as asking:
        yield asking


def visitor(client: TestClient, address: str = "198.51.100.7") -> TestClient:
    """Somebody else at the same server."""
    other = TestClient(client.app, headers=BROWSER, client=(address, 1))
    other.portal = client.portal
    return other


def bring(client: TestClient, *files: tuple[str, bytes | str], **fields: str) -> str:
    """Send files; the token under which they are."""
    sent = client.post(
        "/documents", files=[("files", file) for file in files] or None, data=fields, follow_redirects=False
    )
    assert sent.status_code == 303, sent.text
    return str(sent.headers["location"].rpartition("/")[2])


def finished(client: TestClient, token: str, seconds: float = 60.0) -> dict[str, Any]:
    """What the API says of documents once they are read."""
    told: dict[str, Any] = {}

    def over() -> bool:
        told.update(client.get(f"/v1/corpora/{token}").json())
        return told["state"] not in ("waiting", "reading")

    until(over, seconds)
    return told


# -- from documents to a verdict -----------------------------------------------------------------------------


def test_documents_are_brought_read_and_checked_against(client: TestClient) -> None:
    token = bring(client, ("lakes.txt", LAKES), ("depths.csv", TABLE))
    told = finished(client, token)
    assert told["state"] == "ready"
    assert [(each["name"], each["texts"], each["tables"]) for each in told["documents"]] == [
        ("depths.csv", 0, 1),
        ("lakes.txt", 2, 0),
    ]
    verdict = client.get("/v1/check", params={"claim": "Lake Onda is 31 m deep.", "corpus": token}).json()
    assert verdict["corpus"]["name"] == "lakes.txt and 1 more"
    assert any("31" in hit["text"] for hit in verdict["evidence"])
    page = client.get(f"/documents/{token}").text
    assert "2 documents read: 2 sentences and 1 table" in page
    assert client.get("/check", params={"claim": "Lake Onda is 31 m deep.", "corpus": token}).status_code == 200


def test_a_pasted_text_is_a_document(client: TestClient) -> None:
    token = bring(client, ("", b""), text=LAKES)
    assert finished(client, token)["documents"][0]["name"] == "Pasted text.txt"
    assert client.get("/v1/search", params={"q": "Mera", "corpus": token}).json()["hits"]


def test_a_text_is_checked_against_documents(client: TestClient) -> None:
    token = bring(client, ("lakes.txt", LAKES))
    finished(client, token)
    job = client.post(f"/text?corpus={token}", data={"text": "Lake Onda is 31 m deep."}).url
    until(lambda: client.get(f"{job.path}/progress").json()["over"])
    assert b"lakes.txt" in client.get(f"{job.path}/results.jsonl").content


def test_two_documents_of_one_name_are_both_read(client: TestClient) -> None:
    told = finished(client, bring(client, ("a/notes.txt", LAKES), ("b/notes.md", "# Other\n\nLake Sula is cold.\n")))
    assert [each["name"] for each in told["documents"]] == ["notes (2).md", "notes.txt"]
    assert told["pages"] == 2


def test_problems_and_files_left_out_are_told(client: TestClient) -> None:
    token = bring(
        client, ("lakes.txt", LAKES), ("broken.pdf", b"%PDF-1.4 nothing"), ("empty.txt", b""), ("photo.jpg", b"x")
    )
    told = finished(client, token)
    assert told["left_out"] == ["photo.jpg"]
    pages = {each["name"]: (each["pages"], each["problem_count"]) for each in told["documents"]}
    assert pages == {"broken.pdf": (0, 1), "empty.txt": (0, 1), "lakes.txt": (1, 0)}
    page = client.get(f"/documents/{token}").text
    assert "photo.jpg" in page
    assert page.count("Not read.") == 2
    assert "1 of 3 documents read: " in page


def test_documents_with_nothing_in_them_say_so(client: TestClient) -> None:
    for content in (b"", b" \n "):
        told = finished(client, bring(client, ("empty.txt", content)))
        assert told["state"] == "failed"
        assert told["error"].startswith("nothing could be read of 'empty.txt'")
        assert "/" not in told["error"]


def test_reading_can_be_stopped_and_leaves_nothing(client: TestClient, folder: Path) -> None:
    many = "\n\n".join(f"Lake number {number} is {number} m deep." for number in range(60_000))
    token = bring(client, ("lakes.txt", many))
    assert client.get(f"/documents/{token}/progress").json()["over"] is False
    assert client.post(f"/documents/{token}/stop").status_code == 200
    until(lambda: not (folder / "uploads" / token).exists())
    assert finished(client, token)["state"] == "stopped"
    assert "Stopped" in client.get(f"/documents/{token}").text


# -- whose they are --------------------------------------------------------------------------------------------


def test_documents_are_private_to_who_has_the_token(client: TestClient, folder: Path) -> None:
    token = bring(client, ("secret.txt", "The Onda plan costs 4 million euros."))
    finished(client, token)
    stranger = visitor(client)
    for address in ("/", "/documents", "/v1/corpora", "/search?q=onda"):
        answer = stranger.get(address)
        assert token not in answer.text
        assert "secret.txt" not in answer.text
    assert "secret.txt" in client.get("/").text
    assert stat.S_IMODE((folder / "uploads" / token).stat().st_mode) == 0o700
    held = [path for path in (folder / "uploads" / token).rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in held} == {0o600}


def test_the_cookie_comes_with_documents_only_and_is_for_this_server_alone(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path) as client:
        assert "set-cookie" not in client.get("/").headers
        sent = client.post("/documents", files={"files": ("lakes.txt", LAKES)}, follow_redirects=False)
        cookie = sent.headers["set-cookie"]
        token = sent.headers["location"].rpartition("/")[2]
        assert cookie.startswith(f"{COOKIE}={token};")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        finished(client, token)
        gone = client.post(f"/documents/{token}/let-go", follow_redirects=False)
        assert "Max-Age=0" in gone.headers["set-cookie"]


@pytest.mark.parametrize("cookie", ["", "x", "../../etc", "a.b.c" * 200, "…"])
def test_a_cookie_of_nonsense_is_ignored(client: TestClient, cookie: str) -> None:
    answer = visitor(client).get("/documents", headers=[(b"Cookie", f"{COOKIE}={cookie}".encode())])
    assert answer.status_code == 200
    assert "None yet" in answer.text


def test_documents_let_go_are_gone_at_once(client: TestClient, folder: Path) -> None:
    token = bring(client, ("lakes.txt", LAKES))
    finished(client, token)
    client.post(f"/documents/{token}/let-go")
    assert not (folder / "uploads" / token).exists()
    assert client.get(f"/documents/{token}").status_code == 404
    assert client.get("/v1/check", params={"claim": "x", "corpus": token}).status_code == 404


def test_documents_that_nobody_uses_are_gone_after_a_while(checker: Checker, tmp_path: Path) -> None:
    now = [time.monotonic()]
    with serving(checker, tmp_path, clock=lambda: now[0], limits=Limits(upload_seconds=7200)) as client:
        token = bring(client, ("lakes.txt", LAKES))
        finished(client, token)
        assert "deleted 2 hours after" in client.get(f"/documents/{token}").text
        now[0] += 7000
        assert client.get(f"/documents/{token}").status_code == 200
        now[0] += 7000
        assert client.get(f"/documents/{token}").status_code == 200  # it was used in between
        now[0] += 7300
        assert client.get(f"/documents/{token}").status_code == 404
        bring(client, ("other.txt", LAKES))
        assert not (tmp_path / "uploads" / token).exists()


def test_what_a_killed_server_left_is_removed_at_the_next_start(checker: Checker, tmp_path: Path) -> None:
    left = tmp_path / "uploads" / "token" / "files"
    left.mkdir(parents=True)
    (left / "secret.txt").write_text("secret")
    with serving(checker, tmp_path):
        assert not left.exists()
    assert not (tmp_path / "uploads").exists()


# -- keeping ---------------------------------------------------------------------------------------------------


def test_documents_are_kept_under_a_name_and_offered_after_a_restart(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, keep_in=tmp_path / "kept") as client:
        token = bring(client, ("lakes.txt", LAKES))
        finished(client, token)
        kept = client.post(f"/documents/{token}/keep", data={"name": "The Lakes"})
        assert kept.url.params["corpus"] == "The Lakes"
        assert client.get("/v1/search", params={"q": "Mera", "corpus": "The Lakes"}).json()["hits"]
    with serving(checker, tmp_path, keep_in=tmp_path / "kept") as client:
        assert [each["id"] for each in client.get("/v1/corpora").json()["corpora"]] == ["almanac", "The Lakes"]
        old = client.get("/v1/search", params={"q": "Mera", "corpus": token})  # links made before lead there still
        assert old.json()["hits"]
        assert client.get(f"/documents/{token}").url.params["corpus"] == "The Lakes"


def test_a_kept_corpus_that_cannot_be_used_keeps_no_server_from_starting(checker: Checker, tmp_path: Path) -> None:
    for name in ("empty", "almanac"):
        (tmp_path / "kept" / name).mkdir(parents=True)
    with serving(checker, tmp_path, keep_in=tmp_path / "kept") as client:
        assert [each["id"] for each in client.get("/v1/corpora").json()["corpora"]] == ["almanac"]


@pytest.mark.parametrize(
    "name", ["", "../x", "a/b", ".hidden", "x" * 61, "a\x00b/", "-x", "almanac", "Almanac", "dot."]
)
def test_a_name_that_cannot_be_kept_is_refused(client: TestClient, folder: Path, name: str) -> None:
    token = bring(client, ("lakes.txt", LAKES))
    finished(client, token)
    before = sorted(folder.rglob("*"))
    answer = client.post(f"/documents/{token}/keep", data={"name": name})
    assert answer.status_code == 400
    assert sorted(path for path in folder.rglob("*") if path.name != "kept") == [p for p in before if p.name != "kept"]
    client.post(f"/documents/{token}/let-go")


def test_names_of_corpora_are_checked() -> None:
    assert check_name("  Überblick 2024 (Q1) ") == "Überblick 2024 (Q1)"
    with pytest.raises(InputError, match="cannot be the name"):
        check_name("a:b")


def test_a_server_that_keeps_nothing_says_so(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path) as client:
        token = bring(client, ("lakes.txt", LAKES))
        finished(client, token)
        assert "/keep" not in client.get(f"/documents/{token}").text
        assert "--keep-uploads" in client.post(f"/documents/{token}/keep", data={"name": "x"}).text


# -- limits ----------------------------------------------------------------------------------------------------


def test_too_much_is_refused_in_words(checker: Checker, tmp_path: Path) -> None:
    limits = Limits(documents_bytes=20_000, document_bytes=5_000, document_files=3, pasted_characters=100)
    with serving(checker, tmp_path, limits=limits) as client:
        form = client.get("/documents").text
        assert 'data-most-files="3"' in form
        assert 'data-most-bytes="20000"' in form
        assert 'data-most-file-bytes="5000"' in form
        large = client.post("/documents", files={"files": ("a.txt", b"x" * 6000)})
        assert "a document may have 5,000" in large.text
        many = [("files", (f"{number}.txt", b"text")) for number in range(5)]
        assert "more than 3 files" in client.post("/documents", files=many).text
        assert client.post("/documents", files={"files": ("a.txt", b"x" * 30_000)}).status_code == 413
        assert "101 characters" in client.post("/documents", files={"text": (None, "y" * 101)}).text
        assert (
            "more than 3 files, or more than 100" in client.post("/documents", files={"text": (None, "y" * 999)}).text
        )
        assert list((tmp_path / "uploads").iterdir()) == []


def test_nothing_and_the_wrong_kind_are_refused(client: TestClient) -> None:
    for files in ([("files", ("", b""))], [("files", ("x.exe", b"MZ"))]):
        answer = client.post("/documents", files=files)
        assert answer.status_code == 400
        assert "No document came with the form" in answer.text
    assert client.post("/documents", content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415
    cut = client.post("/documents", content=b"--x\r\n", headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert cut.status_code == 400


def test_one_client_holds_only_so_many_and_so_do_all(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, limits=Limits(uploads_per_client=2, uploads=3)) as client:
        for _ in range(2):
            finished(client, bring(client, ("lakes.txt", LAKES)))
        refused = client.post("/documents", files={"files": ("lakes.txt", LAKES)})
        assert refused.status_code == 429
        assert "let one go first" in refused.text
        other = visitor(client, "198.51.100.7")
        bring(other, ("lakes.txt", LAKES))
        third = visitor(client, "198.51.100.8")
        full = third.post("/documents", files={"files": ("lakes.txt", LAKES)})
        assert full.status_code == 503
        assert int(full.headers["retry-after"]) > 0


def test_a_full_disk_budget_is_told(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, limits=Limits(uploads_bytes=1000)) as client:
        answer = client.post("/documents", files={"files": ("lakes.txt", b"x" * 2000)})
        assert answer.status_code == 503
        assert "no room" in answer.text


def test_documents_that_could_not_be_read_make_room(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, limits=Limits(uploads=1, uploads_per_client=1)) as client:
        assert finished(client, bring(client, ("empty.txt", b" ")))["state"] == "failed"
        assert finished(client, bring(client, ("lakes.txt", LAKES)))["state"] == "ready"


def test_reading_that_takes_too_long_is_ended(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, limits=Limits(reading_seconds=0.05)) as client:
        told = finished(client, bring(client, ("lakes.txt", LAKES)))
        assert told["state"] == "failed"
        assert "too long" in told["error"]
        until(lambda: list((tmp_path / "uploads").iterdir()) == [])


def test_reading_that_needs_too_much_memory_is_ended(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path, limits=Limits(reading_bytes=1 << 20)) as client:
        told = finished(client, bring(client, ("lakes.txt", LAKES)))
        assert told["state"] == "failed"
        assert "memory" in told["error"]


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\me\\report.docx", "report.docx"),
        ("...txt", "txt"),
        ("a\x00b\n.md", "ab.md"),
        ("x" * 500 + ".csv", "x" * 100 + ".csv"),
        ("é" * 200 + ".csv", "é" * 50 + ".csv"),
    ],
)
def test_names_of_files_are_names_and_never_paths(given: str, cleaned: str) -> None:
    assert clean_file_name(given) == cleaned


# -- the API, and servers that take nothing ---------------------------------------------------------------------


def test_programs_bring_documents_follow_them_and_let_them_go(client: TestClient) -> None:
    sent = client.post("/v1/corpora", files={"files": ("lakes.txt", LAKES)})
    assert sent.status_code == 202
    assert sent.headers["location"] == f"/v1/corpora/{sent.json()['id']}"
    token = sent.json()["id"]
    assert finished(client, token)["pages"] == 1
    assert client.delete(f"/v1/corpora/{token}").json()["state"] == "gone"
    assert client.get(f"/v1/corpora/{token}").status_code == 404
    assert client.delete(f"/v1/corpora/{token}").status_code == 404
    assert client.delete("/v1/corpora/almanac").status_code == 404
    assert client.get("/v1/corpora/almanac").json()["pages"] == 226


def test_a_page_of_another_site_cannot_bring_or_remove(client: TestClient) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/documents", files={"files": ("lakes.txt", LAKES)}, headers=foreign).status_code == 403
    token = bring(client, ("lakes.txt", LAKES))
    finished(client, token)
    assert client.post(f"/documents/{token}/let-go", headers=foreign).status_code == 403
    assert client.delete(f"/v1/corpora/{token}", headers=foreign).status_code == 403


def test_a_server_without_uploads_takes_nothing_and_offers_nothing(checker: Checker) -> None:
    with TestClient(create_app(checker), headers=BROWSER) as client:
        assert "documents" not in re.sub(r"<footer.*", "", client.get("/").text.replace("by the documents", ""))
        assert client.get("/documents").status_code == 404
        answer = client.post("/v1/corpora", files={"files": ("lakes.txt", LAKES)})
        assert answer.status_code == 404
        assert "--uploads" in answer.json()["detail"]


def test_a_second_corpus_shares_the_models_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "lakes.txt").write_text(LAKES)
    with Checker.open() as first, Checker.open(opened_folder(tmp_path)) as second:
        assert first.pipeline.verify.model is second.pipeline.verify.model  # type: ignore[attr-defined]


def opened_folder(folder: Path) -> Path:
    from veritab.retrieve.preparation import Preparation

    preparation = Preparation([folder / "lakes.txt"], into=folder / "corpus")
    list(preparation)
    return preparation.folder
