"""Host code: calls that are not followed are noted with what they are given; allocations get objects of their own."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, Root, RootKind
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import havoc, loaded, read_variable, write_variable
from kernlint.analysis.trace.values import (
    MOST_THREADS,
    FunctionValue,
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
    own_variable,
    root_symbol,
)
from kernlint.apis import Made, Makes, makes
from kernlint.apis.memory import BOXES
from kernlint.apis.names import PLACED, known_name
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, binary, call, cast, const, plain, unknown
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Call,
    Cast,
    Expr,
    IntLit,
    Member,
    ParamDecl,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import I32, I64, U8, U64, ArrayType, IntType, PointerType, Space, StructType


def note_call(m: Machine, e: Call, args: Sequence[Value], receiver: Value | None) -> None:
    """Note a call that is not followed, with its arguments as they are now."""
    if m.state is None:
        return
    behind = tuple(_behind(m, value, arg) for value, arg in zip(args, e.args, strict=True))
    name = e.name.rpartition("::")[2]
    box = BOXES.get(known_name(e.name, receiver is not None) or "") if name.endswith("Rect") else None
    if box is not None:
        at = box.region - (receiver is not None)
        behind = (*behind[:at], _extents(m, e.args[at]), *behind[at + 1 :]) if at < len(args) else behind
    if _LATER.fullmatch(name):
        m.watched.update(decl for value in args if (decl := _variable(value)) is not None)
    m.trace.apis.append(
        ApiEvent(**m.common(e.span), node=e, name=name, args=tuple(args), behind=behind, receiver=receiver)
    )


def _extents(m: Machine, arg: Expr) -> Value | None:
    """The three numbers of an array of sizes, as they were last stored, or as its declaration has them."""
    from kernlint.analysis.trace.evaluation import evaluate
    from kernlint.analysis.trace.host_calls import as_declared

    while isinstance(arg, Cast):
        arg = arg.operand
    kind = arg.type
    if not isinstance(arg, (Ref, Member)) or not isinstance(kind, ArrayType):
        return None
    places = [Subscript(arg.span, kind.element, arg, IntLit(arg.span, I32, at)) for at in range(3)]
    sizes = (as_declared(m, place, evaluate(m, place)) for place in places)
    return StructValue(kind, tuple(zip("xyz", sizes, strict=True)))


def note_after(m: Machine, event: ApiEvent) -> None:
    """Note what stands where the addresses lead that a call was given, after it."""
    if m.state is None:
        return
    event.after = tuple(_behind(m, value, arg) for value, arg in zip(event.args, event.node.args, strict=True))
    for value in event.after:
        symbol = plain(value).symbol if isinstance(value, Term) else None
        if symbol is not None:
            m.trace.left.setdefault(symbol, event)


_LATER = pattern(r"(?:cuda|hip|cu)Mem\w*Async(?:_v2)?|(?:clE|e)nqueueReadBuffer")
"""Functions that write the host's variables after they have returned: who reads these is noted."""


def _variable(value: Value) -> VarDecl | None:
    """The variable of the host, no array, that an address is of."""
    if isinstance(value, ReferenceValue):
        return value.place.decl if isinstance(value.place, VarPlace) else None
    decl = value.root.decl if isinstance(value, PointerValue) and value.root.kind is RootKind.VARIABLE else None
    return decl if decl is not None and not isinstance(decl.type, ArrayType) else None


def _behind(m: Machine, value: Value, arg: Expr) -> Value | None:
    """What stands where the address ``value`` leads, as it is now."""
    if isinstance(value, ReferenceValue) and isinstance(value.place, VarPlace):
        return read_variable(m, value.place)
    while isinstance(arg, Cast):
        arg = arg.operand
    if isinstance(value, PointerValue) and isinstance(arg, AddressOf):
        decl = _whole_variable(value, arg)
        if decl is not None:
            return read_variable(m, VarPlace(decl, (), decl.type))
        return loaded(m, value, arg.operand.type)
    return None


def _whole_variable(value: Value, part: Expr) -> VarDecl | None:
    """The variable of the host that an address, converted perhaps, is of as a whole."""
    while isinstance(part, Cast):
        part = part.operand
    decl = value.root.decl if isinstance(value, PointerValue) and isinstance(part, AddressOf) else None
    if decl is None or not isinstance(part, AddressOf) or not isinstance(value, PointerValue) or value.root.path:
        return None
    ours = own_variable(decl) or isinstance(decl, ParamDecl)
    return decl if ours and part.operand.type == decl.type else None


