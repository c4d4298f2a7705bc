"""How a run ended. A failure is a value: what happened, where, when, and a remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import FormatError, SolverError

WORDS = ("finished", "stopped", "interrupted", "failed")


@dataclass(frozen=True, eq=False)
class Status:
    """`word` is "finished" (the time was reached), "stopped" (by an event or a caller), "interrupted" (Ctrl-C) or "failed".

    A status equals its word: `recording.status == "finished"`. The other fields say more, most of all about a failure: `time` is that of
    the last good state, `body`, `joint`, `force` and `row` name the parts that it concerns, as far as they are known.

    >>> import linkwork as lw
    >>> lw.Status("failed", "Newton did not converge", time=1.5, joint="elbow", suggestion="halve the step")
    Status('failed at 1.5 s: Newton did not converge (joint 'elbow'); halve the step')
    """

    word: str = "finished"
    message: str = ""
    time: float | None = None
    body: str | None = None
    joint: str | None = None
    force: str | None = None
    row: str | None = None
    suggestion: str = ""

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise FormatError(f"status: found {self.word!r}; allowed are {', '.join(map(repr, WORDS))}")

    @property
    def ok(self) -> bool:
        """Everything but a failure."""
        return self.word != "failed"

    def raise_failure(self) -> None:
        """SolverError with the whole text if the run failed; nothing otherwise."""
        if not self.ok:
            raise SolverError(str(self))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.word == other
        return isinstance(other, Status) and asdict(self) == asdict(other)

    def __hash__(self) -> int:
        return hash(self.word)

    def __str__(self) -> str:
        at = "" if self.time is None else f" at {self.time:.9g} s"
        where = ", ".join(f"{what} {name!r}" for what in ("body", "joint", "force", "row") if (name := getattr(self, what)))
        text = f"{self.word}{at}" + (f": {self.message}" if self.message else "") + (f" ({where})" if where else "")
        return text + (f"; {self.suggestion}" if self.suggestion else "")

    def __repr__(self) -> str:
        return f"Status('{self}')"

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value not in ("", None)}

    @classmethod
    def from_dict(cls, given: Any) -> Status:
        """From the data of a file: anything unexpected is a FormatError."""
        kinds = {name: (int, float) if name == "time" else str for name in cls.__dataclass_fields__}
        if not isinstance(given, dict) or any(key not in kinds or not isinstance(value, kinds[key]) for key, value in given.items()):
            raise FormatError(f"the status of the recording is not understood: {str(given)[:200]}")
        return cls(**given)
