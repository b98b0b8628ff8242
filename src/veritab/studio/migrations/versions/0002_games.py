"""The tables of games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "game_claims",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("author_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("truth", sa.Boolean(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("gold", sa.JSON(), nullable=False),
        sa.Column("hints", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("checker", sa.JSON(), nullable=False),
        sa.Column("corpus_digest", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("votes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("right_votes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("likes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("reviewed_at", sa.Double(), nullable=True),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["accounts.id"], name=op.f("fk_game_claims_author_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_claims_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_claims")),
    )
    with op.batch_alter_table("game_claims", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_claims_author_id"), ["author_id"], unique=False)
        batch_op.create_index("ix_game_claims_fewest", ["project_id", "state", "truth", "votes", "id"], unique=False)
        batch_op.create_index("ix_game_claims_page", ["project_id", "page"], unique=False)
        batch_op.create_index(
            "ix_game_claims_played",
            ["project_id", "state", "truth", "topic", "votes", "id", "corpus_digest", "author_id"],
            unique=False,
        )
        batch_op.create_index("ix_game_claims_source", ["project_id", "source_id"], unique=False)

    op.create_table(
        "games",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_games_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("project_id", name=op.f("uq_games_project_id")),
    )
    op.create_table(
        "game_rooms",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("host_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("with_checker", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("left_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("right_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("after_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["after_id"], ["game_rooms.id"], name=op.f("fk_game_rooms_after_id")),
        sa.ForeignKeyConstraint(["host_id"], ["accounts.id"], name=op.f("fk_game_rooms_host_id")),
        sa.ForeignKeyConstraint(["left_id"], ["game_claims.id"], name=op.f("fk_game_rooms_left_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_rooms_project_id")),
        sa.ForeignKeyConstraint(["right_id"], ["game_claims.id"], name=op.f("fk_game_rooms_right_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_rooms")),
        sa.UniqueConstraint("after_id", name=op.f("uq_game_rooms_after_id")),
        sa.UniqueConstraint("code", name=op.f("uq_game_rooms_code")),
    )
    with op.batch_alter_table("game_rooms", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_rooms_project_id"), ["project_id"], unique=False)

    op.create_table(
        "game_writings",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("truth", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.Double(), nullable=False),
        sa.Column("deadline", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("draft", sa.JSON(), nullable=False),
        sa.Column("claim_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_writings_account_id")),
        sa.ForeignKeyConstraint(["claim_id"], ["game_claims.id"], name=op.f("fk_game_writings_claim_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_writings_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_writings")),
    )
    with op.batch_alter_table("game_writings", schema=None) as batch_op:
        batch_op.create_index("ix_game_writings_account", ["project_id", "account_id", "state"], unique=False)
        batch_op.create_index("ix_game_writings_due", ["state", "deadline"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_writings_claim_id"), ["claim_id"], unique=False)

    op.create_table(
        "game_rounds",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("room_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("left_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("right_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("setup", sa.JSON(), nullable=False),
        sa.Column("is_practice", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.Double(), nullable=False),
        sa.Column("deadline", sa.Double(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("moves", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("left_hints", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("right_hints", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("choice", sa.Text(), nullable=False),
        sa.Column("liked", sa.Text(), nullable=False),
        sa.Column("points", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_rounds_account_id")),
        sa.ForeignKeyConstraint(["left_id"], ["game_claims.id"], name=op.f("fk_game_rounds_left_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_rounds_project_id")),
        sa.ForeignKeyConstraint(["right_id"], ["game_claims.id"], name=op.f("fk_game_rounds_right_id")),
        sa.ForeignKeyConstraint(["room_id"], ["game_rooms.id"], name=op.f("fk_game_rounds_room_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_rounds")),
    )
    with op.batch_alter_table("game_rounds", schema=None) as batch_op:
        batch_op.create_index("ix_game_rounds_account", ["project_id", "account_id", "outcome"], unique=False)
        batch_op.create_index("ix_game_rounds_due", ["outcome", "deadline"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_rounds_left_id"), ["left_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_rounds_right_id"), ["right_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_rounds_room_id"), ["room_id"], unique=False)

    op.create_table(
        "game_seats",
        sa.Column("room_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("sat_at", sa.Double(), nullable=False),
        sa.Column("left_at", sa.Double(), nullable=True),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_seats_account_id")),
        sa.ForeignKeyConstraint(["room_id"], ["game_rooms.id"], name=op.f("fk_game_seats_room_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_seats")),
        sa.UniqueConstraint("room_id", "account_id", name=op.f("uq_game_seats_room_id_account_id")),
    )
    with op.batch_alter_table("game_seats", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_seats_account_id"), ["account_id"], unique=False)

    op.create_table(
        "game_meetings",
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("claim_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("round_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_meetings_account_id")),
        sa.ForeignKeyConstraint(["claim_id"], ["game_claims.id"], name=op.f("fk_game_meetings_claim_id")),
        sa.ForeignKeyConstraint(["round_id"], ["game_rounds.id"], name=op.f("fk_game_meetings_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_meetings")),
        sa.UniqueConstraint("account_id", "claim_id", name=op.f("uq_game_meetings_account_id_claim_id")),
    )
    with op.batch_alter_table("game_meetings", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_meetings_claim_id"), ["claim_id"], unique=False)

    op.create_table(
        "game_moves",
        sa.Column("round_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["game_rounds.id"], name=op.f("fk_game_moves_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_moves")),
        sa.UniqueConstraint("round_id", "sequence", name=op.f("uq_game_moves_round_id_sequence")),
    )
    op.create_table(
        "game_points",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("points", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("round_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("claim_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_points_account_id")),
        sa.ForeignKeyConstraint(["claim_id"], ["game_claims.id"], name=op.f("fk_game_points_claim_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_points_project_id")),
        sa.ForeignKeyConstraint(["round_id"], ["game_rounds.id"], name=op.f("fk_game_points_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_points")),
        sa.UniqueConstraint(
            "round_id", "claim_id", "account_id", "kind", name=op.f("uq_game_points_round_id_claim_id_account_id_kind")
        ),
    )
    with op.batch_alter_table("game_points", schema=None) as batch_op:
        batch_op.create_index(
            "ix_game_points_account",
            ["project_id", "account_id", "kind", "points", "round_id", "at"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_game_points_claim_id"), ["claim_id"], unique=False)

    op.create_table(
        "game_reports",
        sa.Column("project_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("claim_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("round_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("ended_by", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_game_reports_account_id")),
        sa.ForeignKeyConstraint(["claim_id"], ["game_claims.id"], name=op.f("fk_game_reports_claim_id")),
        sa.ForeignKeyConstraint(["ended_by"], ["accounts.id"], name=op.f("fk_game_reports_ended_by")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_game_reports_project_id")),
        sa.ForeignKeyConstraint(["round_id"], ["game_rounds.id"], name=op.f("fk_game_reports_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_reports")),
    )
    with op.batch_alter_table("game_reports", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_reports_claim_id"), ["claim_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_game_reports_project_id"), ["project_id"], unique=False)
