"""Functions: declarations made once for all their uses, bodies lowered later from a work list."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TemplateArgumentKind
from kernlint.frontends.clang.lower.bounds import launch_bounds
from kernlint.frontends.clang.lower.context import Lowering, Scope
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.data import open_names, reckoned, settled
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.variables import parameter, template_parameter
from kernlint.frontends.clang.made_up import EXACT_WIDTH
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.uses import is_constant_name
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Assign,
    Block,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    Lambda,
    LaunchBounds,
    Loss,
    Member,
    OpaqueStmt,
    ParamDecl,
    Ref,
    Stmt,
)
from kernlint.tree.types import UNKNOWN, VOID, IntType, PointerType, Space, StructType, Type

MAX_INSTANCES = 4
"""Instances of one kernel that are kept."""

FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE)
_METHODS = (K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION)
_KERNEL_HEAD = pattern(r"(?:^|[\s)])(?:__kernel|kernel)\s")


PLACEHOLDER = "__kernlint_function"
"""Stands for a function that is a template argument of a forced instance."""

_INSTANCE_LIMITS = {
    FunctionKind.DEVICE: 64,
    FunctionKind.BOTH: 64,
    FunctionKind.HOST: 8,
}
"""Instances of one template, no kernel, that are lowered; uses of further ones see the template itself."""

_LAUNCHES = pattern(
    rb"<< ?<|LaunchKernel|LaunchCooperative|__global__|[eE]nqueueNDRange|clCreateKernel|ModuleGetFunction"
    rb"|\b(?:cuda|hip)Malloc|cuMemAlloc|CreateBuffer|SetKernelArg|\bdim3\b"
)
"""What launches kernels, makes them or looks them up, allocates memory for them, or has to do with their sizes."""


_SHORT = 600
"""Bytes of a host function's text that counts as short."""


