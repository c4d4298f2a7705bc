"""A question to one page: a few lines, and a button for each answer."""

from .page_text import paragraph


def ask(client, title, lines, answers, colour="red"):
    """Ask a client. answers: {label: function to call, or None}; the first is the one that changes something."""
    modal = client.gui.add_modal(title)
    with modal:
        client.gui.add_html("".join(paragraph(line) for line in lines))
        for k, (label, then) in enumerate(answers.items()):
            _button(client, modal, label, then, {"color": colour} if k == 0 else {})


def _button(client, modal, label, then, look):
    handle = client.gui.add_button(label, **look)

    @handle.on_click
    async def _(_):
        modal.close()
        if then is not None:
            then()
