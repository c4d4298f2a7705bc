"""Who may come in: rules of the door, and the same over real sockets, so that a change in viser or websockets is noticed."""

import base64
import gzip
import hashlib
import http.client
import re
import socket

import pytest
import viser
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import linkwork as lw
from linkwork.studio import serving
from linkwork.studio.access import Door, is_loopback
from linkwork.studio.content_policy import digests_of, policy

from ...waiting import wait_for

TOKEN = "a-token-of-this-test_0123"
SUBPROTOCOL = [f"viser-v{viser.__version__}"]


@pytest.fixture(scope="module")
def plain():
    server = serving.open_server(Door(most_clients=3), port=0)
    yield server
    serving.close_server(server)


@pytest.fixture(scope="module")
def with_token():
    server = serving.open_server(Door(token=TOKEN), port=0)
    yield server
    serving.close_server(server)


def get(server, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def socket_to(server, path="/", origin=None, host=None):
    headers = {"Host": host} if host else {}
    return connect(
        f"ws://127.0.0.1:{server.get_port()}{path}",
        origin=origin,
        subprotocols=SUBPROTOCOL,
        additional_headers=headers,
        max_size=None,
        open_timeout=10,
    )


def is_alive(client):
    """Does the server speak viser to this client? It sends its replay first."""
    return len(client.recv(timeout=10)) > 16


def refused_with(server, **how):
    with pytest.raises(InvalidStatus) as found:
        socket_to(server, **how)
    return found.value.response.status_code


# ---------------------------------------------------------------------- over sockets


def test_the_page_and_its_websocket_are_served_on_loopback(plain):
    response, body = get(plain)
    assert response.status == 200 and b"<!doctype html>" in body[:100].lower()
    with socket_to(plain, origin=f"http://127.0.0.1:{plain.get_port()}") as client:
        assert is_alive(client)
    with socket_to(plain) as client:  # a program, which sends no Origin
        assert is_alive(client)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1.evil.example", "file://"])
def test_a_foreign_page_cannot_open_a_websocket(plain, origin):
    assert refused_with(plain, origin=origin) == 403


def test_a_name_that_is_made_to_lead_here_is_refused(plain):
    """DNS rebinding: Origin and Host agree, but on a foreign name."""
    name = f"evil.example:{plain.get_port()}"
    assert get(plain, Host=name)[0].status == 403
    with socket.create_connection(("127.0.0.1", plain.get_port()), timeout=10) as raw:
        raw.sendall(
            f"GET / HTTP/1.1\r\nHost: {name}\r\nOrigin: http://{name}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert b" 403 " in raw.recv(100)


def test_without_the_token_nothing_is_served(with_token):
    for path in ("/", "/index.html", f"/{TOKEN[:-1]}/", f"/x{TOKEN}/", f"/?token={TOKEN}", f"/x/{TOKEN}/", f"//{TOKEN}/"):
        assert get(with_token, path)[0].status == 401, path
        assert refused_with(with_token, path=path) == 401, path


def test_with_the_token_the_page_and_its_websocket_are_served(with_token):
    for path in (f"/{TOKEN}/", f"/{TOKEN}", f"/{TOKEN}/index.html"):
        assert get(with_token, path)[0].status == 200, path
    with socket_to(with_token, path=f"/{TOKEN}", origin=f"http://127.0.0.1:{with_token.get_port()}") as client:
        assert is_alive(client)
    assert refused_with(with_token, path=f"/{TOKEN}", origin="http://evil.example") == 403


def test_upgrade_in_other_letters_opens_no_back_door(plain):
    assert get(plain, Upgrade="WebSocket", Origin="http://evil.example")[0].status == 403


def test_a_link_cannot_make_the_page_obey_another_server(plain):
    for query in ("websocket=ws://evil.example", "playbackPath=https://evil.example/x.viser", "websocket=ws%3A%2F%2Fevil.example", "x=1"):
        assert get(plain, f"/?{query}")[0].status == 400, query
    own = f"ws://127.0.0.1:{plain.get_port()}"
    assert get(plain, f"/?websocket={own}&darkMode=1")[0].status == 200  # what the client itself writes into its address
    assert get(plain, f"/?websocket={own}&websocket=ws://evil.example")[0].status == 400


def test_files_outside_the_client_are_not_served(plain):
    for path in ("/../../__init__.py", "/%2e%2e/%2e%2e/__init__.py", "/..%5c..%5c__init__.py", "/etc/passwd"):
        assert get(plain, path)[0].status == 404, path


def test_answers_forbid_frames_foreign_scripts_and_referrers(plain):
    response, body = get(plain)
    rules = response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in rules and f"connect-src data: blob: ws://127.0.0.1:{plain.get_port()}" in rules
    scripts = re.search(r"script-src ([^;]*)", rules).group(1)
    assert "'unsafe-inline'" not in scripts and scripts.count("'sha256-") == 3
    assert "http" not in rules and rules.count("'self'") == 1, "the page's own questions, and nothing else of HTTP"
    assert response.headers["Referrer-Policy"] == "no-referrer" and response.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_script_of_ours_is_in_the_page_and_allowed_by_its_digest(plain, encoding):
    response, body = get(plain, Accept_Encoding=encoding)
    assert response.headers.get_all("Content-Length") == [str(len(body))] and response.headers["Content-Encoding"] == encoding
    page = gzip.decompress(body) if encoding == "gzip" else body
    script = page.rpartition(b"<script>")[2].partition(b"</script>")[0]
    assert b"under-pointer" in script and page.rstrip().endswith(b"</html>") and page.count(script) == 1
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    assert f"'sha256-{digest}'" in response.headers["Content-Security-Policy"]


QUESTION = "/under-pointer?key=k&x=0.5&y=0.5&aspect=1"


def test_questions_of_the_page_pass_the_same_door(plain, with_token):
    assert get(plain, QUESTION)[0].status == 404 and get(plain, QUESTION)[1] == b"nobody answers here"
    assert get(plain, QUESTION, Host="evil.example")[0].status == 403
    for foreign in (
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ):
        assert get(plain, QUESTION, **foreign)[0].status == 403, foreign
    own = {"Origin": f"http://127.0.0.1:{plain.get_port()}", "Sec-Fetch-Site": "same-origin"}
    assert get(plain, QUESTION, **own)[0].status == 404, "it came in, and nobody answers"
    assert get(with_token, QUESTION)[0].status == 401 and get(with_token, f"/{TOKEN[:-1]}{QUESTION}")[0].status == 401
    response, body = get(with_token, f"/{TOKEN}{QUESTION}")
    assert (response.status, body) == (404, b"nobody answers here")
    assert response.headers["Cache-Control"] == "no-store" and response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize("query", ["", "?key=k", "?key=k&x=0&y=0&aspect=1&x=1", "?key=k&x=0&y=0&aspect=1&websocket=ws://evil.example"])
def test_a_question_has_its_fields_and_no_others(plain, query):
    response, body = get(plain, f"/under-pointer{query}")
    assert response.status == 400 and b"allowed are key, x, y, aspect, each once" in body


def test_fields_of_questions_are_no_settings_of_the_page(plain):
    for path in ("/?key=k", "/index.html?x=0.5", "/under-pointer/?key=k&x=0&y=0&aspect=1", "//under-pointer?key=k&x=0&y=0&aspect=1"):
        assert get(plain, path)[0].status == 400, path


def test_so_many_pages_and_no_more(plain):
    clients = [socket_to(plain) for _ in range(3)]
    try:
        assert all(is_alive(client) for client in clients)
        assert refused_with(plain) == 503
    finally:
        for client in clients:
            client.close()

    def taken_again():
        try:
            with socket_to(plain) as client:
                return is_alive(client)
        except InvalidStatus:
            return False

    wait_for(taken_again)  # the server notices a little later that they have left


def message(server, kind, **fields):
    import msgspec

    return msgspec.msgpack.encode({"type": kind, **fields})


def test_uploads_that_are_too_large_are_dropped_before_they_are_collected():
    told = []
    server = serving.open_server(Door(), port=0, most_bytes=1000, on_refused=lambda *what: told.append(what))
    try:
        button = server.gui.add_upload_button("upload")
        came = []
        button.on_upload(lambda event: came.append(event.target.value.content))
        start = {"source_component_uuid": button._impl.uuid, "filename": "a.toml", "mime_type": "text/plain"}
        part = {"source_component_uuid": button._impl.uuid, "part_index": 0}
        with socket_to(server) as client:
            camera = {
                "wxyz": (1, 0, 0, 0),
                "position": (1, 1, 1),
                "fov": 1.0,
                "near": 0.1,
                "far": 10.0,
                "image_height": 10,
                "image_width": 10,
            }
            client.send(message(server, "ViewerCameraMessage", look_at=(0, 0, 0), up_direction=(0, 0, 1), **camera))
            client.send(message(server, "FileTransferStartUpload", transfer_uuid="fits", part_count=1, size_bytes=5, **start))
            client.send(message(server, "FileTransferPart", transfer_uuid="fits", content=b"12345", **part))
            client.send(message(server, "FileTransferStartUpload", transfer_uuid="huge", part_count=1, size_bytes=1001, **start))
            client.send(message(server, "FileTransferPart", transfer_uuid="huge", content=b"x" * 1001, **part))
            client.send(message(server, "FileTransferStartUpload", transfer_uuid="lies", part_count=2, size_bytes=5, **start))
            client.send(message(server, "FileTransferPart", transfer_uuid="lies", content=b"x" * 999, **part))
            client.send(message(server, "FileTransferStartUpload", transfer_uuid="dust", part_count=10**6, size_bytes=5, **start))
            for k in range(serving.MOST_UPLOADS + 1):
                client.send(message(server, "FileTransferStartUpload", transfer_uuid=f"many {k}", part_count=9, size_bytes=5, **start))
            wait_for(lambda: len(told) >= 4 and came)
            assert came == [b"12345"]
            assert [words for _, _, words in told] == [
                "it is larger than 0.000953674 MiB, the most that is taken",
                "more came than was announced",
                "it is larger than 0.000953674 MiB, the most that is taken",
                "4 uploads are under way already; wait for them",
            ]
            assert len(server.gui._current_file_upload_states) == serving.MOST_UPLOADS
    finally:
        serving.close_server(server)


def test_no_page_can_open_a_tunnel_from_the_internet(plain):
    from viser import _messages

    assert _messages.ShareUrlRequest not in plain._websock_server._incoming_handlers
    with socket_to(plain) as client:
        client.send(message(plain, "ShareUrlRequest"))
        assert is_alive(client)
    assert plain._share_tunnel is None


def test_a_client_of_another_version_harms_nothing(plain):
    with connect(f"ws://127.0.0.1:{plain.get_port()}/", max_size=None) as client, pytest.raises(ConnectionClosed):
        client.recv(timeout=10)
    with socket_to(plain) as client:
        assert is_alive(client)


def test_a_viser_that_serves_in_another_way_is_shut(monkeypatch):
    """Fail closed: the guard recognises viser by the module of its handler."""
    stopped = []
    monkeypatch.setattr(viser, "ViserServer", lambda **_: type("Server", (), {"stop": lambda self: stopped.append(True)})())
    with pytest.raises(lw.StudioError, match="access rules do not reach"):
        serving.open_server(Door(), port=0)
    assert stopped


def test_serve_of_websockets_is_as_it_was(plain):
    from websockets.asyncio.server import serve

    assert serve.__module__ == "websockets.asyncio.server" and serve.__name__ == "serve"


# ---------------------------------------------------------------------- rules alone


def test_beyond_loopback_a_token_is_made():
    one, other = Door("0.0.0.0"), Door("0.0.0.0")
    assert len(one.token) >= 32 and one.token != other.token
    assert one.address(8080) == f"http://localhost:8080/{one.token}/"
    assert one.refuses("/", {"Host": "192.168.1.5:8080"}).status == 401
    assert one.refuses(f"/{one.token}/", {"Host": "studio.lan"}) is None
    assert Door().token is None and Door("::1").address(80) == "http://[::1]:80/"


@pytest.mark.parametrize("token", ["short", "with space in it 12345", "a/b/c/d/e/f/g/h/i/j/k", "x" * 201, 12345678901234567, ""])
def test_tokens_that_can_be_guessed_or_break_an_address_are_refused(token):
    with pytest.raises(lw.StudioError, match="token: allowed are 16 to 200"):
        Door("0.0.0.0", token=token)


def test_hosts():
    assert is_loopback("localhost") and is_loopback("127.1.2.3") and is_loopback("::1")
    assert not any(map(is_loopback, ("localhost.evil.example", "0.0.0.0", "", "127.0.0.1.nip.io", "2130706433")))
    for host in ("", "a b", "x" * 300, None, "http://x/"):
        with pytest.raises(lw.StudioError, match="host: found"):
            Door(host)
    with pytest.raises(lw.StudioError, match="cannot listen"):
        serving.open_server(Door("203.0.113.7"), port=0)  # an address of documentation: nobody's
    with pytest.raises(lw.StudioError, match="port: found"):
        serving.open_server(Door(), port=70000)


def test_headers_given_twice_are_refused(plain):
    with socket.create_connection(("127.0.0.1", plain.get_port()), timeout=10) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{plain.get_port()}\r\nHost: evil.example\r\n\r\n".encode())
        assert b" 400 " in raw.recv(100)


def test_a_page_that_is_built_otherwise_gets_a_policy_without_digests(tmp_path):
    page = tmp_path / "index.html"
    for text in ("<script>hello()</script>", '<script data-p="abc" data-ss="1" data-cs="1">x</script>', ""):
        page.write_text(text)
        digests_of.cache_clear()
        assert "script-src 'unsafe-inline'" in policy("a:1", page)
    assert "sockets" not in policy('bad"host') and "ws://" not in policy('bad"host')
