"""Three stories of what people do in the studio, step by step: to watch, to learn from, to try the parts together."""

from .animator import ANIMATOR
from .engineer import ENGINEER
from .story import Step, Story, Telling
from .student import STUDENT

STORIES = {story.name: story for story in (ENGINEER, ANIMATOR, STUDENT)}

__all__ = ["ANIMATOR", "ENGINEER", "STORIES", "STUDENT", "Step", "Story", "Telling"]
