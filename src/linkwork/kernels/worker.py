"""A process that compiles units: recipes in, a line of JSON each, headers out; with the unit itself where no folder could be written to."""

import base64
import json
import os
import sys
import traceback


def main():
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is not an answer
    from .build import make
    from .store import kept

    for line in sys.stdin:
        try:
            answer = make(tuple(json.loads(line)))
            if kept(answer["symbol"]) is not None:
                answer["unit"] = base64.b64encode(kept(answer["symbol"])).decode()
        except Exception:
            answer = {"error": traceback.format_exc()}
        try:
            out.write(json.dumps(answer) + "\n")
            out.flush()
        except BrokenPipeError:  # nobody waits for the answer any more
            os._exit(0)


if __name__ == "__main__":
    main()
