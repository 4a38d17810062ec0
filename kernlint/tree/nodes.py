"""The kernel tree: what a front end yields and all analyses read.

Nodes are frozen and compared by identity; facts about them live in side tables.  Dialects end here: there is
no ``__syncthreads`` and no ``get_local_id`` in this tree, only :class:`Barrier` and :class:`LaunchValue`.
Implicit conversions are explicit :class:`Cast` nodes wherever the front end knows them, so every integer
operation has operands and a result of known width and signedness.
Code that could not be understood is an :class:`Opaque` (expression) or :class:`OpaqueStmt`: it never vanishes.
"""

from __future__ import annotations

from enum import Enum

from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree.types import Space, Type


class Scope(Enum):
    """Set of threads that an operation concerns, narrowest first."""

    THREAD = "thread"
    TILE = "tile"  # a cooperative-groups tile, or a part of a warp named by a mask
    WARP = "warp"  # CUDA warp, AMD wavefront, OpenCL sub-group
    BLOCK = "block"  # OpenCL work-group
    CLUSTER = "cluster"
    GRID = "grid"  # also: device scope
    SYSTEM = "system"


class Quantity(Enum):
    """What a :class:`LaunchValue` tells about the running thread or the launch (counts are of threads
    unless another unit is named)."""

    THREAD_ID = "thread_id"  # index in the block along an axis (threadIdx, get_local_id)
    BLOCK_ID = "block_id"  # index of the block along an axis (blockIdx, get_group_id)
    BLOCK_DIM = "block_dim"  # block size along an axis (blockDim, get_local_size)
    GRID_DIM = "grid_dim"  # grid size along an axis, in blocks (gridDim, get_num_groups)
    GLOBAL_ID = "global_id"  # get_global_id: BLOCK_ID * BLOCK_DIM + THREAD_ID + GLOBAL_OFFSET
    GLOBAL_SIZE = "global_size"  # get_global_size: all threads along an axis
    GLOBAL_OFFSET = "global_offset"  # get_global_offset
    LINEAR_THREAD_ID = "linear_thread_id"  # (z * dim_y + y) * dim_x + x within the block
    LINEAR_GLOBAL_ID = "linear_global_id"
    LINEAR_BLOCK_ID = "linear_block_id"
    BLOCK_THREADS = "block_threads"  # threads of a block, all axes
    GRID_THREADS = "grid_threads"  # threads of the grid, all axes
    GRID_BLOCKS = "grid_blocks"  # blocks of the grid, all axes
    LANE_ID = "lane_id"  # index in the warp
    WARP_ID = "warp_id"  # index of the warp in the block
    WARP_SIZE = "warp_size"
    WARPS = "warps"  # warps of a block
    TILE_RANK = "tile_rank"  # index in a cooperative-groups tile; `extent` of the node gives its size
    TILE_ID = "tile_id"  # index of the tile in its parent
    WORK_DIM = "work_dim"


# --------------------------------------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Base of everything in the tree."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class VarDecl(Node):
    """A variable: local, parameter (:class:`ParamDecl`), global, or field-less constant.

    ``space`` is where the object lives.  ``unsized`` marks ``extern __shared__ T x[]``.  ``synthesised``: the
    front end made the declaration up for a missing header, so its type and value mean nothing.
    ``value`` is the constant value of a ``constexpr``/``const`` integer or enumerator when known.  ``made``: an
    object that comes to be by code of its class, which may set some of it.
    """

    name: str
    type: Type
    space: Space
    init: Expr | None = None
    const: bool = False
    volatile: bool = False
    static: bool = False
    unsized: bool = False
    synthesised: bool = False
    value: int | None = None
    is_global: bool = False
    made: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ParamDecl(VarDecl):
    """A parameter; ``index`` counts from 0.  ``is_template``: a non-type template parameter in a generic
    tree (its value is not known there).  ``shape``: of a pointer that stands for a whole array, the parameters that
    hold its extents by axis, outermost first.  ``implicit``: the language passes it along with another one.
    ``whole``: an object that holds an array and is passed with it (``std::array``), though a pointer stands here.
    ``stated``: the elements that it has by its declaration (``float weights[9]``), which the language does not hold
    anybody to."""

    index: int = 0
    is_template: bool = False
    shape: tuple[ParamDecl, ...] = ()
    implicit: bool = False
    whole: bool = False
    stated: int | None = None


