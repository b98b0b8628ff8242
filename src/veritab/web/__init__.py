"""The HTTP door: an API for programs under /v1, pages for people everywhere else. Needs the extra `web`.

Reading down the room: `server` listens and drops slow clients, `app.create_app` puts the parts together,
`guards` stand before every request, `corpora` are what it may ask about, `uploads` what visitors bring (read by
`document_reader`, a process), `archive` what outlives a restart, `limits` say how much is too much,
`workers` do the work, `problems` are what goes wrong, `metrics` count, `api` answers programs, `pages` answer people.

What a router finds on `request.app.state`: `corpora`, `limits`, `workers` (`await workers.run(function, *arguments)`
runs blocking work, or is refused when there is too much of it), `readers` (the same for what takes milliseconds) and
`metrics`. Errors are raised, not answered: those
of `veritab.errors`, or `problems.Refused(status, detail)`.
"""
