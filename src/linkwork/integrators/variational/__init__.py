"""The variational integrator: momenta and energy behave over long times."""