class FunctionKind(Enum):
    """Where a function runs."""

    KERNEL = "kernel"
    DEVICE = "device"
    HOST = "host"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class LaunchBounds:
    """Limits that a kernel's attributes put on its launches, in threads.

    ``max_threads``: ``__launch_bounds__`` or ``amdgpu_flat_work_group_size``.  ``required``: the exact block
    (x, y, z) of ``reqd_work_group_size``.  ``dependent``: an attribute is there but its value is not known;
    ``given``: it is for the build or the host program to say.
    """

    max_threads: int | None = None
    min_blocks: int | None = None
    required: tuple[int, int, int] | None = None
    dependent: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of a function that did not reach the tree.

    ``kind``: ``statement``, ``expression``, ``guard``, ``barrier``, ``subscript``, ``call``, ``inactive``
    (an ``#if`` branch not compiled), ``template`` (unresolved in the generic tree), ``macro``, and
    ``type`` and ``name`` for types and values that no header gave.  ``given``: a number, a type of numbers or a
    function of numbers that the build gives; nothing is missing, but what rests on its value is not known.
    """

    kind: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class FunctionDecl(Node):
    """A function with its body (None for a mere declaration).

    ``name`` is unqualified, ``qualified`` has namespaces and classes.  ``template_params`` are the generic
    parameters' names; ``template_args`` pairs (name, text) of an instance, whose ``generic`` is the template.
    ``forced``: the instance was made up, no code in sight asks for it; ``told``: the source gives the template its
    numbers, and only types are made up.  ``extent``: the whole definition.
    ``this``: the implicit object parameter of a method (pointer), else None.  ``internal``: no other file can call it
    (``static``, in an unnamed namespace).  ``numbers``: those of a template's parameters that are no types.
    """

    name: str
    qualified: str
    kind: FunctionKind
    params: tuple[ParamDecl, ...]
    result: Type
    body: Block | None
    bounds: LaunchBounds = LaunchBounds()
    template_params: tuple[str, ...] = ()
    template_args: tuple[tuple[str, str], ...] = ()
    forced: bool = False
    generic: FunctionDecl | None = None
    losses: tuple[Loss, ...] = ()
    this: ParamDecl | None = None
    name_span: Span | None = None
    internal: bool = False
    told: bool = False
    numbers: tuple[ParamDecl, ...] = ()


# ----------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True, eq=False)
class Expr(Node):
    """Base of expressions; ``type`` is the type of the value (of the object, for an lvalue)."""

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class IntLit(Expr):
    """An integer, boolean, character or enumerator constant, or a folded ``sizeof``."""

    value: int


@dataclass(frozen=True, slots=True, eq=False)
class FloatLit(Expr):
    """A floating-point constant."""

    value: float


@dataclass(frozen=True, slots=True, eq=False)
class StringLit(Expr):
    """A string constant (its text, quotes removed)."""

    value: str


@dataclass(frozen=True, slots=True, eq=False)
class SizeOf(Expr):
    """``sizeof`` of a type whose size is not known (a known one is an :class:`IntLit`)."""

    of: Type


@dataclass(frozen=True, slots=True, eq=False)
class Ref(Expr):
    """A use of a variable or parameter (an lvalue)."""

    decl: VarDecl


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRef(Expr):
    """A function named without being called (a kernel in a launch call, a callback)."""

    name: str
    function: FunctionDecl | None


@dataclass(frozen=True, slots=True, eq=False)
class LaunchValue(Expr):
    """A thread, block or launch quantity.  ``axis`` 0, 1, 2 = x, y, z; None where the quantity has no axis or
    the axis is not a constant (then ``axis_expr`` holds it).  ``extent``: threads of the tile for TILE_*."""

    quantity: Quantity
    axis: int | None = None
    axis_expr: Expr | None = None
    extent: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expr):
    """``op`` one of ``- + ~ !``."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class IncDec(Expr):
    """``++``/``--`` (``op``), before (``prefix``) or after its operand."""

    op: str
    prefix: bool
    target: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expr):
    """``op`` one of ``+ - * / % << >> & | ^ < <= > >= == != && || ,``.

    Pointer arithmetic keeps C's meaning: ``pointer + n`` moves by n pointees, ``pointer - pointer`` counts
    pointees.
    """

    op: str
    lhs: Expr
    rhs: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Expr):
    """``target = value``, or ``target op= value`` when ``op`` is not empty (``+`` for ``+=``).

    For a compound assignment ``compute`` is the type in which ``op`` is carried out (C's usual arithmetic
    conversions), or None when it is the target's.
    """

    op: str
    target: Expr
    value: Expr
    compute: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expr):
    """``cond ? then : other``; also OpenCL's scalar ``select`` is lowered to it."""

    cond: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Subscript(Expr):
    """``base[index]`` with ``base`` a pointer or array (an lvalue); of a vector it is one lane."""

    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Deref(Expr):
    """``*pointer`` (an lvalue).  ``unaligned``: a ``vloadn``-like access, aligned only to its element."""

    pointer: Expr
    unaligned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class AddressOf(Expr):
    """``&operand``."""

    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Member(Expr):
    """``base.field``, or ``base->field`` when ``arrow``.  Lanes of CUDA and OpenCL vectors are members too:
    ``v.x``, ``v.s3`` have ``lanes == (0,)``, ``(3,)``; swizzles have several (``v.xy``, ``v.lo``)."""

    base: Expr
    field: str
    arrow: bool
    lanes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Expr):
    """A conversion of ``operand`` to ``type``, written (``explicit``) or implied.  Array decay, lvalue-to-
    rvalue and qualification conversions are *not* in the tree.  ``bits``: the representation is kept
    (``reinterpret_cast`` of a value, ``__float_as_int``, ``as_int``); pointer casts change only the type."""

    operand: Expr
    explicit: bool
    bits: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class InitList(Expr):
    """Braces, an OpenCL vector literal, a constructor of a vector type, ``dim3(x, y, z)``: elements in order
    (missing ones are zero for aggregates, one for ``dim3``)."""

    elements: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """A call of a function.

    ``function`` is its declaration (with a body when it can be followed), None when not resolved.  ``name`` is
    what is called, qualified when known.  ``receiver``: the object of a method call.  ``pure_math``: a known
    function of its scalar arguments alone (``sqrtf``, ``min``...); min, max, clamp, abs and their like have
    the canonical names ``min max clamp abs mad24 mul24 popcount ctz clz ffs`` (also mulhi, rotate...).
    ``values``: what the call names for those template parameters of a generic callee that are no types, in order.
    """

    name: str
    function: FunctionDecl | None
    args: tuple[Expr, ...]
    receiver: Expr | None = None
    pure_math: bool = False
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Expr):
    """A lambda: ``params`` and ``body``; captured variables are referred to directly.  ``by_reference``: names
    in the capture list that are captured by reference (or ``&``)."""

    params: tuple[ParamDecl, ...]
    body: Block
    by_reference: bool


