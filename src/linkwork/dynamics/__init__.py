"""Algorithms on models, one a file: kinematics, Newton-Euler, composite and articulated bodies, Jacobians, momentum, energy."""