class FunctionTable:
    """Every function that is in sight of the main file's code.

    :meth:`declare` hands out the one node of a function at once and queues its body; :meth:`drain` lowers the bodies,
    so that neither recursion nor a long chain of callees nests.  Without ``device``, kernels and functions that only
    the device has get empty bodies.  ``sampled``: where kernels of the main file begin of which one
    instance is enough.
    """

    def __init__(self, lowering: Lowering, device: bool = True, sampled: Collection[int] = ()) -> None:
        self.lowering = lowering
        self._sampled = sampled
        self._device = device
        self.declared: dict[int, FunctionDecl] = {}
        self.crashes: list[str] = []
        self._pending: deque[tuple[FunctionDecl, Cursor, Scope]] = deque()
        self._reckoned: set[str] = set()
        self._instances: dict[int, int] = {}  # by key of the template
        self._preferred: dict[int, set[int]] = {}
        self._launching: dict[str, bool] = {}
        self._by_name: dict[str, list[FunctionDecl]] = {}
        self._queued: set[int] = set()
        self._lambdas: dict[int, FunctionDecl] = {}

    # ------------------------------------------------------------------------------------------------- questions

    def definition(self, cursor: Cursor) -> Cursor:
        """The cursor that has the body, or the declaration when none has."""
        if cursor.is_definition:
            return cursor
        found = cursor.definition
        return found if found is not None and found.kind in FUNCTIONS else cursor

    def is_users(self, cursor: Cursor) -> bool:
        """Whether a function has a body in the user's own files."""
        found = self.definition(cursor)
        if not found.is_definition or is_implicit(found):
            return False
        return not self.lowering.in_system_header(found) or _followed(found)

    def is_declared_alone(self, cursor: Cursor) -> bool:
        """Whether the user's own files declare a function, and other files than those in sight define it."""
        found = self.definition(cursor)
        if found.is_definition or is_implicit(found) or self.lowering.in_system_header(found):
            return False
        return not self.lowering.is_made_up(found)

    def has_body(self, node: FunctionDecl) -> bool:
        """Whether ``node`` has or will have a body."""
        return node.body is not None or id(node) in self._queued

    def by_name(self, name: str, arguments: int) -> FunctionDecl | None:
        """The only function seen so far that is called ``name`` and takes so many arguments, if there is one."""
        found = [f for f in self._by_name.get(name, ()) if len(f.params) == arguments]
        return found[0] if len(found) == 1 else None

    def generic_of(self, candidates: Iterable[Cursor]) -> FunctionDecl | None:
        """The node of the only user's function among overload candidates."""
        users = [c for c in candidates if self.is_users(c)]
        return self.declare(users[0]) if len(users) == 1 else None

    # ------------------------------------------------------------------------------------------------ declaring

    def declare(self, cursor: Cursor) -> FunctionDecl:
        """The node of a function; its body, if it has one, will be lowered by :meth:`drain`."""
        cursor = self.definition(cursor)
        key = cursor.key if cursor.is_definition else cursor.canonical.key
        found = self.declared.get(key)
        if found is not None:
            return found
        template = cursor.template if cursor.kind != K.FUNCTION_TEMPLATE else None
        if template is not None and not cursor.is_definition and self.is_users(template):
            return self.declare(template)  # an error in the body kept clang from making the instance
        if template is not None and template.kind == K.FUNCTION_TEMPLATE and not self._has_room(template, cursor):
            return self.declare(template)
        node, scope = self._head(cursor)
        self.declared[key] = node
        self._by_name.setdefault(node.name, []).append(node)
        if not self.is_users(cursor) or body_of(cursor) is None or not self._matters(cursor, node):
            return node
        if not self._device and node.kind in (FunctionKind.KERNEL, FunctionKind.DEVICE):
            object.__setattr__(node, "body", Block(node.span, ()))
        else:
            self._queued.add(id(node))
            self._pending.append((node, cursor, scope))
        return node

    def discard(self, cursor: Cursor) -> None:
        """Forget an instance that turned out to be of no use."""
        cursor = self.definition(cursor)
        if self.declared.pop(cursor.key, None) is not None and (template := cursor.template) is not None:
            self._instances[template.key] = self._instances.get(template.key, 1) - 1

    def prefer(self, instances: Iterable[Cursor]) -> None:
        """Of kernels with more instances than are kept, keep those whose numbers are the largest and the least: array
        sizes and loops that go wrong do so at one of the ends."""
        groups: dict[int, list[Cursor]] = {}
        for cursor in instances:
            if cursor.template is not None:
                groups.setdefault(cursor.template.key, []).append(cursor)
        for key, group in groups.items():
            template = group[0].template
            if len(group) <= MAX_INSTANCES or template is None:
                continue
            if function_kind(self.lowering, template) is not FunctionKind.KERNEL:
                continue
            numbers = [self._numbers(cursor) for cursor in group]
            ends = [max(range(len(group)), key=lambda at: numbers[at].get(index, 0)) for index in numbers[0]]
            ends += [min(range(len(group)), key=lambda at: numbers[at].get(index, 0)) for index in numbers[0]]
            kept = list(dict.fromkeys([0, *ends, *range(len(group))]))[: self.most_instances(template)]
            self._preferred[key] = {group[at].key for at in kept}

    def _numbers(self, cursor: Cursor) -> dict[int, int]:
        """The template arguments of an instance that are numbers, by their position."""
        given = (cursor.template_argument(at) for at in range(max(cursor.template_argument_count, 0)))
        return {
            at: value
            for at, (kind, value) in enumerate(given)
            if kind == TemplateArgumentKind.INTEGRAL and isinstance(value, int)
        }

    def _has_room(self, template: Cursor, instance: Cursor) -> bool:
        """Count one more instance of a template; False when there are enough of them already."""
        preferred = self._preferred.get(template.key)
        if preferred is not None and instance.key in preferred:
            return True
        kind = function_kind(self.lowering, template)
        made = self._instances.get(template.key, 0)
        self._instances[template.key] = made + 1
        return preferred is None and made < (
            self.most_instances(template) if kind is FunctionKind.KERNEL else _INSTANCE_LIMITS[kind]
        )

    def most_instances(self, kernel: Cursor) -> int:
        """How many instances of a kernel are kept."""
        return 1 if self._sampled and kernel.in_main_file and kernel.extent.start in self._sampled else MAX_INSTANCES

    def _matters(self, cursor: Cursor, node: FunctionDecl) -> bool:
        """Host functions of headers matter only where the header has to do with kernels, or where they are short and
        give a whole number: the sizes of launches come from such."""
        if node.kind is not FunctionKind.HOST or cursor.in_main_file:
            return True
        result = node.result
        if isinstance(result, PointerType) and result.reference:
            result = result.pointee
        if isinstance(result, IntType) and cursor.extent.end - cursor.extent.start <= _SHORT:
            return True
        file = cursor.location.file or ""
        found = self._launching.get(file)
        if found is None:
            found = self._launching[file] = bool(_LAUNCHES.search(self.lowering.file_text(file)))
        return found

    def of_lambda(self, node: Lambda) -> FunctionDecl:
        """The call operator of a lambda that clang did not resolve, as its type depends on a template argument."""
        found = self._lambdas.get(id(node))
        if found is None:
            found = FunctionDecl(
                node.span, "operator()", "operator()", FunctionKind.BOTH, node.params, UNKNOWN, node.body
            )
            self._lambdas[id(node)] = found
        return found

    def known(self, cursor: Cursor) -> FunctionDecl | None:
        """The node of a function with a body, if it has one already."""
        return self.declared.get(self.definition(cursor).key)

    def _head(self, cursor: Cursor) -> tuple[FunctionDecl, Scope]:
        lowering = self.lowering
        kind = function_kind(lowering, cursor)
        scope = Scope(lowering, kind)
        scope.this = self._implicit_object(cursor)
        params: list[ParamDecl] = []
        template_params: list[str] = []
        numbers: list[ParamDecl] = []
        for child in cursor.children:
            if child.kind == K.PARM_DECL:
                params.append(parameter(scope, child, len(params)))
            elif child.kind == K.TEMPLATE_NON_TYPE_PARAMETER:
                numbers.append(template_parameter(scope, child, len(template_params)))
                template_params.append(child.spelling)
            elif child.kind in (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER):
                template_params.append(child.spelling)
        generic, arguments = self._instantiation(cursor)
        bounds = LaunchBounds()
        if kind is FunctionKind.KERNEL:
            bounds = launch_bounds(lowering, cursor, [c for c in cursor.children if c.kind == K.UNEXPOSED_ATTR])
        node = FunctionDecl(
            span=lowering.span(cursor),
            name=cursor.spelling,
            qualified=cursor.qualified_name,
            kind=kind,
            params=tuple(params),
            result=self._result(cursor),
            body=None,
            bounds=bounds,
            template_params=tuple(template_params),
            template_args=arguments,
            generic=generic,
            this=scope.this,
            name_span=self._name_span(cursor),
            internal=cursor.is_internal,
            numbers=tuple(numbers),
        )
        scope.function, scope.cursor = node, cursor
        return node, scope

    def _result(self, cursor: Cursor) -> Type:
        if cursor.kind in (K.CONSTRUCTOR, K.DESTRUCTOR):
            return VOID
        return self.lowering.types.of(cursor.result_type)

    def _implicit_object(self, cursor: Cursor) -> ParamDecl | None:
        is_method = cursor.kind in _METHODS
        owner = cursor.semantic_parent
        if cursor.kind == K.FUNCTION_TEMPLATE:
            is_method = owner is not None and owner.kind in (K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE)
        if not is_method or owner is None or cursor.is_static_method or is_closure(owner):
            return None
        kind = PointerType(self.lowering.types.of(owner.type), Space.GENERIC, cursor.is_const_method)
        return ParamDecl(self.lowering.span(cursor), "this", kind, Space.PRIVATE, index=-1)

    def _instantiation(self, cursor: Cursor) -> tuple[FunctionDecl | None, tuple[tuple[str, str], ...]]:
        if cursor.kind == K.FUNCTION_TEMPLATE:
            return None, ()
        count = cursor.template_argument_count
        if count <= 0:
            return None, ()
        template = cursor.template
        generic = None
        names: list[str] = []
        if template is not None and template.kind == K.FUNCTION_TEMPLATE:
            # An explicit specialisation stands elsewhere: it is no instance of the template's body.
            if cursor.location == template.location and not self.lowering.in_system_header(template):
                generic = self.declare(template)
            names = [c.spelling for c in template.children if c.kind in _TEMPLATE_PARAMETERS]
        texts = self.arguments_of(cursor)
        names += [f"#{index}" for index in range(len(names), count)]
        return generic, tuple(zip(names, texts, strict=False))

    def arguments_of(self, cursor: Cursor) -> tuple[str, ...]:
        """The template arguments of an instance, as text."""
        template = cursor.template
        return tuple(self._argument_text(cursor, template, i) for i in range(max(cursor.template_argument_count, 0)))

    def _argument_text(self, cursor: Cursor, template: Cursor | None, index: int) -> str:
        kind, value = cursor.template_argument(index)
        if kind == TemplateArgumentKind.TYPE and value is not None and not isinstance(value, int):
            return value.spelling
        if kind == TemplateArgumentKind.INTEGRAL:
            parameters = (
                [c for c in template.children if c.kind in _TEMPLATE_PARAMETERS] if template is not None else []
            )
            if index < len(parameters) and parameters[index].type.canonical.spelling == "bool":
                return "true" if value else "false"
            return str(value)
        return "..."

    def _name_span(self, cursor: Cursor) -> Span:
        place = cursor.location
        return Span(place.file or self.lowering.path, place.offset, place.offset + len(cursor.spelling.encode()))

    # -------------------------------------------------------------------------------------------------- bodies

    def drain(self) -> None:
        """Lower all bodies that are due, and those that they call."""
        lacking: list[FunctionDecl] = []
        while self._pending:
            node, cursor, scope = self._pending.popleft()
            try:
                body = self._body(cursor, scope)
            except Exception as error:  # one function that brings lowering down must not take the file with it
                reason = f"internal failure while reading the function: {type(error).__name__}: {error}"
                self.crashes.append(f"{node.qualified}: {reason}")
                scope.losses.append(Loss("statement", reason, node.span))
                body = Block(node.span, (OpaqueStmt(node.span, reason),))
            self.lowering.expressions += scope.expressions
            self._note_errors(node, scope)
            self._note_made_up(node, cursor, scope)
            object.__setattr__(node, "body", body)
            object.__setattr__(node, "losses", (*node.losses, *scope.losses))
            if node.kind is not FunctionKind.HOST and open_names(node.losses):
                lacking.append(node)
        for node in lacking:
            self._reckoned |= reckoned(node)
        for node in lacking:
            losses = settled(node, self._reckoned, references=not self.lowering.opencl)
            object.__setattr__(node, "losses", losses)

    def _note_errors(self, node: FunctionDecl, scope: Scope) -> None:
        """Errors of the compiler inside the function that left no other trace are losses too.

        Not so in an instance: an error in the template may be another instance's, and what is missing here shows.
        """
        span = node.span
        if node.template_args or span.file != self.lowering.path:
            return
        traces = [loss.span for loss in scope.losses] + scope.recovered
        for offset, message in self.lowering.template_errors:
            if span.start <= offset < span.end and not any(t.start <= offset <= t.end for t in traces):
                scope.losses.append(Loss("statement", f"error: {message}", Span(span.file, offset, offset)))

    def _note_made_up(self, node: FunctionDecl, cursor: Cursor, scope: Scope) -> None:
        """What device code says of names that no header gave is not known: each is a loss, at its first use.

        Calls are on record where they are made.
        """
        if not self.lowering.unsure or node.kind is FunctionKind.HOST:
            return
        for place, declaration in self.lowering.made_up_names(cursor):
            kind = _MADE_UP_KINDS.get(declaration.kind)
            if kind is not None and not declaration.spelling.startswith("__kl"):
                known = "declared" if self.lowering.is_made_up(declaration) else "known"
                if self._is_given(declaration):
                    scope.lose("given", f"{kind}{GIVEN}{declaration.spelling}", place)
                    continue
                scope.lose(kind, f"{kind} that is not {known}: {declaration.spelling}", place)

    def _is_given(self, declaration: Cursor) -> bool:
        """Whether a name can only be a number, or a type of numbers, that the program is built with."""
        if not self.lowering.is_made_up(declaration):
            return False
        if declaration.spelling in self.lowering.numbers or declaration.spelling in EXACT_WIDTH:
            return True
        if not self.lowering.self_contained:
            return False
        if declaration.kind == K.TYPEDEF_DECL:
            return not isinstance(self.lowering.types.of(declaration.type.canonical), StructType)
        return declaration.kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL) and is_constant_name(declaration.spelling)

    def _body(self, cursor: Cursor, scope: Scope) -> Block:
        body = body_of(cursor)
        assert body is not None
        done = self.lowering.lambdas.get(body.key)
        if done is not None:
            return done
        before = self._member_initialisers(cursor, scope) if cursor.kind == K.CONSTRUCTOR else ()
        lowered = scope.statement(body)
        if not isinstance(lowered, Block):
            lowered = Block(scope.span(body), (lowered,))
        return Block(lowered.span, (*before, *lowered.body)) if before else lowered

    def _member_initialisers(self, cursor: Cursor, scope: Scope) -> tuple[Stmt, ...]:
        """``S(int n) : a(n)`` as assignments to members."""
        result: list[Stmt] = []
        children = cursor.children
        for index, child in enumerate(children[:-1]):
            if child.kind != K.MEMBER_REF or not is_expression(children[index + 1]) or scope.this is None:
                continue
            value = scope.expression(children[index + 1])
            span = scope.span(child)
            type_ = scope.type(child.referenced) if child.referenced is not None else value.type
            target = Member(span, type_, Ref(span, scope.this.type, scope.this), child.spelling, True)
            result.append(ExprStmt(span, Assign(span, target.type, "", target, value)))
        if scope.kind is FunctionKind.HOST:
            given = {child.spelling for child in children if child.kind == K.MEMBER_REF}
            result[:0] = self._defaults(cursor, scope, given)
        return tuple(result)

    def _defaults(self, cursor: Cursor, scope: Scope, given: set[str]) -> Iterator[Stmt]:
        """``int a = 0;`` of a class as assignments to the members that a constructor does not initialise itself."""
        parent = cursor.semantic_parent
        for field in parent.children if parent is not None and scope.this is not None else ():
            value = next((c for c in field.children if is_expression(c)), None)
            if field.kind != K.FIELD_DECL or value is None or field.spelling in given or scope.this is None:
                continue
            span = scope.span(field)
            target = Member(span, scope.type(field), Ref(span, scope.this.type, scope.this), field.spelling, True)
            yield ExprStmt(span, Assign(span, target.type, "", target, convert(scope.expression(value), target.type)))


