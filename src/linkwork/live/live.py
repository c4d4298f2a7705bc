"""`Live`: a mechanism in motion that can be edited, pulled at, looked back on and saved while it runs."""

from __future__ import annotations

import contextlib
import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..arguments import current_names, explained, need
from ..dynamics.energy import energy
from ..errors import LinkworkError, ModelError, StateError
from ..formats.document import Document
from ..formats.native_setup import Setup
from ..integrators.defaults import default_integrator
from ..integrators.integrator import Integrator, need_integrator
from ..model.model import Model
from ..model.state import State
from ..parts.mechanism import Mechanism
from ..simulation.interrupts import interrupts_wait
from ..simulation.simulate import Simulation
from ..simulation.status import Status
from ..spatial.pose import Pose
from ..validation import described
from . import pull_force
from .changes import touched_bodies
from .design import Design
from .edit import Edit, Editing
from .edit_audit import LiveAudit
from .history import History, Version
from .moments import Moment
from .placing import hanging_together
from .posing import Posing
from .pulling import Pulling
from .python_text import call_text
from .reading import Reading
from .retune import retuned
from .rewind import Rewinding
from .saving import Snapshot, integrator_table, snapshot_of
from .script import Script, first_lines
from .segments import same_parts
from .separation import Separation, separated
from .signals import Watch
from .state_history import PAGE, StateHistory, poses_of
from .state_transfer import transfer_state
from .step_recovery import StepAdvice
from .time_budget import reached_in_budget
from .undoing import Undoing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from ..dynamics.energy import Energy
    from .state_transfer import Transferred

FRAME = 1.0 / 60.0
RECORD = ("q", "v", "energy", "gaps")


