"""Kernels and the records they work on."""
