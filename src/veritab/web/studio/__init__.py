"""The studio's pages, an application of its own: people sign in, work, and are looked after.

Reading down the room: `app` puts everything together; `sessions` says who asks and gives each request its transaction;
`rendering` is the look. The others are the pages, each module with `add(router)`.
"""
