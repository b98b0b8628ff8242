"""Rooms as they happen, by server-sent events: one look at a room each moment, however many people follow it.

What is seen comes from the database, so it does not matter which process somebody is connected to. An event is the
whole of what may be seen, and its id says which state that is: whoever comes back after a pause has missed nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.datastructures import State
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from veritab.studio.game.rooms import RoomView, tell_changes, watch_room
from veritab.web.problems import RequestRefused

MEDIA_TYPE = "text/event-stream"
LAST_EVENT = "last-event-id"
LOOK_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
LONGEST_SECONDS = 120.0
"""After so long a browser connects anew, and is asked again who it is."""
STREAMS_PER_PERSON = 6
_SHARE_OF_CONNECTIONS = 4
_RETRY_MILLISECONDS = 2000
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_LOG = logging.getLogger(__name__)


class _Watch:
    """A room that somebody follows."""

    def __init__(self) -> None:
        self.view: RoomView | None = None
        self.is_over = False
        self.followers = 0
        self.looking: asyncio.Task[None] | None = None
        self._begun = self._ended = 0
        self._done = asyncio.Event()
        self._changed = asyncio.Event()

    def begin_look(self) -> None:
        self._begun += 1

    def end_look(self, view: RoomView | None) -> None:
        """Tell everybody what is seen now; nothing, that there is no more to come."""
        self._ended = self._begun
        is_new = view != self.view
        self.view, self.is_over = view or self.view, view is None
        done, self._done = self._done, asyncio.Event()
        done.set()
        if is_new:
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()

    async def see_anew(self) -> None:
        """Wait for a look that began after now: an older one may not know who has just come in."""
        wanted = self._begun + 1
        while not self.is_over and self._ended < wanted:
            await self._done.wait()

    async def wait(self, seconds: float) -> bool:
        """Whether anything changed in time."""
        try:
            async with asyncio.timeout(seconds):
                return await self._changed.wait()
        except TimeoutError:
            return False


class RoomWatches:
    """The rooms that are followed from this process; everything happens in its event loop."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._watches: dict[int, _Watch] = {}
        self._streams: Counter[int] = Counter()

    @asynccontextmanager
    async def admit(self, account_id: int) -> AsyncIterator[None]:
        """Room for one more stream; refused where there are too many, or where the server is stopping."""
        if self._state.readers.is_closing:
            raise RequestRefused(503, "the server is stopping; it is back in a moment", retry_after="5")
        if self._streams[account_id] >= STREAMS_PER_PERSON:
            raise RequestRefused(503, "too many pages of yours follow a room; close some", retry_after="30")
        if self._streams.total() >= max(1, self._state.limits.connections // _SHARE_OF_CONNECTIONS):
            raise RequestRefused(503, "too many people follow a room just now; reload the page", retry_after="30")
        self._streams[account_id] += 1
        try:
            yield
        finally:
            self._streams[account_id] -= 1
            if not self._streams[account_id]:
                del self._streams[account_id]

    @asynccontextmanager
    async def follow(self, room_id: int) -> AsyncIterator[_Watch]:
        """A room as it goes on; it is looked at while anybody follows it."""
        watch = self._watches.get(room_id)
        if watch is None:
            watch = self._watches[room_id] = _Watch()
            watch.looking = asyncio.create_task(self._keep_looking(room_id, watch))
        watch.followers += 1
        try:
            yield watch
        finally:
            watch.followers -= 1
            if not watch.followers:
                del self._watches[room_id]
                assert watch.looking
                watch.looking.cancel()

    async def _keep_looking(self, room_id: int, watch: _Watch) -> None:
        while not self._state.readers.is_closing:
            watch.begin_look()
            try:
                view = await self._state.readers.run(self._look, room_id)
            except Exception:  # the next look may have better luck
                if not self._state.readers.is_closing:
                    _LOG.exception("room %s could not be looked at", room_id)
            else:
                watch.end_look(view)
            await asyncio.sleep(LOOK_SECONDS)
        watch.end_look(None)

    def _look(self, room_id: int) -> RoomView:
        with self._state.studio.database.reading() as session:
            return watch_room(session, room_id)


class RoomStream(StreamingResponse):
    """The events of a room for one person: `panel` with what they may see, `said` with what has just happened."""

    def __init__(
        self, watches: RoomWatches, room_id: int, account_id: int, draw: Callable[[RoomView], str], last: str
    ) -> None:
        super().__init__(self._events(), media_type=MEDIA_TYPE, headers=_HEADERS)
        self._watches = watches
        self._room_id = room_id
        self._account_id = account_id
        self._draw = draw
        self._last = last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._watches.admit(self._account_id):
            await super().__call__(scope, receive, send)

    async def _events(self) -> AsyncIterator[bytes]:
        yield b"retry: %d\n\n" % _RETRY_MILLISECONDS
        until = asyncio.get_running_loop().time() + LONGEST_SECONDS
        before: RoomView | None = None
        async with self._watches.follow(self._room_id) as watch:
            await watch.see_anew()
            while not watch.is_over and asyncio.get_running_loop().time() < until:
                seen = watch.view and watch.view.seen_by(self._account_id)
                if seen and seen != before:
                    for said in tell_changes(before, seen) if before else ():
                        yield event("said", said)
                    if seen.version != self._last:
                        self._last = seen.version
                        yield event("panel", self._draw(seen), self._last)
                    before = seen
                    if seen.seat_of(self._account_id) is None:
                        return
                elif not await watch.wait(HEARTBEAT_SECONDS):
                    yield b": still here\n\n"


def event(name: str, data: str, id: str = "") -> bytes:
    """An event on the wire."""
    lines = [f"id: {id}"] if id else []
    lines += [f"event: {name}", *(f"data: {line}" for line in data.splitlines() or [""])]
    return "\n".join([*lines, "", ""]).encode()