@dataclass(frozen=True, slots=True, eq=False)
class Barrier(Expr):
    """Execution barrier for the threads of ``scope``.

    ``fences``: spaces whose accesses it orders.  ``mask``: lanes (WARP, TILE).  ``predicate``: operand of a
    reducing barrier (``__syncthreads_or``, ``work_group_any``, collectives), whose result is uniform in the
    scope.  ``barrier_id``/``count``: a named barrier (``bar.sync id, n``).  ``part``: ``both``, ``arrive`` or
    ``wait`` for split barriers.  ``name``: how the source calls it.  ``storage``: a pointer to the memory through
    which a library's collective exchanges values, which it may still read when threads have left the barrier.
    """

    scope: Scope
    fences: frozenset[Space]
    name: str
    mask: Expr | None = None
    predicate: Expr | None = None
    barrier_id: Expr | None = None
    count: Expr | None = None
    part: str = "both"
    args: tuple[Expr, ...] = ()
    storage: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fence(Expr):
    """Memory fence without execution barrier."""

    scope: Scope
    spaces: frozenset[Space]
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Atomic(Expr):
    """An atomic operation on ``*pointer``.

    ``op``: ``load store exchange cas add sub min max and or xor inc dec flag_set``.  ``operands`` without the
    pointer.  ``order``: ``relaxed acquire release acq_rel seq_cst``.  The value is the old one.
    """

    op: str
    pointer: Expr
    operands: tuple[Expr, ...]
    scope: Scope
    order: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class WarpOp(Expr):
    """A collective of the threads of a warp or tile.

    ``kind``: ``shuffle shuffle_up shuffle_down shuffle_xor any all ballot match reduce scan broadcast
    activemask elect``.  ``mask``: participating lanes (None: all of the scope, or implicit in old intrinsics,
    see ``synchronising``).  ``width``: segment width or None.
    """

    kind: str
    scope: Scope
    name: str
    operands: tuple[Expr, ...]
    mask: Expr | None = None
    width: Expr | None = None
    synchronising: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class AsyncCopy(Expr):
    """An asynchronous copy of ``size`` bytes (None: not known) from ``source`` to ``destination``.

    ``mechanism``: ``cp_async`` (CUDA, awaited by group), ``event`` (OpenCL; the value is the event),
    ``barrier`` (memcpy_async on a barrier object), ``pipeline``, ``group`` (cooperative groups).
    ``collective``: all threads of the block take part.
    """

    mechanism: str
    destination: Expr
    source: Expr
    size: Expr | None
    collective: bool
    name: str
    event: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AsyncWait(Expr):
    """A wait for asynchronous copies of ``mechanism``; ``pending``: groups that may stay outstanding
    (None: waits for the events/objects in ``args``).  ``commit``: it only closes a group, waits for none."""

    mechanism: str
    pending: Expr | None
    args: tuple[Expr, ...]
    name: str
    commit: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Assume(Expr):
    """``assert`` (``checked``) or ``__builtin_assume``: ``cond`` holds afterwards."""

    cond: Expr
    checked: bool


