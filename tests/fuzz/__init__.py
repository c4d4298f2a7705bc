"""Random mechanisms, files and edits against every way to the same answer: `make fuzz MINUTES=10`.

    draw.py          a random mechanism in motion, determined by a seed: every joint, constraint and force kind; redundant, contradictory, stiff ...
    agreement.py     what is compared: solvers with each other and with the referee, ways through time with each other, questions that must answer
    hostile.py       files and edit scripts, mutated: refused by a typed error, or honoured
    shrink.py        the smallest part of a mechanism that still shows a finding, printed as a script
    campaign.py      processes that work through seeds; what crashes or hangs is found by its seed

A *finding* is silent (a wrong answer without a word), raw (an error that is none of ours, a crash or a hang) or loud (a refusal or a failed step, by
name, of a mechanism that is well posed). A campaign ends with a count of each, and exit code 1 if anything was silent or raw.
"""
