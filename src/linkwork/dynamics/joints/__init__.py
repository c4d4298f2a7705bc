"""What algorithms ask of a joint, and what each kind of joint answers.

    joint.py      the questions, with the choice by kind: algorithms ask here and know no kinds
    axial.py      revolute, prismatic, screw: one axis, the z axis of its link; answered in registers
    general.py    ball, free, custom: S(q) of up to six columns; answered through memory
    block.py      balls and free bases in articulated bodies: freedoms removed at once

question (joint.py)                    means
place_joint, move_joint                evaluate the joint at q; the link's velocity from its parent's
motion_out, force_in, inertia_in       between the coordinates of parent and child: X V, X^T F, X^T I X
pose_out                               pose of the child from the parent's
motion_of, bias_of                     S x for rates x;  Sdot qdot + v x S qdot
column_of                              one column of S
accelerate_joint, force_across         Newton-Euler: v and a of the link from its parent's; S^T f + armature qddot, and X^T f
remove_joint, respond_joint            the pivot of articulated bodies: inward and outward (Featherstone 1987, section 6.4)

Moving and comparing configurations is in dynamics/configuration.py.
"""
