"""From a kernel and the types of its arguments to an object file: the only module that drives Numba.

Numba compiles a callee together with its caller: inlines it, optimises it anew, and generates machine code for both. Here a kernel that is not inline
is a *unit* of its own. A caller sees its signature and calls it by its symbol; only what is inline is merged, left unoptimised until then,
and optimised once, with the unit. A unit's symbol is a C function

    result symbol(arguments...)            int64, double or nothing as result
    void symbol(result *, arguments...)    tuples

of numbers and addresses (arrays are taken apart into their fields), without exceptions, Numba's runtime, or Python.
"""

import contextlib
import functools

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, codegen, compiler, sigutils, typed_passes, typing, untyped_passes
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import typeof_impl

from .annotations import declared_return
from .decorator import Kernel, begin_compiling
from .level import target
from .signatures import symbol_of, types_of

# Allowed liberties: fuse multiply-add, ignore the sign of zero, multiply by a reciprocal. None of them hides a NaN.
LIBERTIES = {"contract", "nsz", "arcp"}


class Unit:
    """A kernel for one combination of argument types."""

    def __init__(self, kernel, argtypes, returns):
        self.kernel, self.argtypes, self.returns = kernel, argtypes, returns
        self.symbol = symbol_of(kernel, argtypes)

    def __repr__(self):
        return f"<unit {self.symbol}>"


class UnitLibrary(codegen.JITCodeLibrary):
    """Numba's library of one function, left as it was lowered: optimised and turned into machine code only within a unit."""

    def finalize(self):
        self._raise_if_finalized()
        self._finalized = True

    def add_llvm_module(self, ll_module):
        self._final_module.link_in(ll_module)

    def get_pointer_to_function(self, name):
        return id(self)  # nobody calls it

    @property
    def codegen(self):
        return _NoEnvironment(self._codegen)

    def _get_module_for_linking(self):
        """For Numba's own libraries (users' functions) that call an inline kernel."""
        if self._shared_module is None:
            module = linked(self)
            for function in module.functions:
                if not function.is_declaration:
                    function.linkage = "linkonce_odr"
                elif function.name in _by_symbol:
                    _publish(_by_symbol[function.name])
            self._shared_module = module
        return self._shared_module


class _NoEnvironment:
    """Numba's code generator without environments: those are for exceptions and Python objects, which kernels do without."""

    def __init__(self, inner):
        self._inner = inner

    def set_env(self, name, env):
        pass

    def __getattr__(self, name):
        return getattr(self._inner, name)


class KernelDispatcher(CPUDispatcher):
    """How Numba sees a kernel from within another function."""

    kernel: Kernel

    def get_call_template(self, args, kws):
        pysig, args = self._compiler.fold_argument_types(args, kws)
        plain = tuple(_plain_type(a) for a in args)
        if self.kernel.inline:
            returns = compiled_inline(self, plain).signature.return_type
        else:
            returns = unit_of(self.kernel, plain).returns
        template = typing.make_concrete_template(self.kernel.name, key=self.kernel.name, signatures=[typing.signature(returns, *plain)])
        return template, pysig, plain, {}

    def get_overload(self, sig):
        args, _ = sigutils.normalize_signature(sig)
        return unit_of(self.kernel, args) if not self.kernel.inline else compiled_inline(self, args).entry_point


