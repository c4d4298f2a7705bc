"""Motion in time: runs, their events, and what is recorded of them."""
