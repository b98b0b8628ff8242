"""What happens in games when nobody asks: claims rest when the corpus under them has changed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.retrieve.corpora import indexed
from tests.studio.game.writers import NILE, RHINE, begin, corpus_of, make_game, make_player
from veritab.studio.database import initialize, open_studio
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.writing import publish
from veritab.web.studio.game import clockwork


def test_claims_rest_when_the_corpus_under_them_has_changed(tmp_path: Path) -> None:
    initialize(tmp_path / "studio")
    database = open_studio(tmp_path / "studio")
    with corpus_of(tmp_path / "corpus", NILE, RHINE) as checker:
        with database.writing() as session:
            game = make_game(session, checker)
            writing = begin(session, game, make_player(session), checker)
            writing.page = "Rhine"
            claim = publish(
                session,
                writing,
                "The Rhine ends in the North Sea.",
                ["Rhine_sentence_1"],
                checker=checker,
                now=writing.opened_at + 1,
            )
        studio = SimpleNamespace(database=database, open_corpus=lambda project: checker)
        state: Any = SimpleNamespace(studio=studio)
        known: dict[int, str] = {}
        assert clockwork._changed_since(state, known) == []
        indexed(checker.store.folder, [NILE]).close()
        changed = clockwork._changed_since(state, known)
        assert changed == [claim.id]
        clockwork._rest(state, changed)
        with database.reading() as session:
            assert session.get_one(GameClaimRecord, claim.id).state == "resting"
        assert clockwork._changed_since(state, known) == []
    database.close()
