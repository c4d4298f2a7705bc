"""Constrained dynamics by the inverse inertia K = J M^-1 J^T in the space of constraints (Delassus' operator), from articulated bodies.

Users select it by solver="articulated".
"""
