"""The studio's pages, an application of its own: people sign in, work, and are looked after.

Reading down the room: `app` puts everything together; `sessions` says who asks and gives each request its transaction;
`rendering` is the look, `evidence` and `answers` draw what people chose. The others are the pages, added by
`add(router)`: `signing_in`, `account`, `home`, `guidelines`; `working` and `browsing` are the working screens; `mine`
and `calibration` show what becomes of one's work; `managing`, `members`, `overseeing`, `qa`, `works` and `figures` are
for managers.
"""
