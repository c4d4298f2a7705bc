"""viser's page with a script of ours in it: the one thing that the page does which viser's client does not."""

import gzip
from functools import lru_cache
from pathlib import Path

# Lines end as browsers read them, whatever a checkout has made of them: the digest in the content policy is of what they read.
SCRIPT = (Path(__file__).parent / "under_pointer.js").read_bytes().replace(b"\r\n", b"\n")
_END = b"</body>"


@lru_cache(maxsize=4)
def with_script(body, packed=False):
    """A page with the script at its end. packed: by gzip, before and after. The page is large and always the same: it is made once."""
    page = gzip.decompress(body) if packed else body
    before, end, after = page.rpartition(_END)
    made = (before or after) + b"<script>" + SCRIPT + b"</script>" + (end + after if end else b"")
    return gzip.compress(made) if packed else made
