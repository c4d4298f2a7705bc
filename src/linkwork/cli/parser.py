"""The parser: general options and all verbs. Nothing of Linkwork is loaded for it, so that --help answers at once."""

import argparse

import linkwork as lw

from . import bench, check, completion, console, convert, info, kernels, listing, plot, run, studio

VERBS = (studio, run, check, info, listing, plot, convert, console, bench, kernels, completion)

EPILOG = """\
examples:
  linkwork studio                                            build, run and pull at mechanisms in the browser
  linkwork list                                              mechanisms that come with Linkwork
  linkwork run four-bar --duration 5 --out run.arrow         simulate one of them, keep the recording
  linkwork run model.toml --set spring.stiffness=200 --plot run.png
  linkwork check model.toml                                  look before you leap
  linkwork plot run.arrow crank energy --out curves.png

exit codes: 0 all went well, 1 a fault in the run or in a file, 2 wrong usage
"""


def make_parser():
    """The parser of the whole command line; `options.run` is the verb's function."""
    parser = argparse.ArgumentParser(
        prog="linkwork",
        description="Multibody dynamics: simulate, check, look at and convert mechanisms.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"linkwork {lw.__version__}")
    parser.set_defaults(verb=None)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", dest="verb", parser_class=_VerbParser)
    for verb in VERBS:
        verb.add(verbs)
    return parser


class _VerbParser(argparse.ArgumentParser):
    """The parser of a verb. Options are written out: an abbreviation would change its meaning when a new option comes."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)