GIVEN = " that the build gives: "
GIVEN_NAME = "name" + GIVEN
"""How the reason of a loss begins that is a number for the build to say; the name comes behind it."""

_MADE_UP_KINDS = {
    K.VAR_DECL: "name",
    K.ENUM_CONSTANT_DECL: "name",
    K.STRUCT_DECL: "type",
    K.CLASS_TEMPLATE: "type",
    K.ENUM_DECL: "type",
    K.TYPEDEF_DECL: "type",
}
_FOLLOW = "kernlint: follow"
_TEMPLATE_PARAMETERS = (K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER)


def body_of(cursor: Cursor) -> Cursor | None:
    """The compound statement that is a function's body."""
    if cursor.kind not in FUNCTIONS:
        return None
    children = cursor.children
    if children and children[-1].kind == K.COMPOUND_STMT:
        return children[-1]
    return next((c for c in children if c.kind in (K.COMPOUND_STMT, K.CXX_TRY_STMT)), None)


def _followed(cursor: Cursor) -> bool:
    """Whether a stub says with the body of a function what it does."""
    found = cursor.template or cursor
    return any(c.kind == K.ANNOTATE_ATTR and c.spelling == _FOLLOW for c in found.children)


def is_implicit(cursor: Cursor) -> bool:
    """Whether the compiler made a special member up: it then stands where the class's name does."""
    if cursor.kind not in _METHODS:
        return False
    owner = cursor.semantic_parent
    if owner is None:
        return False
    if is_closure(owner):
        return cursor.kind != K.CXX_METHOD
    return int(LIB.getCursorLocation(cursor.raw).raw) == int(LIB.getCursorLocation(owner.raw).raw)


