"""What a command refuses."""

import linkwork as lw


class RefusedError(lw.StudioError):
    """A command cannot be done; nothing has changed."""


class MisusedError(RefusedError):
    """A command is not written as its usage says; `usage` is how it is written."""

    def __init__(self, message, usage=""):
        super().__init__(message)
        self.usage = usage
