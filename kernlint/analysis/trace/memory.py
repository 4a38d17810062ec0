"""Places and memory: lvalues, loads, stores, and the objects that pointers point into."""

from __future__ import annotations

from functools import lru_cache

from kernlint.analysis.trace.cells import file_pointer
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind
from kernlint.analysis.trace.machine import Machine, straight
from kernlint.analysis.trace.naming import called
from kernlint.analysis.trace.put_back import kept, noted
from kernlint.analysis.trace.set_before import set_before
from kernlint.analysis.trace.tables import content
from kernlint.analysis.trace.turns import Pointers
from kernlint.analysis.trace.values import (
    NEVER_SET,
    UNPLACED,
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
    build,
    chosen,
    fields_of,
    merge,
    unknown_root,
    unknown_value,
)
from kernlint.symbolic.terms import (
    FALSE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    cast,
    const,
    unknown,
)
from kernlint.tree.nodes import Node, ParamDecl, Scope, VarDecl
from kernlint.tree.types import (
    I64,
    UNKNOWN,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)


def size_term(type_: Type) -> Term:
    """Size of ``type_`` in bytes; a symbol of at least 1 when it is not known.  Rows of an array that are as long as
    the build says are so long that no index leaves them."""
    size = type_.size
    if size is not None:
        return const(size)
    if isinstance(type_, ArrayType):
        return binary("mul", size_term(type_.element), const(LONG if type_.extent is None else type_.extent), I64)
    name = type_.spelling if isinstance(type_, OpaqueType) else type(type_).__name__
    key = f"sizeof({name})"
    symbol = _SIZES.get(key)
    if symbol is None:
        symbol = _SIZES[key] = Symbol(SymbolKind.SIZEOF, key, I64, low=1, uniformity=Uniformity.GRID)
    return symbol.term


_SIZES: dict[str, Symbol] = {}

LONG = 1 << 14
"""Elements of a row whose length is not known."""


def advance(pointer: PointerValue, count: Term, element: Type) -> PointerValue:
    """``pointer`` moved by ``count`` elements of type ``element``."""
    delta = binary("mul", cast(count, I64), size_term(element), I64)
    return pointer.moved(binary("add", pointer.offset, delta, I64))


def unsized(decl: VarDecl) -> VarDecl | None:
    """The declaration, if it is one of dynamic shared memory."""
    return decl if decl.unsized and decl.space is Space.SHARED else None


def variable_root(m: Machine, decl: VarDecl, path: tuple[str, ...] = (), type_: Type | None = None) -> Root:
    """The memory object that is the variable ``decl``, or a field of it."""
    # Every `extern __shared__` array begins at the start of the launch's dynamic shared memory: they are one object.
    key = ("dynamic shared",) if unsized(decl) else (decl, path)
    root = m.memory.get(key)
    if root is None:
        kind = decl.type if type_ is None else type_
        element: Type = kind
        while isinstance(element, ArrayType):
            element = element.element
        space = decl.space
        if isinstance(decl, ParamDecl) and m.frames and decl in m.frames[0].function.params:
            space = Space.CONSTANT
        refers = (
            isinstance(kind, PointerType) and kind.reference
        )  # to an object that is not known: it is no room itself
        root = Root(
            name=".".join((decl.name, *path)),
            kind=RootKind.VARIABLE,
            space=space,
            decl=decl,
            element=element,
            extent=None if decl.unsized or refers else kind.size,
            readonly=space is Space.CONSTANT or (decl.const and space is not Space.SHARED),
            volatile=decl.volatile,
            path=".".join(path),
        )
        m.memory[key] = root
        m.trace.roots.append(root)
        if (not path and not decl.is_global) or space is Space.SHARED:
            m.trace.arrays.append(root)
    return root


def pointer_root(m: Machine, decl: VarDecl, path: str, type_: PointerType) -> Root:
    """The object that a pointer parameter (or the pointer field ``path`` of one) points to."""
    key = (decl, path, "*")
    root = m.memory.get(key)
    if root is None:
        space = Space.GLOBAL if type_.space in (Space.GENERIC, Space.HOST) else type_.space
        root = Root(
            name=decl.name + path,
            kind=RootKind.PARAM,
            space=space,
            decl=decl,
            element=type_.pointee,
            readonly=type_.const or space is Space.CONSTANT,
            volatile=type_.volatile,
            restrict=type_.restrict,
            path=path.lstrip("."),
        )
        m.memory[key] = root
        m.trace.roots.append(root)
    return root


