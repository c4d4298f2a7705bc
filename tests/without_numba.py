"""A tree, a loop, a live mechanism and a studio, computed in a process in which Numba cannot be imported.

    python tests/without_numba.py [tree | matrix | loop | live | studio ...]      all of them without arguments

Prints a line of JSON: a hash of the bits of all results for each of them, and where the package was found. Needs nothing of the test suite: it is run
in a checkout and in an installed wheel alike. LINKWORK_TEST_NUMBA=1 lets Numba in, to compare results.
"""

import hashlib
import json
import os
import sys
import tempfile

import numpy as np


class NoNumba:
    """A finder that refuses Numba."""

    def find_spec(self, name, path=None, target=None):
        if name == "numba" or name.startswith("numba."):
            raise ImportError("Numba is not to be imported here")


def tree():
    import linkwork as lw

    m = lw.Mechanism("limb")
    links = [m.add_body(f"link {k}", shape=lw.Box(0.3, 0.03, 0.05), density=1000.0) for k in range(4)]
    kinds = (lw.Free(), lw.Spherical(), lw.Revolute((0, 1, 0)), lw.Prismatic((1, 0, 0)))
    for k, kind in enumerate(kinds):
        m.add_joint(f"joint {k}", kind, links[k - 1].at(0.15, 0, 0) if k else m.ground, links[k].at(-0.15, 0, 0))
    model = m.build()
    random = np.random.default_rng(3)
    results = []
    for shape in ((), (11,)):
        q = lw.random_configuration(model, 5, shape or None)
        v, tau = (random.uniform(-0.5, 0.5, (*shape, model.nv)) for _ in range(2))
        results += [lw.forward_dynamics(model, q, v, tau), lw.inverse_dynamics(model, q, v, tau), lw.mass_matrix(model, q)]
        results += [lw.jacobian(model, q, "link 3"), lw.forward_kinematics(model, q, v).velocity("link 3", axes="world")]
    return results


def matrix():
    """Less than a tree, for what must be compiled anew."""
    import linkwork as lw

    m = lw.Mechanism("finger")
    links = [m.add_body(f"link {k}", shape=lw.Box(0.3, 0.03, 0.05), density=1000.0) for k in range(3)]
    for k in range(3):
        m.add_joint(f"joint {k}", lw.Revolute((0, 1, 0)), links[k - 1].at(0.15, 0, 0) if k else m.ground, links[k].at(-0.15, 0, 0))
    model = m.build()
    return [lw.mass_matrix(model, lw.random_configuration(model, 5, size)) for size in (None, 11)]


def loop():
    import linkwork as lw

    document = lw.shipped("four-bar")
    model = document.mechanism.build()
    options = document.setup.options(model)
    q = lw.assemble(model, options["q"])
    results = [q, lw.forward_dynamics(model, q, options["v"]), str(lw.mobility(model, q)), str(lw.reactions(model, q, options["v"]))]
    for name in ("runge-kutta-4", "semi-implicit-euler", "adaptive", "adams", "implicit", "variational"):
        run = lw.simulate(model, 0.1, **{**options, "integrator": lw.integrator(name)})
        assert run.status == "finished", (name, run.status)
        results += [run.q, run.v]
    return results


def live():
    import linkwork as lw

    live = lw.Live(lw.shipped("four-bar"))
    live.advance(0.1)
    live.pull("coupler", (0.1, 0, 0), (0.5, 0, 0.5))
    live.advance(0.1)
    live.release()
    live.add_body("weight", shape=lw.Sphere(0.03), mass=0.5, pose=live.poses()["coupler"])
    live.add_joint("glue", lw.Weld(), "coupler", "weight")
    live.advance(0.1)
    results = [live.q, live.v]
    live.undo()
    return [*results, live.q, live.v]


def studio():
    import linkwork as lw
    from linkwork.studio.studio import Studio

    with tempfile.TemporaryDirectory() as folder, Studio(folder=folder, port=0) as studio:
        studio.act(lambda live: live.add_body("rod", shape=lw.Box(0.4, 0.03, 0.03), density=2700.0, pose=(0.0, 0.0, 0.3)))
        studio.act(lambda live: live.add_joint("pivot", lw.Revolute((0, 1, 0)), "ground", lw.Place("rod", lw.Pose((-0.2, 0, 0)))))
        studio.player.ask(lambda live: live.advance(0.1))
        poses = studio.player.ask(lambda live: live.poses())
        assert studio.player.faults == []
        return [str(poses["rod"])]


def digest(results):
    total = hashlib.sha256()
    for result in results:
        if isinstance(result, str):
            total.update(result.encode())
            continue
        for array in result if isinstance(result, tuple) else (result,):
            array = np.ascontiguousarray(array)
            assert np.isfinite(array).all()
            total.update(array.tobytes())
    return total.hexdigest()


def main(names):
    if os.environ.get("LINKWORK_TEST_NUMBA") != "1":
        sys.meta_path.insert(0, NoNumba())
    found = {name: digest(globals()[name]()) for name in names or ("tree", "matrix", "loop", "live", "studio")}
    import linkwork

    assert os.environ.get("LINKWORK_TEST_NUMBA") == "1" or "numba" not in sys.modules
    print(json.dumps({"found": found, "package": os.path.dirname(linkwork.__file__), "numba": "numba" in sys.modules}))


if __name__ == "__main__":
    main(sys.argv[1:])
