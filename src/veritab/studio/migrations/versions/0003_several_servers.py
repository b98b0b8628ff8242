"""What several servers must know of each other: tries to sign in, and forms that were sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "sign_in_tries",
        sa.Column("name_digest", sa.Text(), nullable=False),
        sa.Column("wrong", number, nullable=False),
        sa.Column("last_at", sa.Double(), nullable=False),
        sa.Column("id", number, autoincrement=True, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_tries")),
        sa.UniqueConstraint("name_digest", name=op.f("uq_sign_in_tries_name_digest")),
    )
    op.create_table(
        "sent_forms",
        sa.Column("key_digest", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("id", number, autoincrement=True, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sent_forms")),
        sa.UniqueConstraint("key_digest", name=op.f("uq_sent_forms_key_digest")),
    )