@explained
class Live(Undoing, Rewinding, StepAdvice, Posing, Pulling, Reading):
    """A mechanism in motion, edited by transactions: each edit takes effect at once, or raises a LinkworkError and nothing has changed.

    Args:
        what: a Mechanism, a Document, or nothing for an empty mechanism.
        integrator: ContactStepping(step=1e-3) while bodies touch, else RungeKutta4(step=1e-3), unless given, here or by the document.
        controllers: functions made controllers by @lw.controller; or {"name": function} for those that a document names.
        constraint_tolerance: rad, or lengths of the mechanism; a residual of the loops beyond it is projected away.

    Bodies that an edit does not touch keep their state bit by bit. Joining moving bodies is an inelastic impact: momentum is kept, the energy lost is
    booked. Taking a joint away keeps all velocities. Parts that do not meet fly together first, the light ones most.

    >>> import linkwork as lw
    >>> live = lw.Live()
    >>> for k in (0, 1):
    ...     _ = live.add_body(f"puck {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(k, 0, 0), twist=(0, 0, 0, k, 0, 0))
    >>> _ = live.add_joint("glue", lw.Weld(), "puck 0", lw.Place("puck 1", lw.Pose((-1, 0, 0))))
    >>> round(live.last_edit.energy_lost, 6)        # 1/2 J before, both go on at half the speed
    0.25
    >>> _ = live.undo()
    >>> len(live.mechanism.joints), live.twists()["puck 1"].tolist()
    (0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    """

    _model: Model
    _simulation: Simulation
    status: Status

    def __init__(
        self,
        what: Mechanism | Document | None = None,
        integrator: Integrator | None = None,
        *,
        setup: Setup | None = None,
        controllers: Any = (),
        drift: str = "project",
        constraint_tolerance: float = 1e-9,
        solver: str = "auto",
    ) -> None:
        document = what if isinstance(what, Document) else None
        mechanism = document.mechanism if document is not None else Mechanism() if what is None else what
        if not isinstance(mechanism, Mechanism):
            remedy = "give one"
            if isinstance(what, str):
                remedy = "lw.Live.open(path) reads a file, lw.shipped(name) gives one that comes with Linkwork"
            elif isinstance(what, Model):
                remedy = "give what it was built from: parts of a Model cannot change"
            raise ModelError(f"Live: found {described(what)}; allowed is a Mechanism, a Document, or nothing; {remedy}")
        if not isinstance(setup, (Setup, type(None))):
            raise ModelError(f"setup: found a {type(setup).__name__}; allowed is a Setup, or None; give one")
        self._setup = setup if setup is not None else document.setup if document is not None else Setup()
        self._text = document
        self._on_disk = None if document is None else document._on_disk
        self.mechanism = mechanism.clone()
        self._called = {part.name: part.name for part in mechanism._registry.everything()} if document is not None else {}
        model = self.mechanism.build()
        options = self._setup.options(model, controllers if isinstance(controllers, dict) else None)
        given = options.get("controllers", ()) if isinstance(controllers, dict) else controllers
        self._controllers = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        self._integrator: Integrator | None = integrator if integrator is not None else options.get("integrator")
        if self._integrator is not None:
            need_integrator(self._integrator)
        self._options = {
            "drift": options.get("drift", drift),
            "constraint_tolerance": constraint_tolerance,
            "solver": options.get("solver", solver),
        }
        self.state_history, self.watched, self._history = StateHistory(), Watch(), History()
        self._audit = LiveAudit()
        self._script = Script()
        self._design = Design(self.mechanism, model)
        usual = {"integrator": None, "controllers": (), "drift": "project", "constraint_tolerance": 1e-9, "solver": "auto"}
        said = {
            "integrator": integrator,
            "controllers": controllers,
            "drift": drift,
            "constraint_tolerance": constraint_tolerance,
            "solver": solver,
        }
        self._began = (
            document,
            self.mechanism,
            self._setup,
            {name: x for name, x in said.items() if x is not usual[name] and x != usual[name]},
        )
        self._grip: Any = None
        self._hard: Any = None
        self._parts = object()  # another one whenever parts are added, removed or changed
        self._run = object()  # another one with every simulation
        self.status = Status("stopped", time=options["t"])
        self._begin(Moment(model, options["t"], options["q"], options["v"]))
        self._start = self.moment
        self._start_bodies = self.moment.bodies()

    # ------------------------------------------------------------------ the state

    @property
    def model(self) -> Model:
        """The mechanism as it is simulated now."""
        return self._model

    @property
    def simulation(self) -> Simulation:
        """What advances it; another one after every edit."""
        return self._simulation

    @property
    def time(self) -> float:
        return self._simulation.time

    @property
    def q(self) -> NDArray[np.float64]:
        q: NDArray[np.float64] = self._simulation.state.q
        return q

    @property
    def v(self) -> NDArray[np.float64]:
        v: NDArray[np.float64] = self._simulation.state.v
        return v

    @property
    def state(self) -> State:
        return self._simulation.state

    @property
    def moment(self) -> Moment:
        """The model with its state now."""
        state = self._simulation.state
        return Moment(self._model, state.t, state.q, state.v, self._simulation.system.memory)

    def poses(self) -> dict[str, Pose]:
        """{body: pose in the world}."""
        return {name: pose for name, (pose, _) in self.moment.bodies().items()}

    def twists(self) -> dict[str, Any]:
        """{body: velocity [w; v] in the body's own axes}."""
        return {name: twist for name, (_, twist) in self.moment.bodies().items()}

    def pose_arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(positions (nb, 3), quaternions (nb, 4) wxyz) of all bodies, in the order of model.bodies."""
        poses: tuple[NDArray[np.float64], NDArray[np.float64]] = poses_of(self._model, self.q)
        return poses

    def energy(self) -> Energy:
        """Kinetic and potential energy now."""
        return energy(self._model, self.q, self.v)  # type: ignore[return-value]  # without what forces store

    # ------------------------------------------------------------------ time

    @property
    def integrator(self) -> Integrator:
        """How it is advanced; assigning another takes effect from now on. None has been given: ContactStepping while bodies touch, else RungeKutta4."""
        return self._integrator if self._integrator is not None else default_integrator(self._model)

    @integrator.setter
    def integrator(self, integrator: Integrator) -> None:
        need_integrator(integrator)
        before, self._integrator = self._integrator, integrator
        try:
            self._begin_again()
        except LinkworkError:
            self._integrator = before
            raise
        self._say(f"live.integrator = {call_text('lw', type(integrator).__name__, (), integrator_table(integrator, kind=False))}")

    @property
    def controllers(self) -> Any:
        """Functions made controllers by @lw.controller; assigning others takes effect from now on."""
        return self._controllers

    @controllers.setter
    def controllers(self, controllers: Any) -> Any:
        before = self._controllers
        self._controllers = tuple(controllers) if isinstance(controllers, (list, tuple)) else (controllers,)
        try:
            self._begin_again()
        except Exception:
            self._controllers = before
            raise

    def _begin_again(self) -> None:
        """Go on from here with other settings, the pull still holding what it held."""
        grip = self._let_go()
        try:
            self._begin(self.moment)
        finally:
            self._grip_again(grip)

    def advance(self, duration: float = FRAME, time_budget: float | None = None) -> Status:
        """Let time run for some seconds, with one frame at the end. A step that fails leaves the last valid state; `live.status` has the reason.

        time_budget: s of real time after which it ends, however far it came; see `live.time`.
        """
        duration = float(need("number", "duration", duration))
        if duration < 0.0:
            raise StateError(f"duration: found {duration:g} s; allowed is a number from 0 on; rewind(t) goes back", "duration")
        before = self.time
        with interrupts_wait(), self._simulation.whole():
            if self._hard is not None:
                self.status = self._advance_held(duration, time_budget)
            else:
                if time_budget is not None:
                    duration = reached_in_budget(self._simulation, duration, time_budget)
                self.status = self._simulation.advance(duration)
            self._after_motion(before)
        return self.status

    def step(self, n: int = 1) -> Status:
        """Take n steps of the integrator."""
        before = self.time
        with interrupts_wait():
            self.status = self._simulation.take_steps(n) if self._hard is None else self._step_held(need("whole", "n", n))
            self._after_motion(before)
        return self.status

    def _after_motion(self, before: float) -> None:
        self._script.passed(self.time - before)
        if len(self._simulation._samples.recorder) >= PAGE:
            self._turn_page()
        self.watched.take_sample(self)

    # ------------------------------------------------------------------ edits

    @contextlib.contextmanager
    def edit(self, words: str | None = None, *, together: str | None = None) -> Iterator[Editing]:
        """Several edits as one: `with live.edit("a wheel") as m: m.add_body(...); m.add_joint(...)`. m has the methods of a Mechanism.

        together: edits with the same key that follow each other within a second are one for undo, as those of a slider; without a limit of
        time if the key is a tuple that begins with "gesture".
        """
        yield (editing := Editing(self.mechanism, self.moment.bodies()))
        editing.check_alone(self.mechanism)
        self._commit(editing, words, together)

    def _commit(self, editing: Editing, words: str | None, together: str | None = None) -> None:
        started = clock.perf_counter()
        before = self._version()
        touched = touched_bodies(self.mechanism, editing.mechanism, editing.renamed) | set(editing.placed)
        touched |= {body for joint in editing.joints for body in hanging_together(editing.mechanism, joint)}
        model = retuned(self._model, self.mechanism, editing.mechanism) if not touched and not editing.renamed else None
        if model is not None:  # forces alone: nothing moves, nothing is built
            grip = self._let_go()
            self._begin(self.moment._replace(model=model), editing.mechanism)
            self._done(editing, words, before, None, started, together)
            self._grip_again(grip)
            return
        model = editing.mechanism.build()
        transferred = transfer_state(self.moment, model, touched, editing.renamed, editing.placed, editing.joints)
        apart = separated(transferred.moment, before.moment)
        grip = self._let_go()
        self._begin(apart.moment, editing.mechanism)
        self._done(editing, words, before, transferred, started, together, apart)
        self._grip_again(grip)

    # parameters: what is known of an edit when it takes effect
    def _done(
        self,
        editing: Editing,
        words: str | None,
        before: Version,
        transferred: Transferred | None,
        started: float,
        together: str | None,
        apart: Separation | None = None,
    ) -> None:
        for new, old in editing.renamed.items():
            if old in self._called:
                self._called[new] = self._called.pop(old)
        there = {part.name for part in self.mechanism._registry.everything()}
        self._called = {name: old for name, old in self._called.items() if name in there}
        seconds = clock.perf_counter() - started
        moved, turned, lost, fell = (0.0,) * 4 if transferred is None else transferred[1:]
        python = editing.python()
        edit = Edit(words or _words(editing), python, self.time, moved, turned, lost, fell, seconds)
        if apart is not None and apart.words:
            edit = replace(edit, apart=apart.words, moved=max(moved, apart.moved))
        self._record_edit(edit, before, editing.renamed, together)
        self._remember_start()
        bodies = self.moment.bodies() if editing.placed else {}
        was = {body.name for body in before.moment.model.bodies}
        for name in editing.placed:
            if name not in self._start_bodies or editing.renamed.get(name, name) not in was:
                self._start_bodies[name] = bodies[name]
        for new, old in editing.renamed.items():
            if old in self._start_bodies:
                self._start_bodies[new] = self._start_bodies.pop(old)

    def _remember_start(self) -> None:
        """What is changed before time has run is how it starts."""
        if self.time == self._start.t:
            self._start, self._start_bodies = self.moment, self.moment.bodies()

    def _record_edit(self, edit: Edit, before: Version, renamed: dict[str, str], together: str | tuple[str, str] | None = None) -> None:
        self._audit.add(edit)
        self._history.add(edit, before, self._version(), renamed, together)
        self._say(edit.python)

    def _version(self) -> Version:
        return Version(self._design, self.moment, dict(self._called))

    def _simulation_from(self, moment: Moment, mechanism: Mechanism) -> Simulation:
        """A simulation of a mechanism that goes on from a moment, with the settings of now."""
        made = Simulation(
            moment.model,
            self._integrator,  # None: the default of the model, which edits may let touch
            q=moment.q,
            v=moment.v,
            t=moment.t,
            controllers=self._controllers,
            record=RECORD,
            record_interval=FRAME,
            forces=[pull_force.idle(pull_force.name_of(mechanism))],
            **self._options,
        )
        made.system.memory = moment.memory
        return made

    def _begin(self, moment: Moment, mechanism: Mechanism | None = None, design: Design | None = None) -> None:
        """Go on from a state with a simulation of its own; nothing of the old one is lost before the new one stands. design: of the mechanism."""
        new = self._simulation_from(moment, mechanism or self.mechanism)
        if hasattr(self, "_simulation"):
            self._turn_page()
            self._audit.close(self._simulation)
            self.status = Status("stopped", time=moment.t)
        if mechanism is not None and not same_parts(mechanism, self.mechanism):
            self._parts = object()
        self._simulation, self._model, self._run = new, moment.model, object()
        if mechanism is not None:
            self.mechanism, self._design = mechanism, design or Design(mechanism, moment.model, self._design)
        new._begin()
        self.watched.renew(self)

    @property
    def last_edit(self) -> Edit | None:
        return next(reversed(self._audit.edits), None)

    @property
    def edits(self) -> list[Edit]:
        """All edits that are in effect, in the order they were made."""
        return [entry.edit for entry in self._history.done]

    # ------------------------------------------------------------------ keeping

    @property
    def document(self) -> Document:
        """The mechanism in its present state as a Document, with the comments of the file it came from."""
        return self.snapshot().document

    def snapshot(self) -> Snapshot:
        """The mechanism in its present state, for another thread to write out: `live.snapshot().document.text`."""
        snapshot: Snapshot = snapshot_of(self)
        return snapshot

    def save(self, path: str | PathLike[str]) -> None:
        """Write the mechanism with its present state to a TOML file. Comments of the file it came from are kept."""
        document = self.document
        document.save(path)
        if self._text is not None and self._text.path == document.path:
            self._on_disk = document._on_disk

    @classmethod
    def open(cls, path: str | PathLike[str], **options: Any) -> Live:
        """Live from a file: see Live and lw.Document."""
        return cls(Document.open(path), **current_names("Live.open", options))

    @property
    def python(self) -> str:
        """All that was done, as a script."""
        text: str = self._script.text(first_lines(*self._began))
        return text

    def last_lines(self, count: int = 40) -> list[str]:
        """The last lines of that script; quick, since how it began is not written out."""
        return self._script.lines[-count:]

    def _say(self, line: str) -> None:
        self._script.say(line)

    def __repr__(self) -> str:
        return f"<live {self.mechanism!r} at t = {self.time:g} s>"


def _single(method: str) -> Callable[..., Any]:
    """A transaction of one edit."""

    def edit(self: Live, *args: Any, together: str | None = None, **kwargs: Any) -> Any:
        with self.edit(together=together) as m:
            done = getattr(m, method)(*args, **kwargs)
        return done

    edit.__name__ = method
    edit.__doc__ = f"As `Mechanism.{method}`, at once. Raises a LinkworkError if it cannot be, and then nothing has changed."
    return edit


for _method in ("add_body", "add_joint", "add_constraint", "add_force", "add_frame", "change", "rename", "remove", "copy", "merge"):
    setattr(Live, _method, _single(_method))
for _method in ("add_floor", "touch", "ignore", "forget_touch", "change_contact", "change_surface"):
    setattr(Live, _method, _single(_method))
Live.reroot, Live.change_gravity, Live.rename_mechanism = (_single(name) for name in ("reroot", "change_gravity", "rename_mechanism"))  # type: ignore[attr-defined]


def _words(editing: Editing) -> str:
    """An edit in a few words."""
    said = []
    for method, args, kwargs in editing.lines:
        what = method.replace("_", " ")
        name = getattr(args[0], "name", args[0]) if args else ""
        fields = f" ({', '.join(key for key in kwargs if key != 'dependents')})" if method == "change" else ""
        said.append(f"{what} {name!r}{fields}" if isinstance(name, str) else what)
    return ", ".join(said[:3]) + (f" and {len(said) - 3} more" if len(said) > 3 else "") or "nothing"
