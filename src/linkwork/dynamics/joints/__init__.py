"""What algorithms ask of a joint, and what each kind of joint answers.

    joint.py          the questions, with the choice by kind: algorithms ask here and know no kinds
    axial.py          revolute, prismatic, screw: one axis, the z axis of its link; answered in registers
    general.py        ball, free, custom: S(q) of up to six columns; answered through memory
    block.py          balls and free bases in articulated bodies: freedoms removed at once
    composite.py      questions of composite bodies: axes in the root frame, entries of the mass matrix
    row_propagation.py    what further loads do to joints whose freedoms have been removed
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
propagate_motion, force_across         Newton-Euler: v and a of the link from its parent's; S^T f + armature qddot, and X^T f
remove_joint, respond_joint            the pivot of articulated bodies: inward and outward (Featherstone 1987, section 6.4)
innovate, inverse_pivot                u = x - S^T p in place of x, and p + K u;  D^-1 of one freedom
load_joint, answer_joint               a further load through that pivot, inward; what it answers, outward (row_propagation.py)
give_inverse_pivots, ease_of           D^-1 of all freedoms of a joint; their sum, how easily it yields (row_propagation.py)
place_in_root, enter_joint             composite bodies: S in the root's frame; entries of the mass matrix (composite.py)
eliminate_joint, rows_through_joint    the sparse solver's pivot, and what it does to rows of constraints (sparse.py)
right_side_through                     another right side through that pivot
response, push_joint, solve_joint      e of one freedom; a further force on it; the joint's accelerations, outward
displace_joint, arrive_joint, ...      the variational integrator (variational.py)
"""

# Every question with its answer for every kind: who adds a kind gives the table a column, and writes what stands in it. A name is a function
# that the question calls; `here`: a few lines in the question itself; `caller`: whoever asks has done it; `nobody asks`: excluded before.
# A ball or a free base with armature, or walked from its child side, answers as a custom joint does where it has a quicker way of its own.
# tests/unit/dynamics/test_joints_table.py holds it against the code.
ANSWERS = """
question                             axial                     ball                           free                          custom
joint.place_joint                    here                      place_general                  place_general                 place_general
joint.pose_out                       rotation_axial            pose_general                   pose_general                  pose_general
joint.motion_out                     motion_out_axial          motion_out_general             motion_out_general            motion_out_general
joint.force_in                       force_in_axial            force_in_general               force_in_general              force_in_general
joint.inertia_in                     rigid_in_axial            pose_general                   pose_general                  pose_general
joint.add_motion                     along_axis                motion_general                 motion_general                motion_general
joint.add_bias                       velocity_product          motion_general                 motion_general                motion_general
joint.drift_of                       here                      here                           here                          here
joint.column_of                      here                      here                           here                          here
joint.armature_bias_of               here                      armature_bias                  armature_bias                 armature_bias
joint.propagate_motion               velocity_product          _propagate_motion_general      _propagate_motion_general     _propagate_motion_general
joint.force_across                   on_axis                   give_force_general             give_force_general            give_force_general
joint.move_joint                     along_axis                _move_general                  _move_general                 _move_general
joint.remove_joint                   pivot_axial, hand_inward  eliminate_block                eliminate_block               eliminate_general
joint.respond_joint                  along_axis                accelerate_block               accelerate_block              accelerate_general
joint.innovate                       on_axis                   here                           here                          here
joint.inverse_pivot                  here                      here                           here                          here
row_propagation.load_joint           on_axis                   _load_general                  _load_general                 _load_general
row_propagation.give_inverse_pivots  here                      _give_inverse_pivots_general   _give_inverse_pivots_general  _give_inverse_pivots_general
row_propagation.ease_of              here                      _ease_of_general               _ease_of_general              _ease_of_general
row_propagation.answer_joint         along_axis                _answer_general                _answer_general               _answer_general
row_propagation.rate_weight          here                      here                           here                          here
composite.place_in_root              here                      _columns_in_root               _columns_in_root              _columns_in_root
composite.enter_joint                here                      _fill_general                  _fill_general                 _fill_general
sparse.eliminate_joint               pivot_axial, hand_inward  pivot_ball, eliminate_general  eliminate_general             eliminate_general
sparse.rows_through_joint            _rows_through_axial       _rows_through_general          _rows_through_general         _rows_through_general
sparse.right_side_through            on_axis                   _right_side_general            _right_side_general           _right_side_general
sparse.response                      here                      here                           here                          here
sparse.push_joint                    here                      here                           here                          here
sparse.solve_joint                   along_axis                _solve_general                 _solve_general                _solve_general
closing.free_directions              here                      here                           here                          here
closing.turning_joints               here                      here                           here                          here
closing.wrench_of_joint              here                      here                           nobody asks                   nobody asks
closing.set_rates                    here                      here                           nobody asks                   nobody asks
variational.displace_joint           here                      _displace_general              _displace_general             _displace_general
variational.arrive_joint             here                      _arrive_general                _arrive_general               _arrive_general
variational.correct_displacement     here                      _correct_turn                  _correct_turn                 here
variational.turn_page_of_joint       here                      here                           here                          here
variational.give_momentum            on_axis                   _give_momentum_general         _give_momentum_general        _give_momentum_general
variational.take_armature            here                      _add_armature                  _add_armature                 _add_armature
variational.eliminate_joint          _eliminate_axial          _eliminate_general             _eliminate_general            _eliminate_general
variational.correct_joint            along_axis                here                           here                          here
variational.load_in_step             on_axis                   _load_general                  _load_general                 _load_general
coordinates.move_coordinates         here                      quaternion_exp                 pose_exp                      here
coordinates.subtract_coordinates     here                      quaternion_log                 left_jacobian_inverse         here
coordinates.local_rate_of            caller                    _coefficients                  _coefficients                 caller
coordinates.has_quaternion           here                      here                           here                          here
coordinates.has_position             here                      here                           here                          here
coordinates.is_angle                 here                      here                           here                          here
"""
