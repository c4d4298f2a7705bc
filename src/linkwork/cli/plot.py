"""`linkwork plot`: curves of a recording over time."""

import os

import linkwork as lw

from .arguments import add_json, recordings
from .messages import UsageError, answer
from .outputs import check_output
from .run import PLOTS


def add(verbs):
    parser = verbs.add_parser(
        "plot",
        help="curves of a recording",
        description="Curves of a recording over time: of what is named, or an overview of coordinates, energies and gaps.",
    )
    source = parser.add_argument("file", metavar="RECORDING", help="a recording, .arrow")
    source.completer = recordings
    parser.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="NAME",
        help="a channel (q, energy, gaps), a joint, or part.quantity such as A.v (of the joint A) or spring.work",
    )
    parser.add_argument("--out", metavar="PATH", help="the picture, .png, .svg or .pdf; by default beside the recording, .png")
    parser.add_argument("--title", metavar="TEXT", help="above the curves; by default the name of the mechanism")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options):
    if not os.path.isfile(options.file):
        raise UsageError(f"{options.file}: there is no such recording; `linkwork run ... --out {options.file}` makes one")
    path = check_output(options.out or os.path.splitext(options.file)[0] + ".png", PLOTS, "--out")
    recording = lw.Recording.load(options.file)
    try:
        recording.plot(*options.names, path=path, title=options.title)
    except (lw.UnknownNameError, lw.StateError) as error:
        raise UsageError(f"plot: {error}") from None
    answer(options, f"plot: {path}", {"files": {"plot": path}})
    return 0
