"""The energy-momentum method in maximal coordinates, for comparison."""
