"""A batch: one node of the page that draws one mesh many times. Only arrays that changed are sent, each in one message.

A node is made once for a mesh and kept: with nothing to draw it is hidden, so that its triangles never travel twice.

viser keeps an outline for what the pointer is over: the mesh itself, unseen at the origin until then, which catches pointers all the same. So meshes
are sent tiny and instances are scaled up.
"""

import numpy as np

# Camera gestures keep the combinations with alt: alt and the left button turn the view even over a body.
CLICKS = (None, "shift", "cmd/ctrl", "cmd/ctrl+shift", "alt")
TINY = 1e-3
DRAGS = (None, "shift", "cmd/ctrl", "cmd/ctrl+shift")


class Batch:
    """Instances of a mesh. `parts`: whose each instance is; `rows`: (position, wxyz, scale) of each as last sent."""

    def __init__(self, api, path, mesh, *, click=None, drag=None, outline=False, shadow=True):
        self._api, self._path, self._mesh, self._outline, self._shadow = api, path, mesh, outline, shadow
        self._click, self._drag = click, drag
        self._handle = None
        self.key: tuple = ()
        self._shown, self._stale, self.count = True, False, 0
        self.mesh = mesh
        self.parts: list[str] = []
        self.positions = np.zeros((0, 3))
        self.wxyzs = np.zeros((0, 4))
        self.scales = np.zeros((0, 3))

    def fill(self, positions, wxyzs, scales, colors, parts):
        """All of it anew."""
        self.count, self.parts = len(positions), parts
        self.positions, self.wxyzs, self.scales = positions, wxyzs, scales
        if not self.count:
            self._sync()
            return
        if self._handle is None:
            self._make(positions, wxyzs, scales, colors)
            return
        handle = self._handle
        handle.batched_positions, handle.batched_wxyzs = positions, wxyzs
        handle.batched_scales, handle.batched_colors = scales / TINY, colors
        self._sync()

    def move(self, positions, wxyzs, scales=None, colors=None):
        """The same instances elsewhere."""
        handle = self._handle
        if handle is None or not self.count:
            return
        self.positions, self.wxyzs = positions, wxyzs
        self.scales = self.scales if scales is None else scales
        self._stale = not self._shown
        if self._shown:
            handle.batched_positions, handle.batched_wxyzs = positions, wxyzs
            if scales is not None:
                handle.batched_scales = scales / TINY
        if colors is not None:
            handle.batched_colors = colors

    def paint(self, colors):
        """The same instances in other colours."""
        if self._handle is not None and self.count:
            self._handle.batched_colors = colors

    def show(self, on):
        self._shown = on
        if on and self._stale:
            self.move(self.positions, self.wxyzs, self.scales)
        self._sync()

    def remove(self):
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def _sync(self):
        if self._handle is not None:
            self._handle.visible = self._shown and self.count > 0

    def _make(self, positions, wxyzs, scales, colors):
        self._handle = handle = self._api.add_batched_meshes_simple(
            self._path,
            self._mesh.vertices * TINY,
            self._mesh.faces,
            wxyzs,
            positions,
            batched_scales=scales / TINY,
            batched_colors=colors,
            lod="off",
            side="back" if self._outline else "front",
            cast_shadow=self._shadow and not self._outline,
            receive_shadow=False,  # shadows of parts on parts are ragged; the floor shows them well
            visible=self._shown,
        )
        if self._click is not None:
            for modifier in CLICKS:
                handle.on_click(_bound(self._click, self), modifier=modifier)
        if self._drag is not None:
            for modifier in DRAGS:
                handle.on_drag("left", modifier=modifier)(_bound(self._drag, self))


def _bound(function, batch):
    # A coroutine: viser runs those in the order in which the events came.
    async def call(event):
        function(batch, event)

    return call