def parameter_value(m: Machine, decl: ParamDecl) -> Value:
    """What a kernel parameter holds at entry: symbols for scalars, objects for pointers, fieldwise for structs."""

    def leaf(type_: Type, path: str) -> Value:
        if isinstance(type_, PointerType):
            return PointerValue(pointer_root(m, decl, path, type_), const(0), type_.pointee)
        return Symbol(
            SymbolKind.PARAM,
            decl.name + path,
            type_,
            low=0 if decl.implicit else None,  # an extent
            uniformity=Uniformity.GRID,
            origin=decl,
            span=decl.span,
        ).term

    if m.on_host and isinstance(decl.type, StructType) and not fields_of(decl.type):
        return leaf(decl.type, "")  # one that tells nothing of what it holds: what its methods give, it gives always
    return build(decl.type, leaf)


def field_place(m: Machine, place: Place, name: str, lanes: tuple[int, ...]) -> Place | None:
    """The place of field ``name`` (or of one lane) of the object at ``place``; None when it cannot be told."""
    type_ = place.type
    if lanes:
        if len(lanes) != 1:
            return None
        element = type_.element if isinstance(type_, VectorType) else None
        if element is None:
            return None
        if isinstance(place, VarPlace):
            return VarPlace(place.decl, (*place.path, str(lanes[0])), element)
        pointer = advance(place.pointer, const(lanes[0]), element)
        return MemPlace(pointer.typed(element), element, place.index, place.volatile)
    found = next(((t, o) for n, t, o in fields_of(type_) if n == name), None)
    if found is None:
        if isinstance(type_, OpaqueType) and isinstance(place, MemPlace) and not m.on_host:
            shift = binary("add", place.pointer.offset, _unplaced(type_.spelling, name), I64)
            return MemPlace(place.pointer.moved(shift, UNKNOWN), UNKNOWN, place.index, place.volatile)
        return None
    kind, offset = found
    if isinstance(kind, PointerType) and kind.reference:
        return None
    if isinstance(place, VarPlace):
        return VarPlace(place.decl, (*place.path, name), kind)
    shift = const(offset) if offset is not None else unknown(f"offset of {name}", I64, Uniformity.GRID, origin=UNPLACED)
    pointer = place.pointer.moved(binary("add", place.pointer.offset, shift, I64), kind)
    volatile = isinstance(type_, StructType) and any(f.name == name and f.volatile for f in type_.fields)
    return MemPlace(pointer, kind, place.index, place.volatile or volatile)


@lru_cache(maxsize=1024)
def _unplaced(of: str, name: str) -> Term:
    """Where a member lies in objects of a type of which nothing is known."""
    return unknown(f"offset of {name} in {of}", I64, Uniformity.GRID, origin=UNPLACED)


def in_memory(m: Machine, place: Place) -> MemPlace:
    """``place`` as a place in memory (a variable gets an object of its own)."""
    if isinstance(place, MemPlace):
        return place
    m.materialised.add(place.decl)
    if not isinstance(place.type, ArrayType):
        # A field's address reaches its neighbours, so the object is the whole variable; an array field is one itself.
        whole = place.decl.type  # a reference may be bound to a value, which has no other place than it
        if isinstance(whole, PointerType) and whole.reference and place.path:
            whole = whole.pointee
        shift = _shift(whole, place.path)
        if shift is not None:
            root = variable_root(m, place.decl, (), whole)
            return MemPlace(PointerValue(root, const(shift), place.type), place.type)
    root = variable_root(m, place.decl, place.path, place.type)
    return MemPlace(PointerValue(root, const(0), place.type), place.type)


def _shift(type_: Type, path: tuple[str, ...]) -> int | None:
    """Bytes from the start of an object to the field ``path`` of it, or None."""
    total = 0
    for step in path:
        found = next(((kind, offset) for name, kind, offset in fields_of(type_) if name == step), None)
        if found is None or found[1] is None:
            return None
        type_, total = found[0], total + found[1]
    return total


def element_place(m: Machine, place: Place, index: Term) -> MemPlace | None:
    """The place of element ``index`` of the array at ``place``."""
    type_ = place.type
    if not isinstance(type_, (ArrayType, VectorType)):
        return None
    base = in_memory(m, place)
    moved = advance(base.pointer, index, type_.element)
    pointer = moved.typed(type_.element)
    return MemPlace(pointer, type_.element, index, base.volatile)