@dataclass(frozen=True, slots=True, eq=False)
class ImageOp(Expr):
    """Image, texture or surface access: ``read`` or ``write``; not modelled further."""

    write: bool
    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Launch(Expr):
    """A kernel launch in host code.

    ``kernel`` is resolved within the file, else None; ``template_args`` as spelled.  ``grid`` in blocks,
    ``block`` in threads, ``shared`` in bytes; ``global_size`` (OpenCL: threads of the whole grid) takes the
    place of ``grid``.  ``api``: ``<<<>>>``, ``cudaLaunchKernel``, ``hipLaunchKernelGGL``,
    ``clEnqueueNDRangeKernel``...  ``values``: what a launch in a template, where ``kernel`` is no instance yet,
    gives for the kernel's template parameters that are no types, in order.  ``callee``: what the kernel is called
    through where it is not resolved: a parameter, a variable that is set in several places.
    ``attributes``: a pointer to the attributes of the launch.  ``packed``: the array of the arguments' addresses, where
    its list does not stand with the launch.  ``event``: the address that receives the event of OpenCL's command.
    ``beyond``: sizes that stand in OpenCL's array of them behind as many as there are said to be dimensions.
    ``offset``: what OpenCL's global ids begin at, in threads; None: at zero.
    """

    api: str
    name: str
    kernel: FunctionDecl | None
    grid: Expr | None
    block: Expr | None
    shared: Expr | None
    stream: Expr | None
    args: tuple[Expr, ...]
    global_size: Expr | None = None
    template_args: tuple[str, ...] = ()
    values: tuple[Expr, ...] = ()
    callee: Expr | None = None
    attributes: Expr | None = None
    packed: Expr | None = None
    event: Expr | None = None
    beyond: tuple[Expr, ...] = ()
    offset: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Expr):
    """An expression that could not be lowered.  ``children``: what of it could be.  ``writes``: it may write
    memory or variables it mentions; ``may_sync``: it may hold a barrier.  ``words``: the names in the text of an
    initialiser that the compiler dropped, which it may change or hand on."""

    reason: str
    children: tuple[Expr, ...] = ()
    writes: bool = False
    may_sync: bool = False
    words: frozenset[str] = frozenset()


