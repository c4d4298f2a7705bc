"""Constrained dynamics: rows of constraints, and the solvers that make them hold."""
