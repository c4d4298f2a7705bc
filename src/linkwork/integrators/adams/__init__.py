"""Adams methods of variable order and step."""
