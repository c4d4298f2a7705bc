"""The parser: general options and all verbs. Nothing of Linkwork is loaded for it, so that --help answers at once."""

import argparse
import sys

import linkwork as lw

from . import bench, check, completion, console, convert, info, kernels, listing, plot, run, studio
from .arguments import near

VERBS = (studio, run, check, info, listing, plot, convert, console, bench, kernels, completion)

EPILOG = """\
examples:
  linkwork studio                                            build, run and pull at mechanisms in the browser
  linkwork list                                              mechanisms that come with Linkwork
  linkwork run four-bar --duration 5 --out run.arrow         simulate one of them, keep the recording
  linkwork run model.toml --set spring.stiffness=200 --plot run.png
  linkwork check model.toml                                  look before you leap
  linkwork plot run.arrow A energy --out curves.png           curves of the joint A, and of the energies

exit codes: 0 all went well, 1 a fault in the run or in a file, 2 wrong usage
"""


def make_parser():
    """The parser of the whole command line; `options.run` is the verb's function."""
    parser = _Parser(
        prog="linkwork",
        description="Multibody dynamics: simulate, check, look at and convert mechanisms.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"linkwork {lw.__version__}")
    parser.set_defaults(verb=None)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", dest="verb", parser_class=_Parser)
    for verb in VERBS:
        verb.add(verbs)
    return parser


class _Parser(argparse.ArgumentParser):
    """The parser of the command or of a verb: what is not known is refused with what may have been meant.

    Options are written out: an abbreviation would change its meaning when a new option comes.
    """

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def parse_known_args(self, args=None, namespace=None):
        args = sys.argv[1:] if args is None else list(args)
        self._refuse_unknown_options(args)
        namespace, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"found {rest[0]!r} beyond what it takes; leave it out, or see {self.prog} --help")
        return namespace, rest

    def _refuse_unknown_options(self, args):
        """argparse would first say what else is missing, and call the word after an unknown option its FILE."""
        known = self._option_string_actions
        for text in args:
            name = text.partition("=")[0]
            if text == "--" or (self._subparsers and not text.startswith("-")):
                return  # what follows are no options, or those of a verb
            if not name.startswith("-") or name in ("-", *known) or " " in name or self._negative_number_matcher.match(name):
                continue
            if self._subparsers:
                self.error(f"no option before the command is called {name!r}; allowed is --version; other options stand after the command")
            words = {word.lstrip("-"): word for word in known if word.startswith("--")}
            self.error(f"no option is called {name!r}; {near(name.lstrip('-'), words)}")

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"found {value!r}; {near(value, list(action.choices))}")

    def error(self, message):
        self.print_usage(sys.stderr)
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        raise WrongUsage(message)


class WrongUsage(SystemExit):
    """What was typed is not understood: exit code 2. `text` says why, and has been printed."""

    def __init__(self, text):
        super().__init__(2)
        self.text = text
