"""All public names, in one place. `linkwork/__init__.py` hands each of them out when it is asked for, and loads what it needs then."""

from typing import TYPE_CHECKING

from . import parts
from .lazy import lazily

if TYPE_CHECKING:
    from .analysis.assembly import assemble, project_velocity
    from .analysis.bodies_state import BodiesState, Miss, state_from_bodies
    from .analysis.contact_forces import ContactForce, ContactForces, PairForce, contact_forces
    from .analysis.contacts import Contact, Contacts, contacts
    from .analysis.cross_check import CrossCheck, cross_check
    from .analysis.inverse_kinematics import Reached, Target, inverse_kinematics
    from .analysis.mobility import Mobility, mobility
    from .analysis.reactions import Reaction, Reactions, reactions
    from .analysis.statics import Equilibrium, equilibrium
    from .constraints.jacobian import constraint_jacobian
    from .data.lending import Data
    from .draw.animate import animate
    from .draw.camera import Camera
    from .draw.picture import Picture
    from .draw.show import draw
    from .dynamics.applied_forces import AppliedForces, ExertedForce, applied_forces
    from .dynamics.center_of_mass import center_of_mass
    from .dynamics.configuration import clamp, difference, integrate, neutral, random_configuration, within_limits
    from .dynamics.energy import Energy, StoredEnergy, energy
    from .dynamics.factor import MassFactor, factor_mass_matrix, solve_mass_matrix
    from .dynamics.hybrid import hybrid_dynamics
    from .dynamics.inverse import bias_force, gravity_force, inverse_dynamics, mass_matrix_times
    from .dynamics.inverse_mass import inverse_mass_matrix
    from .dynamics.jacobian import jacobian, jacobian_rate_times_v
    from .dynamics.kinematics import Kinematics, forward_kinematics
    from .dynamics.mass_matrix import mass_matrix
    from .dynamics.momentum import Momentum, centroidal_momentum_matrix, momentum
    from .errors import (
        ArgumentError,
        AssemblyError,
        ConstraintWarning,
        ContactWarning,
        DependentError,
        FailedRunWarning,
        FormatError,
        InterpretedWarning,
        LimitWarning,
        LinkworkError,
        MissingArgumentError,
        ModelError,
        OverlapWarning,
        PictureWarning,
        SingularPoseWarning,
        SolverError,
        StateError,
        StudioError,
        UnknownNameError,
    )
    from .formats.document import Document
    from .formats.named_integrators import integrator, named_integrators
    from .formats.native import from_toml, to_toml, write
    from .formats.native_setup import Setup
    from .formats.read import read
    from .formats.shipped import shipped
    from .integrators.adams.method import Adams
    from .integrators.energy_momentum.method import EnergyMomentum
    from .integrators.implicit.method import Implicit
    from .integrators.integrator import Integrator
    from .integrators.nonsmooth.method import ContactStepping
    from .integrators.runge_kutta.adaptive import Adaptive
    from .integrators.runge_kutta.classical import RungeKutta4
    from .integrators.semi_implicit import SemiImplicitEuler
    from .integrators.variational.method import Variational
    from .live.edit import Edit
    from .live.edit_audit import LiveAudit
    from .live.live import Live
    from .live.player import Player
    from .model import Model, State
    from .parts import *  # noqa: F403
    from .simulation.audit import Audit
    from .simulation.event_kinds import (
        at_time,
        crosses_plane,
        distance_reaches,
        joint_reaches,
        parts_from,
        slips,
        speed_reaches,
        speed_zero,
        sticks,
        touches,
    )
    from .simulation.events import Event, EventWatch, Occurrence
    from .simulation.recording import Recording
    from .simulation.rollout import Rollout, rollout
    from .simulation.simulate import Simulation, simulate
    from .simulation.status import Status
    from .solvers.forward_dynamics import forward_dynamics
    from .solvers.impulse_response import impulse_response, inverse_inertia
    from .spatial.pose import Pose
    from .spatial.rigid_inertia import Inertia
    from .spatial.twist import Force, Motion

load, listed, names = lazily(
    __package__,
    {
        "analysis.assembly": "assemble project_velocity",
        "analysis.bodies_state": "BodiesState Miss state_from_bodies",
        "analysis.contact_forces": "ContactForce ContactForces PairForce contact_forces",
        "analysis.contacts": "Contact Contacts contacts",
        "analysis.cross_check": "CrossCheck cross_check",
        "analysis.inverse_kinematics": "Reached Target inverse_kinematics",
        "analysis.mobility": "Mobility mobility",
        "analysis.reactions": "Reaction Reactions reactions",
        "analysis.statics": "Equilibrium equilibrium",
        "draw.animate": "animate",
        "draw.camera": "Camera",
        "draw.picture": "Picture",
        "draw.show": "draw",
        "dynamics.applied_forces": "AppliedForces ExertedForce applied_forces",
        "data.lending": "Data",
        "dynamics.configuration": "clamp difference integrate neutral random_configuration within_limits",
        "dynamics.center_of_mass": "center_of_mass",
        "dynamics.energy": "Energy StoredEnergy energy",
        "dynamics.factor": "MassFactor factor_mass_matrix solve_mass_matrix",
        "dynamics.hybrid": "hybrid_dynamics",
        "dynamics.inverse": "bias_force gravity_force inverse_dynamics mass_matrix_times",
        "dynamics.inverse_mass": "inverse_mass_matrix",
        "dynamics.jacobian": "jacobian jacobian_rate_times_v",
        "dynamics.kinematics": "Kinematics forward_kinematics",
        "dynamics.mass_matrix": "mass_matrix",
        "dynamics.momentum": "Momentum centroidal_momentum_matrix momentum",
        "errors": "ArgumentError AssemblyError ConstraintWarning ContactWarning DependentError FailedRunWarning FormatError InterpretedWarning LimitWarning "
        "LinkworkError MissingArgumentError ModelError OverlapWarning PictureWarning SingularPoseWarning SolverError StateError StudioError UnknownNameError",
        "formats.document": "Document",
        "formats.named_integrators": "integrator named_integrators",
        "formats.native": "from_toml to_toml write",
        "formats.native_setup": "Setup",
        "formats.read": "read",
        "formats.shipped": "shipped",
        "integrators.adams.method": "Adams",
        "integrators.runge_kutta.adaptive": "Adaptive",
        "integrators.energy_momentum.method": "EnergyMomentum",
        "integrators.implicit.method": "Implicit",
        "integrators.integrator": "Integrator",
        "integrators.runge_kutta.classical": "RungeKutta4",
        "integrators.nonsmooth.method": "ContactStepping",
        "integrators.semi_implicit": "SemiImplicitEuler",
        "integrators.variational.method": "Variational",
        "live.edit_audit": "LiveAudit",
        "live.edit": "Edit",
        "live.live": "Live",
        "live.player": "Player",
        "model": "Model State",
        "simulation.audit": "Audit",
        "simulation.event_kinds": "at_time crosses_plane distance_reaches joint_reaches parts_from slips speed_reaches speed_zero sticks touches",
        "simulation.events": "Event EventWatch Occurrence",
        "simulation.recording": "Recording",
        "simulation.rollout": "Rollout rollout",
        "simulation.simulate": "Simulation simulate",
        "simulation.status": "Status",
        "solvers.forward_dynamics": "forward_dynamics",
        "solvers.impulse_response": "impulse_response inverse_inertia",
        "constraints.jacobian": "constraint_jacobian",
        "spatial.pose": "Pose",
        "spatial.rigid_inertia": "Inertia",
        "spatial.twist": "Force Motion",
        "parts": " ".join(parts.__all__),
    },
)
