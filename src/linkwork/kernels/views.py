"""The floats behind an array of a record, for what is done lane by lane."""

from .decorator import when_compiling


def floats_of(array):
    """The floats of an array of scalars or reals of a record as an array: slot i of a pack begins at LANES * i. In plain Python the array itself."""
    return array


@when_compiling
def _verbs():
    from numba import types
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    from .compiled_types import WORD, ArrayType

    floats = types.Array(types.float64, 1, "C")

    @infer_global(floats_of)
    class _FloatsOf(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 1 and isinstance(args[0], ArrayType) and args[0].item in ("scalar", "real"):
                return signature(floats, args[0])

    @lower_builtin(floats_of, ArrayType)
    def _floats_of(context, builder, sig, args):
        from numba.np.arrayobj import populate_array

        array = context.make_array(floats)(context, builder)
        one = types.UniTuple(types.intp, 1)
        populate_array(
            array,
            data=builder.bitcast(args[0], array.data.type),
            shape=context.make_tuple(builder, one, [WORD(1 << 60)]),  # kernels do not check it
            strides=context.make_tuple(builder, one, [WORD(8)]),
            itemsize=WORD(8),
            meminfo=None,
        )
        return array._getvalue()
