"""Motion in time and what is kept of it: the engine, recordings, the audit, checkpoints."""