_MADE = {
    "Extent": ("width", "height", "depth"),
    "PitchedPtr": ("ptr", "pitch", "xsize", "ysize"),
    "Pos": ("x", "y", "z"),
    "CreateChannelDesc": ("x", "y", "z", "w", "f"),
}
"""What CUDA's and HIP's functions make structures of: the fields that their arguments become."""


def made_of(e: Call, values: Sequence[Value]) -> StructValue | PointerValue | None:
    """The structure that ``make_cudaExtent(...)`` and its like give; the object that is made in memory in sight."""
    if isinstance(e.type, PointerType):
        at = values[0] if e.name == PLACED and values else None
        return at.typed(e.type.pointee) if isinstance(at, PointerValue) else None
    last = e.name.rpartition("::")[2]
    kind = last.removeprefix("make_").removeprefix("cuda").removeprefix("hip")
    if e.name == "cl::NDRange::NDRange" and len(values) <= 3:
        sizes = [as_term(value) for value in values] + [const(1, U64)] * (3 - len(values))
        return StructValue(e.type, tuple(zip("xyz", sizes, strict=True)))
    if kind == "pair" and isinstance(e.type, StructType) and len(values) == len(e.type.fields) == 2:
        return StructValue(e.type, tuple(zip((part.name for part in e.type.fields), values, strict=True)))
    names = _MADE.get(kind)
    if names is None or not last.startswith(("make_", "cuda", "hip")) or len(names) != len(values):
        return None
    return StructValue(e.type, tuple(zip(names, values, strict=True)))


LIBRARY = pattern(
    r"(?:cuda|hip|cu|cl|nv|roc|thrust|cub|nccl|rccl)[A-Z]\w*|(?:std|cl|at|c10|torch|thrust|(?:hip)?cub)::.*|make_\w+"
    r"|(?:cu|hip|roc)(?:blas|rand|fft|sparse|solver|dnn)(?:[A-Z]|_)\w*"
    r"|\w*printf|puts|putchar|f(?:open|close|flush|write|puts|seek|tell)|perror|exit|abort|free|malloc|calloc|realloc"
    r"|mem(?:cpy|set|move|cmp)|str\w+|getenv|ato[if]|time|clock|rand|srand|operator .*|throw|gettimeofday|usleep|sleep"
)
"""Functions that write nothing but what they are given the address of."""


_ASK_DEVICE = frozenset({"cudaDeviceGetAttribute", "hipDeviceGetAttribute", "cuDeviceGetAttribute"})
_MOST_THREADS_ASKED = 1
"""``cudaDevAttrMaxThreadsPerBlock`` and its like in the other interfaces, as the stand-in headers number it."""


def written_by(m: Machine, e: Call, parts: Sequence[Expr], values: Sequence[Value]) -> None:
    """What a call that is not followed may have written, of what objects in memory hold and of variables.

    ``parts``: the receiver, if there is one, and the arguments; ``values`` are theirs.  A function of a library writes
    where it is given an address that is not one of constants; of another one everything may be written.
    """
    state = m.state
    if state is None:
        return
    known = LIBRARY.fullmatch(e.name) is not None
    last = e.name.rpartition("::")[2]
    reason = f"written by {last}"
    if last in _ASK_DEVICE and len(values) > 1 and as_term(values[1]).value == _MOST_THREADS_ASKED:
        reason += f", {MOST_THREADS}"
    for index, (part, value) in enumerate(zip(parts, values, strict=True)):
        constant = _constant(e, index - (len(parts) - len(e.args)))
        held = _whole_variable(value, part)
        if isinstance(value, ReferenceValue):
            if not constant:
                havoc(m, value.place, reason)
        elif held is not None and not constant:
            havoc(m, VarPlace(held, (), held.type), reason)
        elif isinstance(value, PointerValue) and known and not constant:
            while isinstance(part, Cast):
                part = part.operand
            if isinstance(part, AddressOf):
                state.cells.forget(value.root, value.offset, part.operand.type, m.serial())
            elif isinstance(part.type, PointerType):
                state.cells.forget_object(value.root, m.serial())
    if not known and any(isinstance(value, (PointerValue, ReferenceValue, StructValue)) for value in values):
        state.cells.forget_all(m.serial(), named=False)


CHOSEN_BLOCK = pattern(r"(?:(?:cuda|hip|cu)Occupancy|hipModuleOccupancy)MaxPotentialBlockSize\w*")
"""Functions whose second argument receives the threads of a block with which most of them fit onto the device."""


