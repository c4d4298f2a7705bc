"""Pulling with the pointer: a spring, or a firm hand with shift, while time runs; inverse kinematics while it stands still."""

import linkwork as lw

from .latest_wins import LatestWins
from .scene import Arrow

FIRM = {"shift", "ctrl"}  # modifiers of a hard pull


class Pulling:
    """One hand on the mechanism: who drags first holds it until the end of the drag, or until they leave."""

    def __init__(self, studio):
        self.studio = studio
        self.holder = None  # the client that pulls
        self._gesture = 0  # number of the drag
        self._latest = LatestWins(studio.player.do)
        self._faulty = False
        studio.scene.on_drag(self._start, self._move, self._end)
        studio.server.on_client_disconnect(self._left)

    # ---- from the page

    def _start(self, drag):
        if self.holder is None:
            self.holder, self._faulty, self._gesture = drag.client.client_id, False, self._gesture + 1
            self._move(drag)
        elif self.holder != drag.client.client_id:
            self.studio.tell("someone else is pulling at it; wait until they let go", client=drag.client)

    def _move(self, drag):
        if self.holder == drag.client.client_id:
            self._latest(self._pulled, drag)

    def _end(self, drag):
        if self.holder == drag.client.client_id:
            self._let_go()

    def _left(self, client):
        if self.holder == client.client_id:
            self._let_go()

    def _let_go(self):
        self.holder = None
        self._latest.forget()
        self.studio.player.do(self._released)

    # ---- in the physics thread

    def _pulled(self, live, drag):
        if self.holder is None or self._faulty:
            return
        if self.studio.showing.glimpse is not None:
            self._refuse("this is the past; go on from here, or back to now, before you pull", drag)
            return
        try:
            if self.studio.player.playing:
                live.pull(drag.body, drag.point, drag.target, hard=bool(drag.modifiers & FIRM))
            else:
                live.release()
                self.studio.apply(live, self._posed, drag)
        except lw.UnknownNameError:  # what was dragged has been removed: there is nothing to pull at
            self._faulty = True
        except lw.LinkworkError as error:
            self._refuse(str(error), drag)

    def _posed(self, live, drag):
        live.pose_to(drag.body, drag.point, drag.target, together=("gesture", self._gesture))

    def _refuse(self, text, drag):
        """Say it once in a drag."""
        self._faulty = True
        self.studio.tell(text, error=True, client=drag.client)

    def _released(self, live):
        if self.holder is None:
            live.release()

    def frame(self, live):
        """The arrow of the force, with its value."""
        grip = live.pulling
        if grip is None:
            self.studio.showing.arrows("hand", {})
        else:
            self.studio.showing.arrows("hand", {"pull": Arrow(grip.at, grip.force, kind="pull")})
