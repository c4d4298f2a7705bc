"""What algorithms ask of a joint, and what each kind of joint answers.

    joint.py      the questions, with the choice by kind: algorithms ask here and know no kinds
    axial.py      revolute, prismatic, screw: one axis, the z axis of its link; answered in registers
    general.py    ball, free, custom: S(q) of up to six columns; answered through memory
    block.py      balls and free bases in articulated bodies: freedoms removed at once
    propagation.py    what further loads do to joints whose freedoms have been removed

question (joint.py)                    means
place_joint, move_joint                evaluate the joint at q; the link's velocity from its parent's
motion_out, force_in, inertia_in       between the coordinates of parent and child: X V, X^T F, X^T I X
pose_out                               pose of the child from the parent's
motion_of, bias_of                     S x for rates x;  Sdot qdot + v x S qdot
column_of, drift_of                    one column of S;  Sdot qdot
give_joint_force                       S^T f + armature qddot
remove_joint, respond_joint            the pivot of articulated bodies: inward and outward (Featherstone 1987, section 6.4)
load_joint, answer_joint               a further load through that pivot, inward; what it answers, outward (propagation.py)

Moving and comparing configurations is in dynamics/configuration.py.
"""
