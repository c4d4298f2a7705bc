"""A mechanism that is edited while it runs: transactions, undo, pulling by hand, looking back."""
