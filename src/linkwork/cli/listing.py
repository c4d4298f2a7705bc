"""`linkwork list`: mechanisms that come with Linkwork."""

import linkwork as lw

from .arguments import add_json
from .messages import answer


def add(verbs):
    parser = verbs.add_parser(
        "list", help="mechanisms that come with Linkwork", description="Mechanisms that come with Linkwork, to run and to start from."
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options):
    found = {name: lw.shipped(name).summary for name in lw.shipped()}
    width = max(map(len, found))
    lines = [f"{name:<{width}}  {said}" for name, said in found.items()]
    answer(options, "\n".join(lines), {"mechanisms": [{"name": name, "description": said} for name, said in found.items()]})
    return 0
