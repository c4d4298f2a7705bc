"""What a solve is for: accelerations, a correction of velocities or positions, or a jump. The residual of each is what the rows lack on that level."""

ACCELERATION, VELOCITY, POSITION, IMPULSE = range(4)