def _plain_type(kind):
    """The type that a kernel is compiled for: constants as what they are instances of, integers of all sizes as 64 bits."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and not isinstance(kind, types.Boolean) else kind


def compiled_inline(dispatcher, args):
    """Compile an inline kernel as far as its lowered form."""
    with _unit_mode():
        dispatcher.compile(args)
    return dispatcher.overloads[args]


@contextlib.contextmanager
def _unit_mode():
    made = cpu_target.target_context.codegen()
    before, made._library_class = (_mode.units, made._library_class), UnitLibrary
    _mode.units = True
    try:
        yield
    finally:
        _mode.units, made._library_class = before


class KernelCompiler(compiler.CompilerBase):
    """Numba's pipeline without what kernels never use (with blocks, closures, literal unrolling, inlining on Numba's own level): half of its time."""

    def define_pipelines(self):
        passes = PassManager("kernel")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.RewriteSemanticConstants,
            untyped_passes.DeadBranchPrune,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.IRLegalization,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            passes.add_pass(step, step._name)
        passes.finalize()
        return [passes]


@functools.cache
def _remember_resolutions():
    """Let Numba find the implementation of a function for given types once: it tries dozens for each plus and minus, every time."""
    context = cpu_target.typing_context
    resolve, known = context.resolve_function_type, {}

    def remembered(func, args, kws):
        if kws or not isinstance(func, types.Function):
            return resolve(func, args, kws)
        key = func, tuple(args)
        found = known.get(key)
        if found is None:
            found = resolve(func, args, kws)
            if found is not None and _mode.units:
                known[key] = found
        return found

    context.resolve_function_type = remembered
    for other in (context, cpu_target.target_context):
        _import_registries_once(other)


def _import_registries_once(context):
    """Numba looks for its registries with every function that it compiles, by a page of import statements; here the ones found first are installed again."""
    found = []

    def install(registry):
        found.append(registry)
        type(context).install_registry(context, registry)

    context.install_registry = install
    context.load_additional_registries()
    del context.install_registry
    context.load_additional_registries = lambda: [context.install_registry(registry) for registry in found]


@functools.cache
def dispatcher_of(kernel):
    """Numba's dispatcher of a kernel.

    All that is merged into a unit is inlined there. The option must be the same for all kernels: verbs (overloads) inherit it from the first kernel
    that happens to use them, and the code of a unit would depend on what was compiled before it in the same process.
    """
    options = dict(
        nopython=True,
        nogil=True,
        error_model="numpy",
        fastmath=LIBERTIES,
        forceinline=True,
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        boundscheck=None,
    )
    made = KernelDispatcher(kernel.py_func, targetoptions=options, pipeline_class=KernelCompiler)
    made.kernel = kernel
    return made


@typeof_impl.register(Kernel)
def _typeof_kernel(kernel, c):
    return dispatcher_of(kernel)._numba_type_


_units: dict = {}
_by_symbol: dict = {}


def unit_of(kernel, argtypes):
    """The unit of a kernel for these argument types."""
    key = kernel, argtypes
    unit = _units.get(key)
    if unit is None:
        returns = declared_return(kernel, argtypes)
        if returns is None:
            returns = types.unliteral(_lowered(kernel, argtypes).signature.return_type)
        unit = _units[key] = Unit(kernel, argtypes, returns)
        _by_symbol[unit.symbol] = unit
        cpu_target.target_context._defns[unit].append(_external_call(unit), argtypes)
    return unit


def entry_unit(kernel, letters):
    """The unit of a kernel that Python or another kernel reaches by these types, written as letters."""
    begin()
    return unit_of(kernel, types_of(kernel, letters))


@functools.cache
def _lowered(kernel, argtypes):
    """Numba's compile result of a kernel, lowered but not optimised."""
    dispatcher = dispatcher_of(kernel)
    with _unit_mode():
        dispatcher.compile(argtypes)
    return dispatcher.overloads[argtypes]


def _publish(unit):
    """Let a user's function find a unit that it calls."""
    from .build import recipe_of
    from .loader import publish

    publish(unit.symbol, tuple(recipe_of(unit)))


def _by_value(returns):
    return isinstance(returns, (types.Integer, types.Float, types.Boolean))


def _function_type(context, unit):
    """(LLVM type of the unit's symbol, is the result returned through a pointer)."""
    packer = context.call_conv._get_arg_packer(unit.argtypes)
    arguments = list(packer.argument_types)
    if unit.returns == types.none:
        return ir.FunctionType(ir.VoidType(), arguments), False
    result = context.get_return_type(unit.returns)
    if _by_value(unit.returns):
        return ir.FunctionType(result, arguments), False
    return ir.FunctionType(ir.VoidType(), [result.as_pointer(), *arguments]), True


def _external_call(unit):
    """Numba's implementation of a call to a unit: its symbol, left to be resolved when objects are loaded."""

    def call(context, builder, sig, args):
        kind, through_pointer = _function_type(context, unit)
        function = cgutils.get_or_insert_function(builder.module, kind, unit.symbol)
        if not _mode.units:
            _publish(unit)
        given = list(context.call_conv._get_arg_packer(unit.argtypes).as_arguments(builder, args))
        if through_pointer:
            place = cgutils.alloca_once(builder, kind.args[0].pointee)
            builder.call(function, [place, *given])
            return context.get_returned_value(builder, unit.returns, builder.load(place))
        result = builder.call(function, given)
        if unit.returns == types.none:
            return context.get_dummy_value()
        return context.get_returned_value(builder, unit.returns, result)

    call.signature = unit.argtypes
    call.libs = ()
    return call


