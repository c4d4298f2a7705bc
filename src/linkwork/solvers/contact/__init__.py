"""Complementarity problems of contacts with friction (data/contact_problem.py), solved exactly: no convex relaxation, no pyramid, no regularisation left in the
answer (decision 0024).

    solve.py          from a problem to its solution: islands, each up the ladder of methods
    islands.py        contacts that are coupled, packed and scaled
    natural_map.py    statuses and residuals
    status_newton.py  Newton's method on statuses
    factor.py         its linear systems
    one_contact.py    the exact solution of one contact
    sweeps.py         Gauss-Seidel
    interior_point.py impulses in the middle of all solutions, where statuses alternate
    proximal.py       steps to solutions nearby
    restitution.py    Newton's law of impact with a guard of the energy

and what makes the problem of a step from a mechanism:

    points.py         the points of contact at a state, recognised from the step before
    rows.py           their rows through the articulated-body factor, and the answer to impulses
    step_problem.py   right sides and first guesses, and what becomes of the solution
"""
