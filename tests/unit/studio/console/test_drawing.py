"""Back-ends of draw: poses as lines, in a file, on a page, nowhere."""

import numpy as np


def frames(lines):
    """[(number, time, {name: seven numbers})] of lines of poses."""
    found = []
    for line in lines:
        words = line.split()
        if words[0] == "frame":
            found.append((int(words[1]), float(words[2]), {}, int(words[3])))
        elif words[0] == "pose":
            found[-1][2][words[1]] = [float(word) for word in words[2:]]
    assert all(len(poses) == count for _, _, poses, count in found)
    return [entry[:3] for entry in found]


def test_bolio_gives_every_pose_back_to_the_bit(talk):
    talk.say("ib a\nib b\nsb a -vl .1 .2 .3 -vr 1 2 3\ndraw bolio")
    seen = frames(talk.say("step 3"))
    assert [number for number, _, _ in seen] == [1, 2, 3]
    assert seen[-1][1] == talk.live.time
    for name, pose in talk.live.poses().items():
        assert seen[-1][2][name] == [*pose.translation, *pose.quaternion]
    assert seen[0][2]["a"] != seen[1][2]["a"]


def test_corpus_writes_every_nth_frame_to_a_file(talk, tmp_path):
    talk.say("ib a\nsb a -vl 1 0 0\nsstepsize .5\ndraw corpus film 2")
    assert talk.say("step 5") == ["time 2.5"]
    talk.say("draw null\nstep 1")
    lines = (tmp_path / "film").read_text().splitlines()
    assert lines[0] == "; linkwork poses 1"
    seen = frames(lines[1:])
    assert [(number, time) for number, time, _ in seen] == [(1, 0.5), (3, 1.5), (5, 2.5)]
    assert np.allclose([poses["a"][0] for _, _, poses in seen], [0.5, 1.5, 2.5])


def test_only_a_file_of_poses_is_written_over(talk, tmp_path):
    (tmp_path / "letter").write_text("dear reader")
    assert "holds something else" in talk.refused("draw corpus letter 1")
    talk.say("draw corpus film 1\ndraw file film 1\ndraw")
    assert "leads out of the folder" in talk.refused("draw corpus ../film 1")
    assert "leads out of the folder" in talk.refused("draw corpus /tmp/film 1")
    assert "n is 0" in talk.refused("draw corpus other 0")
    assert "corpus takes a file" in talk.refused("draw corpus")
    assert "corpus takes a file" in talk.refused("draw null film 1")
    assert talk.say("draw") == ["draw corpus"], "a refused draw changes nothing"


def test_a_page_that_was_plugged_in_is_told_of_each_frame(talk):
    class Page:
        times = []

        def frame(self, live):
            self.times.append(live.time)

    talk.console.page = Page()
    talk.say("ib a\nsstepsize .5\ndraw bolio\nstep 2")
    talk.say("draw page\nstep 1\ndraw null\nstep 1")
    assert Page.times == [0.5, 1.0, 1.5]