STAGE = "stage of a pipeline shared by threads"
"""The reason of what waits for the other side of a pipeline: for room, not for copies."""


# ------------------------------------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True, eq=False)
class Stmt(Node):
    """Base of statements."""


@dataclass(frozen=True, slots=True, eq=False)
class Block(Stmt):
    """Statements in order."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DeclStmt(Stmt):
    """Local variables, each with its initialiser."""

    decls: tuple[VarDecl, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ExprStmt(Stmt):
    """An expression for its effect."""

    expr: Expr


@dataclass(frozen=True, slots=True, eq=False)
class If(Stmt):
    """``if``; ``is_constexpr``: discarded branches are None in an instance, both are there in a generic
    tree.  ``cond`` may be preceded by ``init``."""

    cond: Expr
    then: Stmt | None
    other: Stmt | None
    is_constexpr: bool = False
    init: Stmt | None = None


@dataclass(frozen=True, slots=True, eq=False)
class For(Stmt):
    """``for``; every part may be missing.  ``unroll``: the factor of ``#pragma unroll`` (0: full)."""

    init: Stmt | None
    cond: Expr | None
    step: Expr | None
    body: Stmt
    unroll: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class While(Stmt):
    """``while``."""

    cond: Expr
    body: Stmt


@dataclass(frozen=True, slots=True, eq=False)
class DoWhile(Stmt):
    """``do body while (cond)``."""

    body: Stmt
    cond: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Case(Stmt):
    """``case value:`` (or ``low ... high``), ``default:`` when ``value`` is None; a label inside a switch body,
    followed by its statements as siblings."""

    value: Expr | None
    high: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Stmt):
    """``switch``: ``body`` is a block in which :class:`Case` labels stand between the statements, so that
    fall-through is what it looks like."""

    cond: Expr
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Break(Stmt):
    """``break``."""


@dataclass(frozen=True, slots=True, eq=False)
class Continue(Stmt):
    """``continue``."""