def _c_function(context, unit, numba_name):
    """A module with the unit's C function around Numba's."""
    kind, through_pointer = _function_type(context, unit)
    module = context.create_module("c." + unit.symbol)
    inner = ir.Function(module, context.call_conv.get_function_type(unit.returns, unit.argtypes), numba_name)
    inner.attributes.add("alwaysinline")
    outer = ir.Function(module, kind, unit.symbol)
    builder = ir.IRBuilder(outer.append_basic_block())
    arguments = list(outer.args)
    result_type = inner.function_type.args[0].pointee
    place = arguments.pop(0) if through_pointer else builder.alloca(result_type)
    error = builder.alloca(inner.function_type.args[1].pointee)
    builder.call(inner, [place, error, *arguments])
    if unit.returns == types.none or through_pointer:
        builder.ret_void()
    else:
        builder.ret(builder.load(place))
    return module


def linked(library):
    """One module of a library and of all that it links in, unoptimised."""
    module = library._final_module.clone()
    seen, waiting = {id(library)}, list(library._linking_libraries)
    while waiting:
        other = waiting.pop()
        if id(other) in seen:
            continue
        seen.add(id(other))
        own = other._final_module if isinstance(other, UnitLibrary) else other._get_module_for_linking()
        copy = own.clone()
        for function in copy.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"
        module.link_in(copy)
        waiting += other._linking_libraries
    return module


class _Mode:
    units = False  # is a unit being compiled, as against a user's function?


_mode = _Mode()


@functools.cache
def target_machine(wanted):
    """LLVM's idea of a target: code that may be loaded anywhere."""
    if wanted.is_host:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    made = llvm.Target.from_triple(wanted.triple)
    return made.create_target_machine(cpu=wanted.level.cpu, features=wanted.level.features, opt=3, reloc="pic", codemodel="small")


def object_of(unit):
    """(object file of a unit as bytes, units that it calls, what else it needs of the C library)."""
    result = _lowered(unit.kernel, unit.argtypes)
    if types.unliteral(result.signature.return_type) != unit.returns:
        raise TypeError(f"kernel {unit.kernel.name} is declared to return {unit.returns} but returns {result.signature.return_type}")
    context = cpu_target.target_context
    module = linked(result.library)
    wrapper = llvm.parse_assembly(cgutils.normalize_ir_text(str(_c_function(context, unit, result.fndesc.llvm_func_name))))
    module.link_in(wrapper)
    for function in module.functions:
        if not function.is_declaration and function.name != unit.symbol:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration or variable.linkage == llvm.Linkage.common:
            variable.linkage = "internal"
    machine = target_machine(target())
    module.triple = target().triple
    optimise(module, machine)
    outside = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    called = [_by_symbol[name] for name in sorted(outside) if name in _by_symbol]
    return machine.emit_object(module), called, sorted(outside - {other.symbol for other in called})


def optimise(module, machine):
    """Run LLVM's passes, the same with all llvmlites that are allowed (0.46 to 0.50).

    First level 0, which merges what is marked `alwaysinline`, and global dead-code elimination, which drops what was merged;
    then level 3 with vectorised loops, without SLP vectorisation (packs of lanes are vectors already).
    """
    module.data_layout = str(machine.target_data)
    for level in (0, 3):
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        tuning.loop_vectorization = level == 3
        tuning.slp_vectorization = False
        passes = llvm.create_pass_builder(machine, tuning)
        manager = passes.getModulePassManager()
        if level == 0:
            manager.add_global_dead_code_eliminate_pass()
        manager.run(module, passes)


_begun = False


def begin():
    """Tell Numba about our types and verbs, once."""
    global _begun
    if not _begun:
        _begun = True
        from . import compiled_records  # noqa: F401 - tells Numba of records

        _remember_resolutions()
        begin_compiling()


@functools.cache
def dispatcher_for_python(kernel):
    """A kernel as Numba would compile it for calls from Python: types are found out at each call."""
    import numba

    begin()
    return numba.njit(error_model="numpy", fastmath=LIBERTIES, _nrt=False)(kernel.py_func)
