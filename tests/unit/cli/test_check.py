"""`linkwork check`: every examination, marks, exit codes."""

import pytest

import linkwork as lw

TOPICS = ["file", "parts", "inertias", "reach", "assembly", "limits", "mobility", "solvers"]


def marks(done):
    return {finding["topic"]: finding["mark"] for finding in done.data["findings"]}


def test_a_tree_is_ready(call, pendulum):
    done = call("check", pendulum)
    assert done.code == 0
    assert [line[5:17].strip() for line in done.out.splitlines() if line.startswith("ok ")] == TOPICS
    assert "1 degree of freedom here" in done.out
    assert done.out.rstrip().endswith("ready to run")


def test_a_closed_mechanism_is_examined_by_all_solvers(call):
    done = call("check", "four-bar", "--json")
    assert done.code == 0
    found = {finding["topic"]: finding for finding in done.data["findings"]}
    assert set(marks(done).values()) == {"ok"}
    assert found["mobility"]["dof"] == 1
    assert found["mobility"]["redundant"] == 3  # a planar loop in space
    assert 0.0 <= found["solvers"]["worst"] < 1e-10
    assert set(found["solvers"]["ranks"].values()) == {3}  # in the plane a loop needs three rows
    assert found["assembly"]["moved"] < 1e-9


def test_a_linkage_that_cannot_close_fails_with_its_gap(call, tmp_path):
    doc = lw.shipped("four-bar")
    assert doc.mechanism.joint("D").parent.part == "ground"
    doc.mechanism.change("D", parent=doc.mechanism.ground.at(50.0, 0, 0))  # the rocker's pivot, moved out of reach
    lw.write(doc.mechanism, tmp_path / "wide.toml")
    done = call("check", tmp_path / "wide.toml", "--json")
    assert done.code == 1
    assert done.data["ok"] is False
    assert marks(done)["assembly"] == "fail"
    assert done.data["findings"][-1]["largest_gap"] > 1.0
    assert call("run", tmp_path / "wide.toml").code == 1


def test_faults_and_impossible_inertias_fail(call, pendulum):
    pendulum.write_text(
        pendulum.read_text().replace("[0.2, 0.2, 0.01]", "[0.2, 0.01, 0.01]").replace('parent = "ground"', 'parent = "grund"')
    )
    done = call("check", pendulum, "--json")
    assert done.code == 1
    assert (marks(done)["parts"], marks(done)["inertias"]) == ("fail", "fail")
    assert "assembly" not in marks(done)
    text = call("check", pendulum).out
    assert "FAIL inertias" in text
    assert "2 of the examinations failed" in text


def test_a_body_that_hangs_on_nothing_is_a_warning(call, pendulum):
    pendulum.write_text(pendulum.read_text() + "\n[body.spare]\nmass = 1\ninertia = [1, 1, 1]\n")
    done = call("check", pendulum, "--json")
    assert done.code == 0
    assert marks(done)["reach"] == "warn"
    assert done.data["findings"][3]["floating"] == ["spare"]


def test_a_body_that_falls_through_the_floor_is_a_warning(call, tmp_path):
    m = lw.Mechanism("stone")
    m.add_floor()
    m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.warns(lw.ContactWarning):
        lw.write(m, tmp_path / "stone.toml")
        m.build()
    found = marks(call("check", tmp_path / "stone.toml", "--json"))
    assert found["contact"] == "warn"
    m.change("stone", shape=lw.Sphere(0.1))
    lw.write(m, tmp_path / "stone.toml")
    assert marks(call("check", tmp_path / "stone.toml", "--json"))["contact"] == "ok"


def test_a_start_beyond_a_limit_and_a_strange_integrator_are_found(call, pendulum):
    text = pendulum.read_text().replace("damping = 0.1", "lower = -0.2\nupper = 0.2")
    pendulum.write_text(text + 'integrator = { kind = "runge-kuta" }\n')
    done = call("check", pendulum, "--json")
    assert marks(done)["limits"] == "warn"
    assert marks(done)["integrator"] == "fail"
    assert done.code == 1


@pytest.mark.parametrize(("setting", "code"), [("pin.q=0.1", 0), ("pin.q=a", 2)])
def test_settings_are_made_first(call, pendulum, setting, code):
    assert call("check", pendulum, "--set", setting).code == code


def test_what_a_urdf_leaves_out_is_a_warning(call, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>'
    )
    done = call("check", path, "--json")
    assert marks(done)["file"] == "warn"  # a revolute joint without <limit>
