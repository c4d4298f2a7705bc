"""Questions about a mechanism: assembly, inverse kinematics, statics, mobility, reactions."""
