"""The studio: a mechanism seen, pulled at and edited while it moves, on a page in the browser and by commands."""
