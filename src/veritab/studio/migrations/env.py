"""How alembic meets a studio's database: over the connection that `database.initialize` hands it."""

from __future__ import annotations

from alembic import context

from veritab.studio.game import records as _  # noqa: F401  # its tables are the studio's too
from veritab.studio.records import StudioTable

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=StudioTable.metadata,
    render_as_batch=True,  # SQLite changes a column only by writing the table anew
    transactional_ddl=True,  # both databases take back half a migration
)
with context.begin_transaction():
    context.run_migrations()
