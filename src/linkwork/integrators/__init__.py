"""Methods that carry a state through time, one a file or a few."""
