"""Rows of constraints: their values, Jacobians and rank, and how a state is kept on them."""
