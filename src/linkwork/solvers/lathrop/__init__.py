"""Constrained dynamics by affine functions of unknowns, handed from the tips to the root (Lathrop 1986), in NumPy.

Users select it by solver="propagation".
"""
