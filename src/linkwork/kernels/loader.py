"""Objects into memory: units by their symbols, with all that they call, through llvmlite alone.

A unit that is not on disk, or stale, is compiled first (build.py), announced on standard error.
"""

import threading

from .level import target
from .signatures import entry_symbol
from .store import find

# What units may use of the C library; a test holds them to it. sincos is used on Linux alone, bzero on macOS.
C_LIBRARY = frozenset(
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp expm1 log log1p log2 log10 pow sqrt cbrt hypot fmod floor ceil trunc round "
    "nearbyint fabs fmin fmax fma sincos ldexp exp2 memset memcpy memmove bzero".split()
)
STACK_PROBE = "__chkstk"  # of Windows, called where a function needs more than a page of stack


class Engine:
    """LLVM's in-memory linker, and the addresses of what it has loaded."""

    def __init__(self):
        import llvmlite.binding as llvm

        if not target().is_host:
            raise RuntimeError(f"kernels for {target().name} do not run on this machine: LINKWORK_TARGET is for 'linkwork kernels'")
        self.llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        if target().system == "windows":
            import ctypes

            llvm.add_symbol(STACK_PROBE, ctypes.cast(getattr(ctypes.CDLL("ntdll"), STACK_PROBE), ctypes.c_void_p).value)
        machine = llvm.Target.from_default_triple().create_target_machine()
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self.loaded = {}  # symbol -> header
        self.addresses = {}
        self.texts = set()

    def add(self, units):
        """Load units, which together with those loaded before need nothing else."""
        objects = []
        for unit in units:
            objects.append(self.llvm.ObjectFileRef.from_data(unit.object))
            self.engine.add_object_file(objects[-1])
        self.engine.finalize_object()
        for unit in units:
            self.loaded[unit.header["symbol"]] = unit.header

    def address(self, symbol):
        known = self.addresses.get(symbol)
        if known is None:
            known = self.addresses[symbol] = self.engine.get_function_address(symbol)
            if not known:
                raise RuntimeError(f"the kernel {symbol} was not found in its object")
        return known


_engine = None
_lock = threading.RLock()


def engine():
    global _engine
    if _engine is None:
        with _lock:
            if _engine is None:
                _engine = Engine()
    return _engine


def load_text(text):
    """A function from names to addresses of what is written in LLVM's language. Under the lock: to finalise in one thread what another is still
    adding ends the process."""
    import llvmlite.binding as llvm

    machine = engine()
    with _lock:
        if text not in machine.texts:  # two threads may ask for the same
            machine.texts.add(text)
            module = llvm.parse_assembly(text)
            module.triple = llvm.get_process_triple()
            machine.engine.add_module(module)
            machine.engine.finalize_object()
    return _address_in_text


def _address_in_text(name):
    with _lock:
        return engine().engine.get_function_address(name)


def address_of_kernel(kernel, letters):
    """The address of a kernel as a C function of these argument types; loaded, or compiled, if need be."""
    return require(entry_symbol(kernel, letters), ("entry", kernel.py_func.__module__, kernel.py_func.__qualname__, letters))


def require(symbol, recipe):
    """The address of a unit. `recipe` says how to make it where it is missing (build.py)."""
    machine = engine()
    if symbol in machine.addresses:
        return machine.addresses[symbol]
    with _lock:
        if symbol not in machine.loaded:
            _load(machine, symbol, recipe)
        return machine.address(symbol)


def _load(machine, symbol, recipe):
    for _ in range(3):  # a unit may turn out to be stale only when its caller has been looked at
        units, missing = closure(symbol, recipe, machine.loaded)
        if not missing:
            machine.add(units)
            return
        from .build import build

        build(missing)
    raise RuntimeError(f"kernel {symbol} cannot be loaded: {sorted(missing)} could not be compiled")


def closure(symbol, recipe, loaded=()):
    """(units to load for a symbol, {symbol: recipe} of those that are missing)."""
    units, missing, seen, waiting = [], {}, set(loaded) | {symbol}, [(symbol, recipe, None)]
    while waiting:
        name, how, returns = waiting.pop()
        unit = find(name)
        if unit is None or (returns is not None and unit.header["returns"] != returns):
            missing[name] = how
            continue
        units.append(unit)
        for other, (other_returns, other_how) in unit.header["needs"].items():
            if other not in seen:
                seen.add(other)
                waiting.append((other, tuple(other_how), other_returns))
    return units, missing


def publish(symbol, recipe):
    """Let functions that Numba compiles for users find a unit by its symbol."""
    import llvmlite.binding as llvm

    llvm.add_symbol(symbol, require(symbol, recipe))
