"""Parts from a palette: bodies that are placed, and connections between places that are pointed at."""

from .. import fields
from ..connecting import AXIS_CHOICES, connect
from ..fields import text_of
from ..page_text import paragraph
from ..palette_bodies import STOCK, NewBody, place_body, stock
from ..pick_steps import Marks, Picking
from ..spots import Spot, grid_step, spot_of, world_of
from ..tools import AS_IT_IS, TOOLS, tool
from .panel import Panel


class BuildPanel(Panel):
    """Place a body; connect two places by anything; a round of picking is shown in words and can be cancelled."""

    tab = "Build"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self.picking: Picking | None = None
        self._options: dict = {}
        self._marks = Marks(studio.server)
        with folder:
            with gui.add_folder("Place a body"):
                self.shape = on(gui.add_dropdown("Shape", tuple(each.label for each in STOCK)), lambda _: self._shaped())
                self.size = gui.add_text("Size", "", hint="m")
                self.by = on(gui.add_dropdown("Weight by", ("density", "mass")), lambda _: self._weighed())
                self.weight = gui.add_text("kg/m³", "2700")
                self.where = gui.add_text("Where", "0  0  0.5", hint="x y z of its middle, m")
                self.along = gui.add_dropdown("Along", ("x", "y", "z"), hint="which way its main axis points")
                self.velocity = gui.add_text("Thrown", "0  0  0", hint="velocity that it starts with, m/s")
                self.body_name = gui.add_text("Name", "", hint="leave it empty to have one made")
                self.place = on(gui.add_button_group("", ("Place", "At a click", "Drop")), self._place)
            with gui.add_folder("Connect"):
                self.what = on(gui.add_dropdown("By a", tuple(each.label for each in TOOLS)), lambda _: self._tooled())
                self.axis = gui.add_dropdown(
                    "Axis", AXIS_CHOICES, hint="automatic: as other hinges, else across the body; along it for sliders"
                )
                self.form = gui.add_folder(None)
                self.name = gui.add_text("Name", "", hint="leave it empty to have one made")
                self.snap = gui.add_checkbox("Snap", True, hint="to ends, middles, joints, and the grid")
                self.start = on(gui.add_button("Pick places"), lambda e: self.begin(e.client))
                self.words = gui.add_html("")
                self.here = on(gui.add_button("Ground, right there", visible=False), lambda e: self._to_ground(e.client))
                self.cancel = on(gui.add_button("Cancel", color="gray", visible=False), lambda _: self.stop())
        on(gui.add_command("Cancel picking", hotkey="escape"), lambda _: self.stop())
        studio.server.on_client_disconnect(self._left)
        self._shaped()
        self._tooled()

    # ------------------------------------------------------------------ bodies

    def _shaped(self):
        chosen = stock(self.shape.value)
        self.size.value, self.size.hint = text_of(chosen.usual), f"{chosen.sizes}, m"
        self.along.value = "xyz"[chosen.main]

    def _weighed(self):
        self.weight.label, self.weight.value = ("kg", "1") if self.by.value == "mass" else ("kg/m³", "2700")

    def _place(self, event):
        chosen = stock(self.shape.value)
        if event.target.value == "At a click":
            self._begin(Picking(None, event.client.client_id, label=f"Place a {chosen.label.lower()}"))
            return
        new = self._new_body()
        if event.target.value == "Drop":
            self.studio.act(self._dropped, new, client=event.client)
        else:
            self.studio.act(self._placed, new, client=event.client)

    def _new_body(self, on=None):
        return NewBody(
            stock(self.shape.value),
            fields.numbers(self.size.value, "size", 0),
            fields.number(self.weight.value, self.by.value),
            by=self.by.value,
            where=fields.numbers(self.where.value, "where", 3),
            along=self.along.value,
            name=self.body_name.value,
            on=on,
            velocity=fields.numbers(self.velocity.value, "thrown", 3),
        )

    def _dropped(self, live, new):
        """From above all that is there."""
        self.studio.keeper.need_own_meshes(live.mechanism)
        self._placed(live, new._replace(above=self.studio.scene.heights()[1]))

    def _placed(self, live, new):
        name = place_body(live, new)
        self.body_name.value = ""
        self.studio.select(name)

    # ------------------------------------------------------------------ connections

    def _tooled(self):
        """Inputs for the numbers of the tool."""
        gui, chosen = self.studio.gui, tool(self.what.value)
        self.stop()
        self.axis.visible = bool(chosen.axis)
        self.start.label = "Pick a joint" if chosen.picks == "joints" and chosen.count == 1 else f"Pick {chosen.picks}"
        for made in self._options.values():
            made[1].remove()
        self._options = {}
        with self.form:
            for field in chosen.fields:
                label = field.name.replace("_", " ")
                if field.form == "switch":
                    made = gui.add_checkbox(label, field.value)
                elif field.form == "choice":
                    made = gui.add_dropdown(label, field.choices, initial_value=field.value)
                else:
                    made = gui.add_text(label, AS_IT_IS if field.value is None else text_of(field.value))
                self._options[field.name] = field, made

    def _values(self):
        found = {}
        for name, (field, made) in self._options.items():
            measured = field.value is None and str(made.value).strip() == AS_IT_IS
            found[name] = None if measured else fields.read(field, made.value, self.what.value)
        return found

    def begin(self, client):
        """Begin to pick for the tool that is chosen."""
        self._values()  # what cannot be read is refused before anything is picked
        self._begin(Picking(tool(self.what.value), client.client_id))

    def _begin(self, picking):
        self.picking, self.studio.picker = picking, self._clicked
        self._show()

    def stop(self):
        """Forget what was picked."""
        self.picking, self.studio.picker = None, None
        self._show()

    def _left(self, client):
        if self.picking is not None and self.picking.client_id == client.client_id:
            self.stop()

    def _show(self):
        picking = self.picking
        self.words.content = "" if picking is None else paragraph(picking.words, "strong")
        self.here.visible = picking is not None and picking.offers_ground
        self.cancel.visible = picking is not None
        self.start.visible = picking is None

    def _clicked(self, click):
        """A click while picking: True if it was taken."""
        picking = self.picking
        if picking is None or click.client.client_id != picking.client_id:
            return False
        if picking.picks == "joints":
            if click.role != "joint":
                self.studio.tell("that is no joint; click the sign of a joint, or choose one by name under Edit", client=click.client)
                return True
            self._take(click.part, click.client)
            return True
        self.studio.act(self._picked, click, client=click.client)
        return True

    def _picked(self, live, click):
        if self.picking is not None:
            eye = click.client.camera.position
            self._took(live, spot_of(live, click, eye, self.snap.value), click.client)

    def _to_ground(self, client):
        self.studio.act(self._grounded, client, client=client)

    def _grounded(self, live, client):
        if self.picking is not None and self.picking.offers_ground:
            point = world_of(live, self.picking.picked[0])
            self._took(live, Spot("ground", tuple(point.round(9).tolist()), "the ground"), client)

    def _take(self, item, client):
        self.studio.act(self._took, item, client, client=client)

    def _took(self, live, item, client):
        """In the physics thread: one more thing is picked; when all are there, it is made."""
        picking = self.picking
        if picking is None:
            return
        picking.take(item)
        if not picking.done:
            self._show()
            self.refresh(live)
            return
        self.stop()
        self.refresh(live)
        if picking.tool is None:
            self._placed(live, self._new_body(on=item))
            return
        camera = client.camera
        sight = camera.look_at - camera.position
        made = connect(live, picking.tool, picking.picked, self.axis.value, self._values(), self.name.value, sight)
        self.name.value = ""
        self.studio.select(made)
        self.studio.tell(
            f"{live.last_edit.words}" + (f"; parts moved by {live.last_edit.moved:.3g} m" if live.last_edit.moved > 1e-4 else ""),
            about=live.last_edit,
        )

    def refresh(self, live):
        """Marks stay on what was picked, though it moves."""
        spots = [item for item in (self.picking.picked if self.picking is not None else ()) if isinstance(item, Spot)]
        there = {"ground", *(body.name for body in live.mechanism.bodies)} if spots else set()
        self._marks.show([world_of(live, spot) for spot in spots if spot.body in there], 0.5 * grid_step(live) if spots else 0.0)

    def chosen(self, live):
        """A joint that is chosen by name counts as picked."""
        picking, name = self.picking, self.studio.selected
        if picking is None or picking.picks != "joints" or name is None:
            return
        if live.mechanism.part(name).role == "joint":
            client = self.studio.server.get_clients().get(picking.client_id)
            if client is not None:
                self._take(name, client)