@dataclass(frozen=True, slots=True, eq=False)
class Return(Stmt):
    """``return``."""

    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Trap(Stmt):
    """Ends the kernel abnormally (``__trap``, ``abort``): the path goes no further and is no exit to
    reason about.  ``thrown``: by an exception, after which a host program may go on.  ``checking``: in a macro, as
    those that check for errors do."""

    thrown: bool = False
    checking: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Goto(Stmt):
    """``goto label``."""

    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Label(Stmt):
    """``label:`` (a sibling of what it labels)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Asm(Stmt):
    """Inline assembly that is not one of the instructions lowered to tree nodes."""

    text: str
    outputs: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    may_sync: bool
    writes_memory: bool


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueStmt(Stmt):
    """A statement that could not be lowered; ``children`` of it that could.

    As far as its text tells: ``may_sync``: it may hold a barrier or order memory otherwise.  ``leaves``: threads may go
    another way in it.  ``words``: the names in it, which it may change; ``assigned``: those that it assigns to;
    ``followed``: those that stand before an arrow alone, whose members it names.
    """

    reason: str
    children: tuple[Node, ...] = ()
    may_sync: bool = True
    leaves: bool = True
    words: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    followed: frozenset[str] = frozenset()


# ----------------------------------------------------------------------------------------------------- module


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """One kernel of a file: the tree as written and its instances (for a template; launches' first).

    ``variants`` is what analyses run over: the instances when there are any, else the function itself.
    """

    function: FunctionDecl
    instances: tuple[FunctionDecl, ...] = ()

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def variants(self) -> tuple[FunctionDecl, ...]:
        return self.instances or (self.function,)


@dataclass(frozen=True, slots=True, eq=False)
class ClassDecl(Node):
    """A class or structure of C++ that the file itself defines.

    ``name``: with namespaces, without template arguments.  ``fields``: names and types of its own members.  ``bases``:
    names of the classes that it derives from.  ``destructor``, ``copying``, ``assigning``, ``moving``: whether the
    programmer wrote that special member (``written``), forbade it (``deleted``), asked for the compiler's
    (``default``), or said nothing (empty).  ``open``: methods are declared whose definitions are not in sight.
    """

    name: str
    fields: tuple[tuple[str, Type], ...]
    bases: tuple[str, ...]
    destructor: str
    copying: str
    assigning: str
    moving: str
    open: bool


@dataclass(frozen=True, slots=True, eq=False)
class Missed:
    """A kernel that is in the text but not in the tree, and why."""

    name: str
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class CompilerNote:
    """Something the front end's own compiler said of the file.

    ``severity``: ``warning``, ``error``, or ``certain`` for an error that nothing out of sight can cure.
    """

    severity: str
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a front end sees in the text and that the tree has no node for.

    ``kind`` says what; ``kernel`` is the kernel it is about (empty: none); ``words`` are what a message needs (names,
    types, numbers); ``related``: other places with what is there.
    """

    kind: str
    span: Span
    kernel: str = ""
    words: tuple[str, ...] = ()
    related: tuple[tuple[Span, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """All of one file that matters: ``functions`` with bodies (host ones too), ``kernels``, ``globals``,
    kernels ``missed``, and the language (``cuda``, ``hip``, ``opencl``).  ``errors``: how many the front end's own
    compiler found, with whatever was made up for missing headers.  ``cuts``: what was left out because it would take
    too long, in words.  ``written_in``: the language of the text itself, ``c`` or ``python``.  ``remarks``: see
    :class:`Remark`.  ``classes``: of C++, those of the file itself.

    ``setting``: macros and the architecture under which the source was read, in words; empty for what the build says;
    ``numbers_made_up``: some have numbers that stand nowhere, to pass a test of the preprocessor.
    A source may be read under several settings: the later modules have the kernels that show code no earlier one
    had.  ``about``: the file that is analysed, where the module is of another one that includes it: only what concerns
    that file is to be said.  ``entries``: the kernels are device functions that no kernel in sight reaches; what memory
    their callers share with them, and do to it before, is out of sight.  ``left_out_checks``: uses of macros that look
    at a runtime's errors in another build only.  ``ends_elsewhere``: classes whose destructor nobody in sight defines.
    """

    path: str
    language: str
    functions: tuple[FunctionDecl, ...]
    kernels: tuple[Kernel, ...]
    globals: tuple[VarDecl, ...]
    missed: tuple[Missed, ...] = ()
    synthesised: frozenset[str] = frozenset()
    missing_headers: tuple[str, ...] = ()
    inactive: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()
    compiler: tuple[CompilerNote, ...] = ()
    errors: int = 0
    written_in: str = "c"
    setting: str = ""
    numbers_made_up: bool = False
    remarks: tuple[Remark, ...] = ()
    about: str = ""
    cuts: tuple[str, ...] = ()
    entries: bool = False
    classes: tuple[ClassDecl, ...] = ()
    left_out_checks: tuple[Span, ...] = ()
    ends_elsewhere: frozenset[str] = frozenset()
