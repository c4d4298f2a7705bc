"""What the browser may do on our page: the scripts that viser's client consists of and the one of ours (page.py), and no others.

Names of parts come from files and from other people's pages. Panels escape them; should one forget to, a name such as <img onerror="..."> would run as a
script of our page. So the header Content-Security-Policy names the page's scripts by their digests, and browsers run nothing else: no inline script, no
handler in an attribute, nothing from another server. (Labels need eval in workers, so scripts that do run may use it.)

viser's page is one file: a loader, and in its attribute `data-p` the client itself (styles, then a module), compressed by Zstandard and written in 88 letters,
4 bytes as 5 letters. The loader puts the module into the page as an inline script, so its digest is needed too. A page that is built otherwise
gets a policy without digests, by which inline scripts run.
"""

import base64
import hashlib
import re
from functools import cache

import numpy as np

from .page import SCRIPT

LETTERS = "".join(chr(c) for c in range(0x21, 0x7F) if chr(c) not in "\"&<>'`")
_LOADER = re.compile(rb'<script data-p="([^"]+)" data-ss="(\d+)" data-cs="(\d+)">(.*?)</script>', re.DOTALL)
MOST = 64 * 2**20  # bytes of an unpacked client


def policy(host="", page=None):
    """The header for a page that was asked for under this host. page: path of the HTML file, by default viser's."""
    digests = digests_of(page or _client_page())
    digests = (*digests, _digest(SCRIPT)) if digests else ()  # a digest would forbid all inline scripts that have none
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests) or "'unsafe-inline'"
    sockets = f"ws://{host} wss://{host}" if re.fullmatch(r"[\w.:\[\]-]{1,260}", host) else ""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts} 'unsafe-eval' 'wasm-unsafe-eval' blob:",
            "worker-src blob: data:",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "font-src data: blob:",
            "media-src data: blob:",
            " ".join(f"connect-src data: blob: {sockets} 'self'".split()),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


@cache
def digests_of(path):
    """Digests (base64 of SHA-256) of the loader and of the module it unpacks; () if the page is not built like that."""
    import zstandard

    try:
        found = _LOADER.findall(path.read_bytes())
        if len(found) != 1:
            return ()
        packed, styles, module, loader = found[0]
        styles, module = int(styles), int(module)
        content = zstandard.ZstdDecompressor().decompress(_unpacked(packed), max_output_size=MOST)
    except (OSError, ValueError, zstandard.ZstdError):
        return ()
    return (_digest(loader), _digest(content[styles:])) if len(content) == styles + module else ()


def _digest(script):
    return base64.b64encode(hashlib.sha256(script).digest()).decode()


def _unpacked(packed):
    """5 letters to 4 bytes, most significant first; r letters at the end to r - 1 bytes."""
    value_of = np.zeros(256, dtype=np.uint64)
    value_of[[ord(letter) for letter in LETTERS]] = np.arange(len(LETTERS))
    digits = value_of[np.frombuffer(packed, dtype=np.uint8)]
    left = len(digits) % 5
    words = digits[: len(digits) - left].reshape(-1, 5) @ (88 ** np.arange(4, -1, -1)).astype(np.uint64)
    whole = words.astype(">u4").tobytes()
    if not left:
        return whole
    last = 0
    for digit in digits[-left:].tolist():
        last = last * 88 + int(digit)
    return whole + (last % 2 ** (8 * (left - 1))).to_bytes(left - 1, "big")


def _client_page():
    from pathlib import Path

    import viser

    return Path(viser.__file__).parent / "client" / "build" / "index.html"
