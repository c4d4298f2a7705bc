"""What algorithms ask of a joint, and what each kind of joint answers.

    joint.py          the questions, with the choice by kind: algorithms ask here and know no kinds
    axial.py          revolute, prismatic, screw: one axis, the z axis of its link; answered in registers
    general.py        ball, free, custom: S(q) of up to six columns; answered through memory
    block.py          balls and free bases in articulated bodies: freedoms removed at once
    composite.py      questions of composite bodies: axes in the root frame, entries of the mass matrix
    propagation.py    what further loads do to joints whose freedoms have been removed
    sparse.py         pivots of the sparse solver, and rows of constraints on their way through them; ball_columns.py: balls there
    closing.py        joints that close a loop, in the sparse solver
    variational.py    questions of the variational integrator: a joint displaced in a step, at both ends of it
    coordinates.py    q moved by a velocity, the velocity between two q, local coordinates

question (joint.py)                    means
place_joint, move_joint                evaluate the joint at q; the link's velocity from its parent's
motion_out, force_in, inertia_in       between the coordinates of parent and child: X V, X^T F, X^T I X
pose_out                               pose of the child from the parent's
add_motion, add_bias                   V + S x for rates x;  a + v x S qdot + Sdot qdot
column_of, drift_of                    one column of S;  Sdot qdot
armature_bias_of                       what its armature takes at constant velocities: V x* A V of a ball or free joint
accelerate_joint, force_across         Newton-Euler: v and a of the link from its parent's; S^T f + armature qddot, and X^T f
remove_joint, respond_joint            the pivot of articulated bodies: inward and outward (Featherstone 1987, section 6.4)
innovate, inverse_pivot                u = x - S^T p in place of x, and p + K u;  D^-1 of one freedom
load_joint, answer_joint               a further load through that pivot, inward; what it answers, outward (propagation.py)
give_inverse_pivots, ease_of           D^-1 of all freedoms of a joint; their sum, how easily it yields (propagation.py)
place_in_root, enter_joint             composite bodies: S in the root's frame; entries of the mass matrix (composite.py)
eliminate_joint, rows_through_joint    the sparse solver's pivot, and what it does to rows of constraints (sparse.py)
right_side_through                     another right side through that pivot
response, push_joint, solve_joint      e of one freedom; a further force on it; the joint's accelerations, outward
displace_joint, arrive_joint, ...      the variational integrator (variational.py)
"""
