"""Constrained dynamics by a sparse factor of the multiplier system in maximal coordinates.

Users select it by solver="sparse".
"""
