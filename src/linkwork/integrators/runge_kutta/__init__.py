"""Explicit Runge-Kutta methods on the joints' groups: fixed steps, and embedded pairs whose steps follow the error."""
