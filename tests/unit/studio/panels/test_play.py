"""Time on the page: what is offered when it stands still."""

import linkwork as lw
from linkwork.studio.panels.play import PlayPanel

from ....waiting import answer, wait_for


def stiff():
    live = lw.Live()
    live.add_body("anvil", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(0, 0, 1))
    live.add_body("speck", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), pose=(0, 0, 0.5), twist=(0, 0, 0, 0, 0, 1))
    live.add_force("damper", lw.SpringDamper(stiffness=10.0, damping=5.0, length=0.5), "anvil", "speck")
    return live


def test_a_light_body_on_a_stiff_damper_fails_and_the_offer_lets_time_run(studio, panel):
    """1 ms is too long for 5 N s/m on a gram: the offer appears, and taking it runs on."""
    answer(studio.open(stiff))
    play = panel(PlayPanel)
    assert not play.remedy.visible
    play.toggle()
    wait_for(lambda: play.remedy.visible)
    live, player = studio.player.live, studio.player
    assert not player.playing and live.status == "failed"
    assert (
        "the steps are too large for force 'damper'" in studio.message[0]
        and studio.message[1]
        and "sound up to 0.000 s" in play.why.content
    )
    assert play.remedy.options == ("Steps of 0.00025 s", "Implicit method")
    assert play.take("something else") is None
    answer(play.take("Steps of 0.00025 s"))
    wait_for(lambda: live.time > 0.5)
    assert live.status.ok and player.playing
    player.pause()
    player.ask(lambda live: None)
    wait_for(lambda: not play.remedy.visible and not play.why.visible)
    assert live.integrator == lw.RungeKutta4(step=0.00025)