def block_chosen(m: Machine, e: Call) -> None:
    """What a call that looks for the best block writes: a number of threads of which no more is known."""
    if len(e.args) < 2 or not CHOSEN_BLOCK.fullmatch(e.name.rpartition("::")[2]):
        return
    at = e.args[1]
    while isinstance(at, Cast):
        at = at.operand
    if isinstance(at, AddressOf) and isinstance(at.operand, Ref) and isinstance(at.operand.type, IntType):
        decl = at.operand.decl
        if isinstance(decl, VarDecl) and own_variable(decl):
            size = Symbol(SymbolKind.PARAM, decl.name, at.operand.type, 0, 1, 1024, Uniformity.GRID, origin=decl)
            write_variable(m, VarPlace(decl, (), decl.type), size.term)


def _constant(e: Call, index: int) -> bool:
    """Whether the function called says that it does not write what its argument at ``index`` points to."""
    params = e.function.params if e.function is not None else ()
    kind = params[index].type if 0 <= index < len(params) else None
    return isinstance(kind, PointerType) and kind.const


MEMORY = frozenset({Made.DEVICE, Made.MANAGED, Made.PINNED, Made.HOST})


def allocator(name: str) -> Makes | None:
    """What a function makes that allocates memory which a pointer leads to; None for any other."""
    found = makes(name)
    return found if found is not None and found.linear and found.made in MEMORY else None


def allocation(m: Machine, e: Call, values: list[Value]) -> Value | None:
    """Note what a known allocation function allocates, in an object of its own; give the pointer that the call returns,
    if it returns it.  Where it is stored instead, it is so once the call is over (see :attr:`Machine.allocated`)."""
    plain = allocator(e.name) if e.receiver is None else None  # a class may have a function of that name
    rule = _buffer(e) if e.name == "cl::Buffer::Buffer" else plain
    if rule is None or m.state is None or not m.on_host:
        return None
    out, size_at, factor_at = rule.out, rule.size, rule.factor
    if size_at is not None and size_at >= len(values):
        return None
    size = cast(as_term(values[size_at]), I64) if size_at is not None else unknown("size of an allocation", I64)
    if factor_at is not None and factor_at < len(values):
        size = binary("mul", size, cast(as_term(values[factor_at]), I64), I64)
    place = None
    if out is None:
        pointee = e.type.pointee if isinstance(e.type, PointerType) else U8
        name = "allocation"
    else:
        place = _stored_at(values[out]) if out < len(values) else None
        if place is None or not (isinstance(place.type, PointerType) or place.type == U64):
            return None
        pointee = place.type.pointee if isinstance(place.type, PointerType) else U8
        name = place.decl.name if isinstance(place, VarPlace) else place.pointer.root.name
    root = Root(name, RootKind.VARIABLE, Space.GLOBAL, None, pointee, extent=size.value)
    row = cast(as_term(values[rule.pitch + 1]), I64) if rule.pitch is not None and len(values) > 3 else None
    m.trace.allocations.append(
        AllocationEvent(**m.common(e.span), root=root, size=size, api=e.name, place=place, row=row)
    )
    pointer = PointerValue(root, const(0), pointee)
    if place is None:
        return pointer
    held: Value = pointer
    if not isinstance(place.type, PointerType):  # the driver's pointers are numbers
        held = call("address", (root_symbol(root).term, const(0)), U64)
    m.allocated = (place, held)
    return None


_OF_SYMBOL = frozenset({"cudaGetFuncBySymbol", "hipGetFuncBySymbol"})


def handle_of_symbol(m: Machine, e: Call, values: Sequence[Value]) -> None:
    """A handle of a kernel that is made of the kernel itself is that kernel."""
    if e.name in _OF_SYMBOL and len(values) == 2 and isinstance(values[1], FunctionValue):
        place = _stored_at(values[0])
        if place is not None:
            m.allocated = (place, values[1])


def _buffer(e: Call) -> Makes | None:
    """Where a constructor of ``cl::Buffer`` is given the size; None where it makes none of its own."""
    at = next((index for index, arg in enumerate(e.args) if isinstance(arg.type, IntType)), None)
    if at is None or at > 1 or at + 1 >= len(e.args) or not isinstance(e.args[at + 1].type, IntType):
        return None
    return Makes(Made.DEVICE, None, size=at + 1)


def keep_allocated(m: Machine) -> None:
    """Store the pointer to what a call has allocated where the call stores it."""
    if m.allocated is None or m.state is None:
        return
    where, pointer = m.allocated
    m.allocated = None
    if isinstance(where, VarPlace):
        write_variable(m, where, pointer)
    else:
        m.state.cells.write(where.pointer.root, where.pointer.offset, where.type, pointer, m.serial())


def _stored_at(value: Value) -> Place | None:
    """The place that an address leads to."""
    if isinstance(value, ReferenceValue):
        return value.place
    if isinstance(value, PointerValue) and isinstance(value.pointee, (PointerType, IntType)):
        return MemPlace(value, value.pointee)
    return None