def pointee_place(pointer: Value, type_: Type, index: Term | None = None, volatile: bool = False) -> Place | None:
    """The place that ``pointer`` points to, seen as an object of ``type_``."""
    if isinstance(pointer, ReferenceValue):
        return pointer.place
    if isinstance(pointer, PointerValue):
        return MemPlace(pointer.typed(type_), type_, index, volatile)
    return None


# ------------------------------------------------------------------------------------------------- load, store


def record(
    m: Machine,
    place: MemPlace,
    kind: AccessKind,
    node: Node,
    value: Term | None = None,
    *,
    scope: Scope = Scope.THREAD,
    atomic_op: str = "",
    asynchronous: bool = False,
    size: int | None = None,
    handle: Term | None = None,
    new: Term | None = None,
    unchanged: Term = FALSE,
) -> None:
    """Record an access to ``place``, of ``size`` bytes when that is not the size of its type (negative: not known).
    ``unchanged``: when it puts back what is there.  ``handle``: as in
    :class:`~kernlint.analysis.trace.events.Access`."""
    if m.state is None:
        return
    root = place.pointer.root
    if root.choices:
        base = m.state.path
        for cond, pointer in chosen(place.pointer):
            if cond != FALSE:
                m.state.path = (*base, Guard(cond, GuardKind.SHORT, node.span))
                at = MemPlace(pointer, place.type, place.index, place.volatile)
                record(
                    m,
                    at,
                    kind,
                    node,
                    value,
                    scope=scope,
                    atomic_op=atomic_op,
                    asynchronous=asynchronous,
                    size=size,
                    handle=handle,
                    new=new,
                )
        m.state.path = base
        return
    touched = place.type.size if size is None else size if size >= 0 else None
    m.trace.accesses.append(
        Access(
            **m.common(node.span),
            root=root,
            offset=place.pointer.offset,
            size=touched,
            type=place.type,
            kind=kind,
            node=node,
            value=value,
            index=place.index,
            scope=scope,
            atomic_op=atomic_op,
            volatile=place.volatile or root.volatile,
            asynchronous=asynchronous,
            handle=handle,
            array=place.pointer.array,
            new=new,
            kept=unchanged,
        )
    )
    if kind is not AccessKind.READ:
        m.epoch += 1
        _written(m, root, place.pointer.offset, touched)


def _written(m: Machine, root: Root, offset: Term, size: int | None) -> None:
    """A variable kept as a value is written through memory (a pointer to it): forget what may have changed."""
    decl = root.decl
    assert m.state is not None
    if decl is None or root.kind is not RootKind.VARIABLE or decl not in m.materialised:
        return
    value = m.state.env.get(decl)
    if value is None or isinstance(value, ReferenceValue):
        return
    if root.path and not (isinstance(decl.type, StructType) and decl.type.union):
        return  # an array field, whose elements are not kept as values
    start = offset.value if not root.path else None
    m.state.env[decl] = _overwritten(value, decl.type, start, size)


def _overwritten(value: Value, type_: Type, start: int | None, size: int | None) -> Value:
    """``value`` of ``type_`` after ``size`` bytes at ``start`` in it have changed (None: not known where, how many)."""
    if isinstance(value, StructValue) and start is not None and size is not None:
        out = value
        for name, kind, at in fields_of(type_):
            field, length = value.get(name), kind.size
            if field is not None and (at is None or length is None or (at < start + size and start < at + length)):
                within = None if at is None else start - at
                out = out.with_field(name, _overwritten(field, kind, within, size))
        return out
    return unknown_value(type_, "written through a pointer")


