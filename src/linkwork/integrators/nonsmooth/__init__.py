"""Time stepping of mechanisms whose bodies touch: velocities that jump, impulses that satisfy Signorini's and Coulomb's laws."""