def is_closure(owner: Cursor) -> bool:
    """Whether a class is that of a lambda, whose captures are referred to directly."""
    return owner.kind == K.CLASS_DECL and ("lambda" in owner.spelling or owner.type.spelling.startswith("(lambda"))


def function_kind(lowering: Lowering, cursor: Cursor) -> FunctionKind:
    """Where a function runs, by its attributes."""
    if lowering.opencl:
        return FunctionKind.KERNEL if _is_opencl_kernel(lowering, cursor) else FunctionKind.DEVICE
    attributes = {c.kind for c in cursor.children if c.kind >= K.UNEXPOSED_ATTR}
    if K.CUDA_GLOBAL_ATTR in attributes:
        return FunctionKind.KERNEL
    device, host = K.CUDA_DEVICE_ATTR in attributes, K.CUDA_HOST_ATTR in attributes
    if device:
        return FunctionKind.BOTH if host else FunctionKind.DEVICE
    owner = cursor.semantic_parent
    if not attributes and owner is not None and is_closure(owner):
        return FunctionKind.BOTH
    if cursor.kind == K.CONSTRUCTOR and not host and "constexpr" in cursor.head().partition("(")[0].split():
        return FunctionKind.BOTH  # constant expressions may be wanted on both sides
    return FunctionKind.HOST


def _is_opencl_kernel(lowering: Lowering, cursor: Cursor) -> bool:
    attributes = [c for c in cursor.children if c.kind == K.UNEXPOSED_ATTR]
    if not attributes:
        return False
    for attribute in attributes:
        if lowering.source(attribute).strip() in ("__kernel", "kernel"):
            return True
    before_the_name = cursor.head().partition(f"{cursor.spelling}(")[0]  # attributes may have arguments of their own
    return bool(_KERNEL_HEAD.search(before_the_name + " "))
