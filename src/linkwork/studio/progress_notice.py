"""What takes long is said: the first motion of a new kind of mechanism compiles kernels, and nothing else happens meanwhile."""

import threading

LONG = 1.5  # s without a frame
WORDS = "Working. When a mechanism moves in a new way for the first time, its kernels are compiled: some seconds, once. 'linkwork kernels build' builds all."


class Patience:
    """Looks at the frames of a player from a thread of its own, and tells if none comes for a while."""

    def __init__(self, studio, long=LONG):
        self._studio, self._long = studio, long
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="linkwork patience", daemon=True)
        self._thread.start()

    def _watch(self):
        seen, told = -1, False
        while not self._ended.wait(self._long):
            frames = self._studio.player.frames
            if frames == seen and not told:
                told = True
                self._studio.tell(WORDS)
            elif frames != seen and told:
                told = False
                if self._studio.message[0] == WORDS:
                    self._studio.tell("")
            seen = frames

    def close(self):
        self._ended.set()
        self._thread.join(5.0)
