"""The server of the page: viser's, with a door in front of it.

viser serves page and websocket by one `websockets.asyncio.server.serve(...)` in a thread of its own, and offers no place for rules of ours: what it gives
as `process_request` lets every websocket through. So while a ViserServer is being made, the name `serve` means `_GuardedServe` here, which puts the door
before viser's own answers; afterwards it means what it did. A ViserServer that came into being without passing it is shut at once: a later
viser that serves in another way stops the studio, not its protection.
"""

import contextlib
import logging
import socket
import threading
import weakref
from dataclasses import replace

import linkwork as lw

from .access import Door, question_in
from .page import with_script

log = logging.getLogger("linkwork.studio")
MOST_BYTES = 16 * 2**20  # of an upload; what readers of files take
MOST_PARTS = 1024  # pieces in which an upload may come
MOST_UPLOADS = 4  # of one client at a time
MOST_REMOVED = 500  # messages about elements that are gone, before they are forgotten
_making = threading.Lock()
_guards: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of the servers made here


def open_server(door=None, port=8080, label="Linkwork", most_bytes=MOST_BYTES, on_refused=None):
    """A ViserServer behind a door, listening. on_refused(client_id, filename, words) is called for uploads that are not taken; by default
    the page is told.
    """
    import viser
    from websockets.asyncio import server as module

    door = door or Door()
    _check_address(door.host, port)
    passed = []
    with _making:
        usual = module.serve

        class GuardedServe(usual):
            def __init__(self, handler, host=None, port=None, *, process_request=None, **options):
                if getattr(handler, "__module__", "").startswith("viser."):
                    guard = _Guard(door, handler, process_request)
                    handler, process_request = guard.handle, guard.answer
                    passed.append(guard)
                super().__init__(handler, host, port, process_request=process_request, **options)

        module.serve = GuardedServe
        try:
            with _silent():
                server = viser.ViserServer(host=door.host, port=port, label=label, verbose=False)
        finally:
            module.serve = usual
    if not passed:
        close_server(server)
        raise lw.StudioError(
            f"viser {viser.__version__}: it serves pages in a way that the studio's access rules do not reach; "
            "allowed is a version that does; install viser 1.1.1"
        )
    _guards[server] = passed[0]
    _never_share(server)
    _limit_uploads(server, most_bytes, on_refused)
    return server


def on_question(server, path, function) -> bool:
    """Let a coroutine answer questions at a path of access.QUESTIONS: function(fields) gives (status, text). False for servers not made here."""
    guard = _guards.get(server)
    if guard is not None:
        guard.questions[path] = function
    return guard is not None


def close_server(server):
    """End it, without a word."""
    with _silent():
        server.stop()


@contextlib.contextmanager
def _silent():
    """viser prints its address, without the token, and that it has stopped; the studio says what is to be said itself."""
    import rich

    console = rich.get_console()
    was, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = was


def _check_address(host, port):
    """Can this address be listened at? viser would try a thousand ports, and then wait for ever."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind(address)
    except OSError as error:
        raise lw.StudioError(
            f"host: found {host!r}, at which this computer cannot listen ({error.strerror or error}); "
            "allowed are 127.0.0.1, 0.0.0.0 and addresses of this computer; give one"
        ) from error
    if not 0 <= port <= 65535:
        raise lw.StudioError(f"port: found {port}; allowed are whole numbers from 0 (any that is free) to 65535; give one")


class Sweeper:
    """Lets viser forget what it keeps for pages to come about elements that are gone: it does so itself only when a page is opened."""

    def __init__(self, server):
        self._server, self._left = server, 0

    @property
    def kept(self):
        """How many messages the next page would be sent."""
        return len(self._server._websock_server._broadcast_buffer.message_from_id)

    def __call__(self):
        if self.kept > self._left + MOST_REMOVED:
            self._server._run_garbage_collector()  # not of what a slow page has yet to hear
            self._left = self.kept


class _Guard:
    """The door before viser's handler of websockets and its answers to other requests. All of it runs in viser's event loop."""

    def __init__(self, door, handler, process_request):
        self.door, self._handler, self._process_request = door, handler, process_request
        self._inside = 0
        self.questions: dict = {}  # path: what answers there

    def answer(self, connection, request):
        websocket = "Upgrade" in request.headers
        refusal = self.door.refuses(request.path, request.headers, websocket)
        if refusal is not None:
            return connection.respond(refusal.status, refusal.reason + "\n")
        if websocket and self._inside >= self.door.most_clients:
            return connection.respond(503, f"{self._inside} pages are open, the most that are allowed; close one\n")
        inner = replace(request, path=self.door.path_within(request.path))
        fields = None if websocket else question_in(inner.path)
        if fields is not None:
            return self._question(connection, request, self.questions.get(inner.path.partition("?")[0]), dict(fields))
        response = self._process_request(connection, inner) if self._process_request else None
        if response is not None:
            return self._sealed(_scripted(response), request)
        return None if websocket else connection.respond(404, "nothing here\n")

    async def _question(self, connection, request, function, fields):
        """Awaited by websockets, so that others are served while it is worked at."""
        try:
            status, text = await function(fields) if function is not None else (404, "nobody answers here")
        except Exception:
            log.exception("a question of the page failed")
            status, text = 500, "a fault of Linkwork itself"
        return self._sealed(connection.respond(status, text), request)

    def _sealed(self, response, request):
        for name, value in self.door.headers(request.headers.get("Host")).items():
            response.headers[name] = value
        return response

    async def handle(self, connection):
        if self._inside >= self.door.most_clients:  # two that came together
            await connection.close(1013, "too many pages are open")
            return
        self._inside += 1
        try:
            await self._handler(connection)
        finally:
            self._inside -= 1


def _scripted(response):
    """An answer of viser's, with our script if it is the page."""
    if response.status_code == 200 and response.headers.get("Content-Type", "").startswith("text/html"):
        response.body = with_script(response.body, response.headers.get("Content-Encoding") == "gzip")
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))
    return response


def _never_share(server):
    """A page can ask viser to open a tunnel from the internet to its server. Not to this one."""
    from viser import _messages

    server._websock_server.unregister_handler(_messages.ShareUrlRequest)
    server.gui.configure_theme(show_share_button=False)


def _limit_uploads(server, most, on_refused):
    """Drop uploads that are too large as soon as that is known: viser collects whatever comes."""
    from viser import _messages

    states = server.gui._current_file_upload_states

    def drop(client_id, uuid, words):
        state = states.pop(uuid, None)
        if state is not None:
            (on_refused or tell)(client_id, state["filename"], words)

    def tell(client_id, filename, words):
        client = server.get_clients().get(client_id)
        if client is not None:
            client.add_notification("That cannot be", f"upload: {filename[:80]}: {words}", color="red", auto_close_seconds=12.0)

    def started(client_id, message):
        if not 0 <= message.size_bytes <= most or not 0 <= message.part_count <= MOST_PARTS:
            drop(client_id, message.transfer_uuid, f"it is larger than {most / 2**20:g} MiB, the most that is taken")
        elif sum(state["client_id"] == client_id for state in list(states.values())) > MOST_UPLOADS:
            drop(client_id, message.transfer_uuid, f"{MOST_UPLOADS} uploads are under way already; wait for them")

    def came(client_id, message):
        state = states.get(message.transfer_uuid)
        if state is not None and state["transferred_bytes"] > state["total_bytes"]:
            drop(client_id, message.transfer_uuid, "more came than was announced")

    server._websock_server.register_handler(_messages.FileTransferStartUpload, started)
    server._websock_server.register_handler(_messages.FileTransferPart, came)
