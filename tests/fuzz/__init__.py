"""Random mechanisms, files and edits against every way to the same answer: `make fuzz MINUTES=10`.

    draw.py          a random mechanism in motion, determined by a seed: every joint, constraint and force kind; redundant, contradictory, stiff ...
    further.py       what half of them get beyond: couplings and drives of joints, users' functions, options of joints, controllers
    agreement.py     one state: solvers with each other and with the referee, every call for one state, a batch and threads, questions that must answer
    through_time.py  motions: every integrator against the most accurate, each within its own error
    same_steps.py    the same steps by other ways: solvers, rollouts, `Live`, frames, checkpoints
    plain.py         the same in plain Python (LINKWORK_JIT=0), by a process beside it
    checks.py        all of these in their order
    hostile.py       native files and edits of a running mechanism, mutated: refused by a typed error, or honoured
    scripts.py       the same for robots (URDF), documents that keep their comments under edits, and lines of the console
    shrink.py        the smallest part of a mechanism that still shows a finding, printed as a script
    contact.py       random scenes of bodies that touch, and the laws of each step by arithmetic of its own (a campaign of its own)
    campaign.py      processes that work through seeds; what crashes or hangs is found by its seed

A *finding* is silent (a wrong answer without a word), raw (an error that is none of ours, a crash or a hang) or loud (a refusal or a failed step, by
name, of a mechanism that is well posed); *told*, where a method is farther off than its own error says and only the audit of its run speaks of it (energy
that does not balance); or *slow*. A campaign ends with a count of each, and exit code 1 if anything was silent or raw.
"""
