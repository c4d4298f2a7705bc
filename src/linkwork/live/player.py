"""`Player`: physics in a thread of its own, in step with the wall clock as far as possible; requests are executed in order."""

from __future__ import annotations

import contextlib
import queue
import threading
import time as clock
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

from ..arguments import need
from ..errors import ModelError, StateError
from .live import Live

if TYPE_CHECKING:
    from collections.abc import Callable

FRAME = 1.0 / 60.0
SHARE = 0.8  # of a frame's wall time that steps may take: the rest is for drawing and for requests
LONGEST_FRAME = 1.0  # s of wall time: what has passed beyond it is not made up for
LONGEST = 0.25  # s of wall time that a slice may take, however short the integrator finds its steps
MOST_BEHIND = 0.1  # s of motion that may be owed before time is slowed down


class Player:
    """Runs a Live. `do` and `ask` call functions of it between two slices of time, in the order in which they come, from any thread.

    live: a Live, or a function that makes one, such as lw.Live itself: it is called in the thread, and reading `player.live` waits for it.
    It belongs to that thread: others read and change it by `do` and `ask`. frame: s of wall time from one frame to the next, up to 1.
    speed: seconds of motion per second of wall time that are wanted. real_time_factor: what is reached. behind: the physics cannot keep up.

    >>> import linkwork as lw
    >>> with lw.Player(lw.Live(lw.shipped("pendulum"))) as player:
    ...     time = player.ask(lambda live: live.time)
    >>> time
    0.0
    """

    def __init__(self, live: Live | Callable[[], Live], frame: float = FRAME) -> None:
        self._live: Any = live
        self._made = threading.Event()
        self._fault: BaseException | None = None
        if not callable(live):
            _check(live)
            self._made.set()
        self.frame = float(need("positive", "frame", frame))
        if self.frame > LONGEST_FRAME:
            raise StateError(f"frame: found {self.frame:g} s; allowed is a number of seconds above 0, up to {LONGEST_FRAME:g}", "frame")
        self.playing, self._speed = False, 1.0
        self.real_time_factor, self.behind = 0.0, False
        self.frames = 0
        self._asked: queue.Queue[Any] = queue.Queue()
        self._callbacks: list[Callable[[Live], Any]] = []
        self._closing = False
        self._waits = 0.0  # until when, of the wall clock
        self._cost = 0.0  # wall seconds per second of motion
        self._shown: list[str] = []
        self._thread = threading.Thread(target=self._loop, name="linkwork physics", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------ from any thread

    @property
    def speed(self) -> float:
        """Seconds of motion per second of wall time that are wanted."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = float(need("size", "speed", speed))

    @property
    def live(self) -> Live:
        """What is played. Assigning another goes on with that one: in the thread, by `do`."""
        self._made.wait()
        if self._fault is not None:
            raise self._fault
        live: Live = self._live
        return live

    @live.setter
    def live(self, live: Live) -> None:
        self._live = live

    def do(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Call function(live, *args) as soon as a slice is done; the Future has the answer, or the exception."""
        future: Future[Any] = Future()
        if self._closing:
            future.set_exception(self._fault or StateError("player: it is closed; make another one", "player"))
        else:
            self._asked.put((future, function, args))
            if self._closing:  # meanwhile
                self._send_away()
        return future

    def ask(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """The same, and wait for the answer."""
        if threading.current_thread() is self._thread:
            return function(self.live, *args)
        return self.do(function, *args).result(timeout)

    def play(self) -> None:
        """Let time run."""
        told = self.do(lambda live: self._set_playing(True))
        if self._closing:
            told.result()  # raises: nothing runs any more

    def pause(self) -> None:
        """Let time stand still."""
        self.do(lambda live: self._set_playing(False))

    def toggle(self) -> None:
        """Let time run if it stands still, and the other way round."""
        self.do(lambda live: self._set_playing(not self.playing))

    def wait(self, seconds: float) -> None:
        """Let time stand still for a while of wall time, and then go on as before: parts are shown flying together meanwhile."""
        self._waits = clock.perf_counter() + seconds

    def _set_playing(self, playing: bool) -> None:
        self.playing = playing
        self._last = clock.perf_counter()
        self._owed = 0.0

    def on_frame(self, callback: Callable[[Live], Any]) -> Callable[[Live], Any]:
        """Call callback(live) in the physics thread after every frame, and after every request. An exception ends this callback alone."""
        self._callbacks.append(callback)
        return callback

    def close(self, timeout: float | None = 5.0) -> None:
        """End the thread. Pending requests are cancelled."""
        self._closing = True
        self._asked.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ in the thread

    def _make(self) -> None:
        try:
            self._live = self._live()
            _check(self._live)
        except BaseException as error:  # raised in the thread that asks
            self._fault, self._closing = error, True
        finally:
            self._made.set()

    def _loop(self) -> None:
        if not self._made.is_set():
            self._make()
        self._last, self._owed = clock.perf_counter(), 0.0
        due = clock.perf_counter()
        while not self._closing:
            asked = self._answer(due)
            now = clock.perf_counter()
            if now < due and not asked:
                continue
            if now >= due:
                if self.playing and now < self._waits:
                    self._last = now
                elif self.playing:
                    self._go_on(now)
                else:
                    self._last, self.real_time_factor, self.behind = now, 0.0, False
                due = max(due + self.frame, clock.perf_counter() - self.frame)
            self._show()
        self._send_away()

    def _send_away(self) -> None:
        """Requests are no longer executed: they are cancelled, or raise the reason."""
        with contextlib.suppress(queue.Empty):
            while True:
                entry = self._asked.get_nowait()
                if entry is None:
                    continue
                if self._fault is None:
                    entry[0].cancel()
                elif entry[0].set_running_or_notify_cancel():
                    entry[0].set_exception(self._fault)

    def _answer(self, due: float) -> bool:
        """Execute requests until the next frame is due; True if there were any."""
        asked = False
        while not self._closing:
            wait = due - clock.perf_counter()
            if not self.playing and not asked:
                wait = max(wait, 0.0) if self._callbacks else 0.2
            try:
                entry = self._asked.get(timeout=wait) if wait > 0.0 and not asked else self._asked.get_nowait()
            except queue.Empty:
                return asked
            if entry is None:
                return asked
            future, function, args = entry
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(self.live, *args))
                except BaseException as error:
                    future.set_exception(error)
            asked = True
        return asked

    def _go_on(self, now: float) -> None:
        """Let time run; what fails stops it, and not the thread, which others wait for."""
        try:
            self._advance(now)
        except Exception as error:
            self.playing = False
            self._shown.append(f"{type(error).__name__}: {error}")

    def _advance(self, now: float) -> None:
        """Pay what is owed in slices, no longer than a share of the frame."""
        elapsed, self._last = now - self._last, now
        self._owed += self.speed * min(elapsed, LONGEST_FRAME)
        step = getattr(self.live.integrator, "step", None)
        done, began = 0.0, clock.perf_counter()
        while self._owed > 0.0:
            left = SHARE * self.frame - (clock.perf_counter() - began)
            if left <= 0.0 and done > 0.0:
                break
            slice_ = min(self._owed, max(left, 0.0) / self._cost if self._cost else self.frame)
            if step is not None:
                slice_ = max(1, int(slice_ / step + 1e-6)) * step
                if self._owed < step * (1.0 - 1e-9):
                    break
            slice_ = max(slice_, 1e-6)
            started, before = clock.perf_counter(), self.live.time
            status = self.live.advance(slice_, time_budget=LONGEST)
            slice_ = max(self.live.time - before, 1e-12)
            spent = (clock.perf_counter() - started) / slice_
            self._cost = spent if not self._cost else 0.8 * self._cost + 0.2 * spent
            self._owed -= slice_
            done += slice_
            if not status.ok:
                self.playing = False
                break
        self.behind = self._owed > MOST_BEHIND * max(self.speed, 1.0)
        self._owed = min(self._owed, MOST_BEHIND * max(self.speed, 1.0))
        rate = done / max(elapsed, self.frame)
        self.real_time_factor = 0.9 * self.real_time_factor + 0.1 * rate

    def _show(self) -> None:
        self.frames += 1
        for callback in list(self._callbacks):
            try:
                callback(self.live)
            except Exception as error:  # a page that fails must not stop the physics
                self._callbacks.remove(callback)
                self._shown.append(f"{type(error).__name__}: {error}")

    @property
    def faults(self) -> list[str]:
        """What callbacks raised, each of which was dropped then; and what time raised, which stood still then."""
        return list(self._shown)


def _check(live: Live | None) -> None:
    if not isinstance(live, Live):
        raise ModelError(f"Player: found a {type(live).__name__}; allowed is a Live, or a function that makes one; give one")