def loaded(m: Machine, pointer: PointerValue, type_: Type) -> Value:
    """The value that memory holds at ``pointer``: the same symbol for the same place while nothing was written."""
    if isinstance(type_, (StructType, VectorType)):
        fields = fields_of(type_)
        if fields and len(fields) <= 32:
            made: list[tuple[str, Value]] = []
            for name, kind, offset in fields:
                shift = (
                    const(offset)
                    if offset is not None
                    else unknown(f"offset of {name}", I64, Uniformity.GRID, origin=UNPLACED)
                )
                at = pointer.moved(binary("add", pointer.offset, shift, I64), kind)
                made.append((name, loaded(m, at, kind)))
            return StructValue(type_, tuple(made))
    root = pointer.root
    if root.choices:
        ways = [(cond, loaded(m, at, type_)) for cond, at in chosen(pointer)]
        out = ways[-1][1]
        for cond, value in reversed(ways[:-1]):
            out = merge(cond, value, out)
        return out
    epoch: object = 0 if root.readonly else m.epoch
    if m.on_host and m.state is not None:
        known = m.state.cells.read(root, pointer.offset, type_)
        if known is not None:
            return known
        if m.fixed and root.kind is RootKind.VARIABLE and root.decl is not None and isinstance(type_, IntType):
            number = None if pointer.offset.value is None else m.fixed.get((root.decl, pointer.offset.value))
            if number is not None and not root.path:
                return const(number, type_)
        epoch = m.state.cells.since(root, type_)
    if isinstance(type_, PointerType) and not type_.reference:
        if not m.on_host and file_pointer(root):
            epoch = sum(access.root is root and access.writes for access in m.trace.accesses)
        held = m.pointers.get(root)
        known_pointer = held.at(pointer.offset, type_.pointee) if held is not None else None
        if known_pointer is not None:
            return known_pointer
        kept = tuple(m.kept.get(root, ()))
        if kept and all(one.space is Space.SHARED for one in kept):  # the thread's own table of places in shared memory
            return PointerValue(
                unknown_root(Space.SHARED, type_.pointee, "pointer in a table", kept), const(0), type_.pointee
            )
        place_key = ("loaded", root, pointer.offset, epoch)
        made_root = m.memory.get(place_key)
        if made_root is None:
            space = Space.GLOBAL if type_.space is Space.GENERIC else type_.space
            made_root = Root(
                f"*{root.name}",
                RootKind.LOADED,
                space,
                root.decl,
                type_.pointee,
                readonly=type_.const,
                volatile=type_.volatile,
                holder=root,
                held_at=pointer.offset,
            )
            m.memory[place_key] = made_root
            m.trace.roots.append(made_root)
        return PointerValue(made_root, const(0), type_.pointee)
    stated = content(m.tables, root, pointer.offset, type_, m.language)
    if stated is not None:
        return stated
    if not m.on_host and set_before(m.single, root, pointer.offset, type_):
        given = m.given.get((root, pointer.offset, type_))
        if given is None:
            whole = root.decl is not None and isinstance(root.decl.type, IntType)
            name = root.name if whole else called(root, pointer.offset, type_)
            origin = (root, pointer.offset) if root.kind is RootKind.PARAM else root.decl
            given = Symbol(SymbolKind.PARAM, name, type_, uniformity=Uniformity.GRID, origin=origin)
            m.given[root, pointer.offset, type_] = given
        return given.term
    key = (root, pointer.offset, type_, epoch)
    new = root.kind is RootKind.UNKNOWN  # each read is of an object of its own, for all that is known
    symbol = None if new else m.loads.get(key)
    if symbol is None:
        name = called(root, pointer.offset, type_)
        symbol = Symbol(SymbolKind.LOAD, name, type_, uniformity=Uniformity.VARYING, origin=(root, pointer.offset))
        if isinstance(type_, IntType) and type_.bits < 32:
            symbol.low, symbol.high = type_.low, type_.high
        m.loads[(*key, symbol) if new else key] = symbol
    return symbol.term


def load(m: Machine, place: Place, node: Node) -> Value:
    """The value at ``place`` (an array decays to a pointer to its first element, without an access)."""
    type_ = place.type
    if isinstance(type_, ArrayType):
        base = in_memory(m, place)
        return base.pointer.typed(type_.element)
    if isinstance(place, VarPlace):
        return read_variable(m, place)
    record(m, place, AccessKind.READ, node)
    if place.volatile or place.pointer.root.volatile:
        m.epoch += 1  # the next read may give something else
    value = loaded(m, place.pointer, type_)
    if not m.on_host:
        noted(m, value)
    return value


def read_variable(m: Machine, place: VarPlace) -> Value:
    """Current value of a variable or a field of one."""
    assert m.state is not None
    value: Value | None = m.state.env.get(place.decl)
    if isinstance(value, ReferenceValue) and place.path:
        value = None
    for name in place.path:
        value = value.get(name) if isinstance(value, StructValue) else None
    if value is None:
        value = unknown_value(place.type, f"{NEVER_SET} {place.decl.name}")
        if not place.path:
            m.state.env[place.decl] = value
    return value


