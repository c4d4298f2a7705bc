"""`Keeper`: which file is open, and how a mechanism gets out of a file and into one. All of it in the studio's folder."""

import logging
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import linkwork as lw

from . import exports
from .autosave import EVERY, Autosave, Leftover, discard, leftovers, text_of
from .folder import MOST_BYTES, Folder, TakenError, tame
from .touching import lowest

log = logging.getLogger("linkwork.studio")
DROP = 0.1  # m: how far above its floor a robot that floats begins
MOST_BODIES = 2000  # of a mechanism that comes from a file: more cannot be simulated while one looks on


class Opened(NamedTuple):
    """A mechanism out of a file, not yet on the page.

    live: ready to run. name: its file, or None. stem: what it would be called. data: bytes of the file. notes: what its reader has to say.
    """

    live: lw.Live
    name: str | None
    stem: str
    data: bytes | None = None
    notes: tuple = ()
    leftover: Leftover | None = None


class Export(NamedTuple):
    """A file to be: its name, what it holds, and in words what that covers."""

    filename: str
    data: bytes
    words: str = ""


# What can be exported: words, and the suffix.
EXPORTS = {
    "recording (Arrow)": ".arrow",
    "recording (CSV)": ".csv",
    "picture, drawn (PNG)": ".png",
    "picture, as seen (PNG)": ".png",
    "replay (HTML)": ".html",
    "session (Python)": ".py",
    "mechanism (TOML)": ".toml",
}

RECORDED = ("recording (Arrow)", "recording (CSV)", "replay (HTML)")


