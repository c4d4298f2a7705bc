"""`linkwork studio`: a page in the browser on which mechanisms are built, run, pulled at and saved."""

import contextlib
import os
import signal
import sys
import threading

from .arguments import add_quiet, mechanisms, near, shipped_names, whole
from .messages import UsageError, say

PORT = 8080


def add(verbs):
    parser = verbs.add_parser(
        "studio",
        help="build, run and pull at mechanisms in the browser",
        description="A page in the browser on which mechanisms are built, run, pulled at and saved. Files are read and written in one folder, "
        "nowhere else: that of FILE, or the one it is started in.",
    )
    file = parser.add_argument("file", nargs="?", metavar="FILE", help="a mechanism: .toml, .urdf, or a name that `linkwork list` shows")
    file.completer = mechanisms
    parser.add_argument("--port", type=whole, default=PORT, metavar="N", help=f"default: {PORT}, or the next that is free; 0 for any")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--recover", action="store_true", help="go on with what was not saved when a studio in this folder ended")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="listen at another address of this computer, such as 0.0.0.0 for all: then other computers can use the studio, with the token "
        "that is in the address printed. The connection is not encrypted",
    )
    parser.add_argument("--token", metavar="TEXT", help="the access token, at least 16 letters, digits, - or _; made up if it is left out")
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(options):
    folder, open_it = _start(options)
    from ..studio.access import Door

    if options.recover:
        _check_leftovers(folder)
    with _asked_to_end() as ended:
        lost = _serve(options, folder, open_it, Door(options.host, options.token), ended)
    if lost:
        say(f"linkwork studio: what was not saved is kept in {folder}; `linkwork studio --recover` goes on with it")
    return 0


def _check_leftovers(folder):
    from ..studio.autosave import leftovers
    from ..studio.folder import Folder

    if not leftovers(Folder(folder)):
        raise UsageError(f"studio: nothing is left to recover in {folder}; start without --recover")


def _serve(options, folder, open_it, door, ended):
    """Serve the page until it is ended; True if something was not saved."""
    from ..studio.serving import close_server, open_server

    server = open_server(door, options.port)
    address = door.address(server.get_port())
    print(address, flush=True)
    if not options.no_browser and _has_browser():
        import webbrowser  # imports stand where they are used: --help does not wait for them

        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        # While the browser comes up, what takes longest is loaded; the page fills as it comes.
        from ..studio.studio import Studio

        studio = Studio(folder=folder, server=server)
    except BaseException:
        close_server(server)
        raise
    try:
        if not options.quiet:
            _explain(studio, door, options)
        _begin(studio, open_it, options)
        with contextlib.suppress(KeyboardInterrupt):
            ended.wait()
    finally:
        lost = studio.keeper.at_risk(studio.player.live)
        studio.close()
    return lost


def _start(options):
    """(folder, function of a keeper that opens what is wanted, or None)."""
    name = options.file
    if options.recover and name is not None:
        raise UsageError("studio: found FILE and --recover; allowed is one of them; what is recovered knows its own file")
    if name is None:
        return os.getcwd(), None
    if os.path.isfile(name):
        folder, file = os.path.split(os.path.abspath(name))
        return folder, lambda keeper: keeper.open(file)
    if os.path.isdir(name):
        return os.path.abspath(name), None
    known = shipped_names()
    if name not in known:
        raise UsageError(f"{name}: there is no such file, and no mechanism of that name comes with Linkwork; {near(name, known)}")
    return os.getcwd(), lambda keeper: keeper.start_from(name)


def _begin(studio, open_it, options):
    keeper = studio.keeper
    if options.recover:
        studio.bring(keeper.recover, keeper.leftovers[0]).result()
    elif open_it is not None:
        studio.bring(open_it, keeper).result()


def _explain(studio, door, options):
    say(f"files in {studio.keeper.folder.path}; Ctrl-C ends it")
    if not door.on_loopback:
        say(
            "other computers can use it: whoever has this address can edit the mechanism and write files in this folder. It is not encrypted."
        )
    if studio.keeper.leftovers and not options.recover:
        say(f"not saved: {studio.keeper.leftovers[0]}; --recover goes on with it, or the tab Files of the page")


def _has_browser():
    """Is there a browser that opens a window? One of text would take this terminal."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    with contextlib.suppress(webbrowser.Error):
        webbrowser.get()
        return True
    return False


@contextlib.contextmanager
def _asked_to_end():
    """An event that is set when the system asks us to end. Ctrl-C is a KeyboardInterrupt, as ever."""
    ended, before = threading.Event(), {}
    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)):
            before[number] = signal.signal(number, lambda *_: ended.set())
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