def store(m: Machine, place: Place | None, value: Value, node: Node) -> None:
    """Write ``value`` to ``place``; one that is not followed leaves a gap: nothing may rest on what is not written."""
    if m.state is None:
        return
    if place is None:
        m.gap("write", "a write to a place that is not followed", node.span)
        return
    if isinstance(place, VarPlace):
        write_variable(m, place, value)
        return
    if isinstance(place.type, ArrayType):
        return
    term = as_term(value) if isinstance(value, (Term, StructValue)) else None
    unchanged = FALSE if term is None or m.on_host else kept(m, place, value)
    record(m, place, AccessKind.WRITE, node, term, unchanged=unchanged)
    if not m.on_host and place.pointer.root.space is Space.PRIVATE and isinstance(place.type, PointerType):
        held = m.pointers.setdefault(place.pointer.root, Pointers({}))
        held.put(place.pointer.offset, value, not m.loops and straight(m.state.path))
    if m.on_host:
        m.state.cells.write(place.pointer.root, place.pointer.offset, place.type, value, m.serial())
    elif isinstance(value, PointerValue) and not value.root.choices:
        if place.pointer.root.space is Space.PRIVATE:
            m.kept.setdefault(place.pointer.root, {})[value.root] = None
        m.trace.addresses.append(
            Access(
                **m.common(node.span),
                root=value.root,
                offset=value.offset,
                size=None,
                type=value.pointee,
                kind=AccessKind.READ,
                node=node,
            )
        )


def write_variable(m: Machine, place: VarPlace, value: Value) -> None:
    """Give a variable, or a field of one, a new value."""
    assert m.state is not None
    env = m.state.env
    if place.decl in m.materialised:
        m.epoch += 1
    if not place.path:
        env[place.decl] = value
        return
    outer = env.get(place.decl)
    if not isinstance(outer, StructValue):
        outer = unknown_value(place.decl.type, f"{NEVER_SET} {place.decl.name}")
    env[place.decl] = _set(outer, place.path, value)


def _set(outer: Value, path: tuple[str, ...], value: Value) -> Value:
    if not path:
        return value
    if not isinstance(outer, StructValue):
        return outer
    inner = outer.get(path[0])
    if inner is None and len(path) > 1:
        return outer
    changed = _set(inner if inner is not None else value, path[1:], value)
    if isinstance(outer.type, StructType) and outer.type.union:
        # The members lie on top of each other: the others now hold its bytes in their own way.
        others = unknown_value(outer.type, f"{path[0]} of the union was written")
        assert isinstance(others, StructValue)
        if isinstance(changed, Term):
            for field in outer.type.fields:
                if field.name != path[0] and isinstance(field.type, (IntType, FloatType)):
                    others = others.with_field(field.name, _reread(changed, field.type))
        return others.with_field(path[0], changed)
    return outer.with_field(path[0], changed)


def _reread(value: Term, type_: IntType | FloatType) -> Value:
    """The bytes of a number read as another one of the same size."""
    if value.type == type_:
        return value
    if value.op == "call" and value.args[0] == "bits" and value.args[1].type == type_:
        return value.args[1]  # type: ignore[no-any-return]
    if value.type.size != type_.size:
        return unknown_value(type_, "a part of another member of the union")
    return call("bits", (value,), type_)


def havoc(m: Machine, place: Place | None, reason: str) -> None:
    """Forget what is known of the value at ``place``."""
    if place is None or m.state is None:
        return
    if isinstance(place, VarPlace):
        write_variable(m, place, unknown_value(place.type, reason))
    else:
        m.epoch += 1
        m.trace.overwritten.add(id(place.pointer.root))
        m.pointers[place.pointer.root] = Pointers(None)
        if m.on_host:
            m.state.cells.forget(place.pointer.root, place.pointer.offset, place.type, m.serial())


def forget_variable(m: Machine, decl: VarDecl | None, reason: str) -> None:
    """Forget what a kernel's variable holds that is also known as an object in memory."""
    if decl is not None and not m.on_host and m.state is not None and isinstance(m.state.env.get(decl), Term):
        havoc(m, VarPlace(decl, (), decl.type), reason)


def null_root(space: Space, element: Type) -> Root:
    """What a null pointer points to."""
    return unknown_root(space, element, "null")
