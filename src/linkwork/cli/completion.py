"""`linkwork completion`: a script that lets a shell complete verbs, options, files and names."""

from .messages import UsageError

SHELLS = ("bash", "zsh", "fish")
HOW = """\
bash:  linkwork completion bash > ~/.local/share/bash-completion/completions/linkwork
zsh:   linkwork completion zsh > "${fpath[1]}/_linkwork"
fish:  linkwork completion fish > ~/.config/fish/completions/linkwork.fish
"""


def add(verbs):
    import argparse

    parser = verbs.add_parser(
        "completion",
        help="a script for completion in a shell",
        description="Print a script that completes the words of linkwork in a shell.",
        epilog=HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=run)


def run(options):
    try:
        from argcomplete import shellcode
    except ImportError:
        raise UsageError("completion needs the package argcomplete; pip install argcomplete") from None
    print(shellcode(["linkwork"], shell=options.shell), end="")
    return 0
