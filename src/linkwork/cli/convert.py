"""`linkwork convert`: from one kind of file to another, told by the suffixes."""

import linkwork as lw

from .arguments import add_json, add_quiet, add_source
from .messages import answer, say
from .outputs import check_outputs
from .source import load, load_recording


def add(verbs):
    parser = verbs.add_parser(
        "convert",
        help="mechanisms to TOML, recordings to CSV",
        description="Convert a mechanism (.urdf, .toml, a shipped name) to TOML in its plain form, or a recording (.arrow) to CSV.",
    )
    add_source(parser)
    parser.add_argument("out", metavar="OUT", help=".toml for a mechanism, .csv for a recording")
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(options):
    if options.file.lower().endswith(".arrow"):
        return _recording(options)
    check_outputs([(options.out, (".toml",), "OUT")], read=[(options.file, "FILE")])
    source = load(options)
    notes = [note for note in getattr(source.mechanism, "notes", ())]
    lost = [str(note) for note in notes if note.matters]
    lw.write(source.mechanism, options.out, setup=source.setup)
    if not options.quiet:
        for text in lost:
            say(f"linkwork convert: warning: {text}")
    answer(options, f"{source.mechanism!r}: {options.out}", {"files": {"mechanism": options.out}, "notes": [str(note) for note in notes]})
    return 0


def _recording(options):
    check_outputs([(options.out, (".csv",), "OUT")], read=[(options.file, "FILE")])
    recording = load_recording(options.file)
    recording.to_csv(options.out)
    answer(options, f"{len(recording)} frames: {options.out}", {"files": {"recording": options.out}, "frames": len(recording)})
    return 0
