"""Who may come in: rules for every HTTP request and every websocket of the studio, before anything of it is answered.

A studio moves a mechanism and writes files in a folder, so whoever reaches it can do both. Three kinds of strangers are kept out:

    a web page in the user's own browser    it may open a websocket to any address, also to this computer. Browsers say in `Origin` which page
                                            asks: it must be ours.
    a page whose name is made to lead here  (DNS rebinding) then `Origin` and `Host` agree, on a foreign name: on loopback, `Host` must be a
                                            name of loopback.
    other computers                         beyond loopback every path begins with an access token that cannot be guessed:
                                            http://192.168.1.5:8080/TOKEN/. The page derives the address of its websocket from its own, so that
                                            carries the token too. A cookie would go to every other port of the host, a path goes nowhere else.

The page itself asks questions, by GET: a page of another site that did so could not read the answer, and is refused all the same.

The client of viser takes some settings from its address, `websocket=` and `playbackPath=` among them: with these, a link to our page would have it
obey another server. Settings that are not known to be harmless are refused.
"""

import hmac
import ipaddress
import re
import secrets
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import linkwork as lw

from .content_policy import policy

LOOPBACK = "127.0.0.1"
MOST_CLIENTS = 16
# Settings in the address that change how the page looks, and nothing else.
HARMLESS = {"darkMode", "hideViserLogo", "showStats", "fixedDpr", "logCamera", "forceOrbitOriginTool"}
HARMLESS |= {f"initialCamera{what}" for what in ("Position", "LookAt", "Up", "Fov", "Near", "Far")}
# Paths at which the page asks something, and the fields of each question.
QUESTIONS = {"/under-pointer": ("key", "x", "y", "aspect")}


class Refusal(NamedTuple):
    """status: of HTTP. reason: a line for whoever asked."""

    status: int
    reason: str


class Door:
    """The rules of one studio.

    host: the address to listen at. token: what paths begin with; made up where it is needed and none is given; on loopback it may be left out.
    most_clients: websockets at a time.

    >>> Door().refuses("/", {"Host": "127.0.0.1:8080"})
    >>> Door().refuses("/", {"Host": "evil.example"}).status
    403
    >>> Door("0.0.0.0", token="a-secret-of-the-house").address(8080)
    'http://localhost:8080/a-secret-of-the-house/'
    """

    def __init__(self, host=LOOPBACK, token=None, most_clients=MOST_CLIENTS):
        self.host, self.most_clients = _checked_host(host), most_clients
        self.on_loopback = is_loopback(self.host)
        self.token = _checked_token(token) if token is not None else None if self.on_loopback else secrets.token_urlsafe(24)

    def address(self, port):
        """What to type into a browser on this computer; the token is in it."""
        name = "localhost" if self.host in ("0.0.0.0", "::", "") else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{port}/" + (f"{self.token}/" if self.token else "")

    def path_within(self, path):
        """The path without its token, or None if the token is not there or wrong."""
        if self.token is None:
            return path
        target, mark, query = path.partition("?")
        first, _, rest = target.removeprefix("/").partition("/")
        if not hmac.compare_digest(first.encode("utf-8", "replace"), self.token.encode()):
            return None
        return f"/{rest}{mark}{query}"

    def refuses(self, path, headers, websocket=False):
        """None for a request that may come in, else a Refusal. headers: of the request; a name given twice must raise, as those of websockets do."""
        try:
            host, origin = headers.get("Host"), headers.get("Origin")
        except LookupError:
            return Refusal(400, "a header is given twice")
        if not host:
            return Refusal(400, "no Host is given")
        if self.on_loopback and not is_loopback(_name_of(host)):
            return Refusal(403, f"the studio listens on this computer only; open http://{LOOPBACK} with its port")
        within = self.path_within(path)
        if within is None:
            return Refusal(401, "the access token is missing or wrong; open the address that the studio printed when it started")
        if websocket and origin is not None and not _same_site(origin, host):
            return Refusal(403, "another page asked; only the studio's own page may")
        if websocket:
            return None
        fields = question_in(within)
        return (
            self._refuses_settings(within, host)
            if fields is None
            else _refuses_question(headers, fields, QUESTIONS[within.partition("?")[0]])
        )

    def _refuses_settings(self, path, host):
        own = {f"{scheme}://{host}" + (f"/{self.token}" if self.token else "") for scheme in ("ws", "wss")}
        for name, value in parse_qsl(urlsplit(path).query, keep_blank_values=True):
            if name in HARMLESS or (name == "websocket" and value.rstrip("/") in own):
                continue
            return Refusal(400, f"the setting {name[:40]!r} in the address is not allowed; open the address without it")
        return None

    def headers(self, host):
        """Headers of every answer to a request that named this host."""
        return {
            "Content-Security-Policy": policy(host or ""),
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }


def question_in(path):
    """The fields, [(name, text)], of a question that the page asks at a path of ours (within the token); None for any other path."""
    target, _, query = path.partition("?")
    return parse_qsl(query, keep_blank_values=True) if target in QUESTIONS else None


def _refuses_question(headers, fields, names):
    try:
        site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    except LookupError:
        return Refusal(400, "a header is given twice")
    if site not in (None, "same-origin") or (origin is not None and not _same_site(origin, headers.get("Host"))):
        return Refusal(403, "another page asked; only the studio's own page may")
    if sorted(name for name, _ in fields) != sorted(names):
        return Refusal(
            400, f"found the fields {', '.join(name[:20] for name, _ in fields[:8]) or 'none'}; allowed are {', '.join(names)}, each once"
        )
    return None


def is_loopback(name):
    """Does a name or address mean this computer only?"""
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _name_of(host):
    """The name in a Host header, without its port."""
    found = re.fullmatch(r"\[([0-9A-Fa-f:.]+)\](?::\d{1,5})?|([^:\[\]]+)(?::\d{1,5})?", host)
    return (found.group(1) or found.group(2)) if found else ""


def _same_site(origin, host):
    """Is a page of this origin served under this host? Schemes may differ: a proxy may speak HTTPS."""
    parts = origin.lower().split("://")
    if len(parts) != 2 or parts[0] not in ("http", "https"):
        return False
    port = {"http": ":80", "https": ":443"}[parts[0]]
    return parts[1].removesuffix(port) == host.lower().removesuffix(port)


def _checked_host(host):
    if not isinstance(host, str) or not re.fullmatch(r"[\w.:%-]{1,253}", host):
        raise lw.StudioError(f"host: found {host!r}; allowed is an address such as {LOOPBACK} or 0.0.0.0, or a name; give one")
    return host


def _checked_token(token):
    if not isinstance(token, str) or not re.fullmatch(r"[A-Za-z0-9_-]{16,200}", token):
        raise lw.StudioError(
            "token: allowed are 16 to 200 letters, digits, - and _, so that it cannot be guessed and can stand in an address; "
            "give such a token, or none to have one made"
        )
    return token
