"""All checks of a case, in their order."""

import traceback

import linkwork as lw

from .agreement import Finding, accelerations, calls, first_line, inverse, questions
from .plain import plain
from .same_steps import same_steps
from .through_time import through_time

IN_PROCESS = (accelerations, inverse, calls, questions, through_time, same_steps)
CHECKS = (*IN_PROCESS, plain)


def findings(case, checks=CHECKS):
    """All that is wrong with a case, in the order of the checks."""
    model = case.mechanism.build()
    found = []
    for check in checks:
        try:
            found += check(case, model)
        except lw.LinkworkError as error:
            found.append(Finding("loud", check.__name__, first_line(error)))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {first_line(error)} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
            found.append(Finding("raw", check.__name__, text))
    return found