class Keeper:
    """Opens, saves and exports. Methods may be called from any thread but the physics thread, which they ask for snapshots.

    folder: a Folder, or its path. player: the lw.Player whose mechanism is kept. tell(words): says what nobody asked for, such as that an
    autosave failed. name: the file that is open; None if what is there came from nowhere, or from an upload.
    """

    def __init__(self, folder, player, tell=log.warning, autosave=EVERY):
        self.folder = folder if isinstance(folder, Folder) else Folder(folder)
        self.player, self.name = player, None
        self.stem = "mechanism"
        self._on_disk: bytes | None = None  # what the open file held when it was last read or written
        self._owner = None  # the mechanism that the open file belongs to
        self._clean = None  # (live, its last edit) that is in the file
        self.leftovers = leftovers(self.folder)
        self._autosave = (
            None if autosave is None else Autosave(self.folder, self.snapshot, lambda: self.file_of(self.player.live), tell, autosave)
        )
        self._jobs = ThreadPoolExecutor(1, thread_name_prefix="linkwork files")

    def close(self) -> bool:
        """End it. True if something was not saved: it is kept then, and offered by the next studio in this folder."""
        self._jobs.shutdown(wait=True, cancel_futures=True)
        lost, autosave = self.at_risk(self.player.live), self._autosave
        if autosave is not None:
            self._autosave = None
            autosave.close(keep=lost)
        return lost

    def job(self, function, *args):
        """Call a function in the thread for files, one after the other; returns a Future, which is cancelled if it has ended."""
        try:
            return self._jobs.submit(function, *args)
        except RuntimeError:
            future: Future = Future()
            future.cancel()
            return future

    # ------------------------------------------------------------------ what changed

    def snapshot(self):
        """The mechanism as it stands."""
        return self.player.ask(lambda live: live.snapshot(), timeout=60.0)

    def changed(self, live):
        """After an edit (in the physics thread)."""
        if not self.is_saved(live) and self._autosave is not None:
            self._autosave.changed()

    def is_saved(self, live) -> bool:
        """Is the mechanism, as it was edited, in its file, or as it came?"""
        return self._clean is not None and self._clean[0] is live and self._clean[1] is live.last_edit

    def file_of(self, live) -> str | None:
        """The file that is open, if this mechanism belongs to it: others may have come by other ways."""
        return self.name if live is self._owner else None

    def at_risk(self, live) -> bool:
        """Would something be lost if another mechanism took its place?"""
        return live.last_edit is not None and not self.is_saved(live)

    # ------------------------------------------------------------------ opening

    def open(self, name, floating=False) -> Opened:
        """From a file of the folder. A URDF is read, but saved as TOML under another name. floating: a robot is held by nothing, and falls on a floor."""
        data = self.folder.read(name)
        path = self.folder.path_of(name, (".toml", ".urdf"))
        if name.lower().endswith(".urdf"):
            return self._robot(str(path), floating, tame(path.stem))
        return self._opened(lw.Document.open(str(path)), name, tame(path.stem), data)

    def upload(self, filename, data, floating=False) -> Opened:
        """From what a page sent. Nothing is written; names of meshes mean files of the folder. floating: as for open."""
        stem, _, suffix = str(filename).rpartition(".")
        if suffix.lower() not in ("toml", "urdf"):
            raise lw.StudioError(f"upload: found {str(filename)[:80]!r}; allowed are files that end in .toml or .urdf; choose one")
        if len(data) > MOST_BYTES:
            raise lw.StudioError(f"upload: found {len(data) / 2**20:.1f} MiB; allowed are {MOST_BYTES / 2**20:g} MiB; send a smaller file")
        folder, stem = str(self.folder.path), tame(stem.replace("\\", "/").rpartition("/")[2])
        if suffix.lower() == "urdf":
            if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
                raise lw.StudioError(f"upload: {stem}.urdf does not begin with <; allowed is XML text; is this a URDF?")
            return self._robot(data, floating, stem, folder=folder)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise lw.StudioError(
                f"upload: {stem}.toml is no text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
            ) from error
        return self._opened(lw.Document.from_text(text, folder=folder), None, stem)

    def _robot(self, source, floating, stem, **more):
        """From a URDF. One that floats stands DROP above a floor, upright as its file has it."""
        robot = lw.read(source, root="floating" if floating else "fixed", package_dirs=(str(self.folder.path),), **more)
        if not floating:
            return self._opened(robot, None, stem)
        self.need_own_meshes(robot, stem)
        opened = _opened(robot, None, stem)
        robot.add_floor(round(lowest(opened.live) - DROP, 9))
        return _opened(robot, None, stem)

    def start_from(self, name) -> Opened:
        """From a mechanism that comes with Linkwork."""
        return _opened(lw.shipped(name), None, name)

    def empty(self) -> Opened:
        return _opened(None, None, "mechanism")

    def recover(self, leftover: Leftover) -> Opened:
        """From what a studio left that did not end cleanly."""
        document = lw.Document.from_text(text_of(leftover), folder=str(self.folder.path))
        there = leftover.file is not None and (self.folder.path / leftover.file).exists()
        data = self.folder.read(leftover.file) if there else None
        stem = tame((leftover.file or "recovered").rpartition("/")[2].removesuffix(".toml"))
        return self._opened(document, leftover.file, stem, data)._replace(leftover=leftover)

    def _opened(self, what, name, stem, data=None):
        """As `_opened`, unless it touches with mesh files that are not the studio's to read."""
        mechanism = what.mechanism if isinstance(what, lw.Document) else what
        if mechanism.touches:
            self.need_own_meshes(mechanism, stem)
        return _opened(what, name, stem, data)

    def need_own_meshes(self, mechanism, stem="contact"):
        """A StudioError if bodies would touch with mesh files that are not the studio's to read."""
        for body in (mechanism.ground, *mechanism.bodies):
            for shape in body.collisions or (body.shape,):
                if isinstance(shape, lw.MeshFile) and "://" not in shape.path and not self.folder.holds(shape.path):
                    raise lw.StudioError(
                        f"{stem}: body {body.name!r} touches with the mesh file {shape.path[:200]!r}, which lies outside of the studio's folder and is not "
                        "read; allowed are files of the folder; put it there, or give the body other collisions"
                    )

    def discard(self, leftover):
        """Forget what was left over."""
        discard(leftover)
        self.leftovers = [other for other in self.leftovers if other != leftover]

    def adopt(self, opened):
        """It is on the page now (in the physics thread): its file is the one that is open."""
        self.name, self.stem, self._on_disk, self._owner = opened.name, opened.stem, opened.data, opened.live
        self._clean = (opened.live, opened.live.last_edit)
        if self._autosave is not None:
            self._autosave.saved()
        if opened.leftover is not None:  # what was recovered is in no file
            self._clean = None
            self.leftovers = [other for other in self.leftovers if other != opened.leftover]
            if self._autosave is not None:
                self._autosave.adopt(opened.leftover)
        return opened.live

    # ------------------------------------------------------------------ saving

    def save(self, name=None, replace=False) -> str:
        """Write the mechanism with its state to a file of the folder, by default the one that is open; returns its name.

        Comments of the file it came from are kept. Raises TakenError rather than write over a file that is not the open one, or that somebody
        else has changed, unless `replace` says so; what was there is kept as NAME~.
        """
        name = _with_suffix(name or self.file_of(self.player.live))
        path = self.folder.path_of(name, (".toml",))
        kept, snapshot = self.player.ask(lambda live: ((live, live.last_edit), live.snapshot()), timeout=60.0)
        text = snapshot.document.text_at(path).encode("utf-8")
        if name == self.file_of(kept[0]) and not replace and self._on_disk is not None and os.path.lexists(path):
            if self.folder.read(name) != self._on_disk:
                raise TakenError(name, "somebody else has changed this file since it was opened")
            replace = True
        self.folder.write(name, text, replace)
        self.name, self.stem, self._on_disk, self._clean, self._owner = name, tame(path.stem), text, kept, kept[0]
        self.player.do(self._settle)
        return name

    def _settle(self, live):
        if self._autosave is not None and self.is_saved(live):
            self._autosave.saved()

    # ------------------------------------------------------------------ exporting

    def export(self, what, client=None) -> Export:
        """One of EXPORTS. client: the page that asked, of which the view is taken."""
        if what not in EXPORTS:
            raise lw.StudioError(f"export: found {what!r}; allowed are {', '.join(EXPORTS)}; choose one")
        if what in RECORDED:
            return Export(self.stem + EXPORTS[what], *self._recorded(what))
        return Export(self.stem + EXPORTS[what], self._exported(what, client))

    def _recorded(self, what):
        """(data, words) of what was recorded."""
        segments = self.player.ask(lambda live: live.segments, timeout=60.0)
        if what == "replay (HTML)":
            return exports.replay(segments, self.folder), exports.covered_in_turn(segments)
        data = (exports.arrow if what == "recording (Arrow)" else exports.csv)(segments[-1].recording if segments else (), self.folder)
        return data, exports.covered(segments)

    def _exported(self, what, client):
        if what == "session (Python)":
            return self.player.ask(lambda live: live.python, timeout=60.0).encode("utf-8")
        if what == "picture, as seen (PNG)":
            if client is None:
                raise lw.StudioError("picture: there is no page to look at; open one")
            return exports.seen(client)
        snapshot = self.snapshot()
        if what == "mechanism (TOML)":
            return snapshot.document.text_at(self.folder.path / "mechanism.toml").encode("utf-8")
        return exports.picture(snapshot, self.folder, exports.camera_of(client) if client is not None else None)

    def put(self, export) -> str:
        """Write an export into the folder, under a name that is free; returns it."""
        stem, suffix = os.path.splitext(export.filename)
        for _ in range(100):
            name = self.folder.free_name(stem, suffix)
            try:
                self.folder.write(name, export.data)
                return name
            except TakenError:  # somebody was quicker
                continue
        raise lw.StudioError(f"{export.filename}: no name could be found that stays free; try again")


def _opened(what, name, stem, data=None):
    mechanism = what.mechanism if isinstance(what, lw.Document) else what
    if mechanism is not None and len(mechanism.bodies) > MOST_BODIES:
        raise lw.StudioError(
            f"{stem}: found {len(mechanism.bodies)} bodies; allowed are {MOST_BODIES} in the studio; run it with `linkwork run` instead"
        )
    return Opened(lw.Live(what), name, stem, data, tuple(getattr(mechanism, "notes", ())))


def _with_suffix(name):
    if not isinstance(name, str) or not name.strip():
        raise lw.StudioError("save: no name is given; allowed is a name that ends in .toml; give one")
    return name.strip() if "." in name.rpartition("/")[2] else name.strip() + ".toml"
