"""Translation of statements, and of a whole function."""

from __future__ import annotations

from kernlint.prove.emulate.formats import cell_format
from kernlint.prove.emulate.frame import Program, by_value, is_group, is_reference, result_type, weight
from kernlint.prove.emulate.loops import Loop, Loops
from kernlint.tree.nodes import (
    Asm,
    Assign,
    Binary,
    Block,
    Break,
    Case,
    Cast,
    Continue,
    DeclStmt,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    FunctionDecl,
    Goto,
    If,
    IncDec,
    InitList,
    IntLit,
    Label,
    OpaqueStmt,
    Ref,
    Return,
    Stmt,
    Switch,
    Trap,
    VarDecl,
    While,
)
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, StructType, VectorType


class FunctionTranslator(Loops):
    """One function of the tree as one Python function."""

    def __init__(self, program: Program, function: FunctionDecl) -> None:
        super().__init__(program, function)
        self.loops = []

    def translate(self, name: str) -> list[str]:
        """The source lines of the Python function ``name``."""
        function = self.function
        assert function.body is not None
        params = list(function.params)
        if function.this is not None:
            params.insert(0, function.this)
        names = [self.name_of(param) for param in params]
        self.enter(tuple(params))
        self.charge(weight(function.body) + 1)
        self.body_of(function.body)
        if self.program.waiting(function):
            self.emit("if 0: yield")
        head = [f"def {name}({', '.join(['T', *names])}):", "    K = T.k"]
        head += [f"    {target} = {code}" for target, code in self.prologue.items()]
        return head + self.lines

    def enter(self, params: tuple[VarDecl, ...]) -> None:
        for param in params:
            kind = param.type
            if param not in self.boxed or isinstance(kind, (ArrayType, StructType)) or is_reference(param):
                continue
            name = self.name_of(param)
            layout = self.program.layout(param.name, kind, param)
            self.emit(f"{name} = TEMP(T, {layout}, {name}, {self.cells(kind)})")

    def body_of(self, body: object) -> None:
        assert isinstance(body, Block)
        outer, self.loops = self.loops, []
        self.statement(body)
        self.loops = outer

    # ---------------------------------------------------------------------------------------------- dispatch

    def statement(self, node: Stmt | None) -> None:
        """Emit the lines of one statement."""
        if node is None:
            return
        if isinstance(node, Block):
            for item in node.body:
                self.statement(item)
        elif isinstance(node, ExprStmt):
            self.effect(node.expr)
        elif isinstance(node, DeclStmt):
            for decl in node.decls:
                self.declaration(decl)
        elif isinstance(node, If):
            self._if(node)
        elif isinstance(node, For):
            self._for(node)
        elif isinstance(node, While):
            self._while(node.cond, None, node.body)
        elif isinstance(node, DoWhile):
            self._do_while(node)
        elif isinstance(node, Switch):
            self._switch(node)
        elif isinstance(node, Return):
            self._return(node)
        elif isinstance(node, Break):
            self.emit("break")
        elif isinstance(node, Continue):
            self._continue()
        elif isinstance(node, Trap):
            self.emit(f"TRAP(T, {self.site(node)})")
        else:
            self._not_modelled(node)

    def _not_modelled(self, node: Stmt) -> None:
        if isinstance(node, Label):
            return  # without a goto it is only a name
        if isinstance(node, Goto):
            self.emit(self.unsupported("goto"))
        elif isinstance(node, Asm):
            if not (node.outputs or node.may_sync or node.writes_memory):
                return
            self.emit(self.unsupported(f"inline assembly ({' '.join(node.text.split())[:40]})"))
        elif isinstance(node, OpaqueStmt):
            self.emit(self.unsupported(f"a statement that was not understood ({node.reason})"))
        elif isinstance(node, Case):
            self.emit(self.unsupported("a case label in the middle of a statement"))
        else:
            self.emit(self.unsupported(f"a statement of kind {type(node).__name__}"))

    def suite(self, *nodes: Stmt | None) -> None:
        """Emit statements one level deeper; never empty."""
        self.depth += 1
        before = len(self.lines)
        for node in nodes:
            self.statement(node)
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1

    def effect(self, expr: Expr) -> None:
        """Emit an expression whose value is not wanted."""
        if isinstance(expr, IncDec):
            expr = IncDec(expr.span, expr.type, expr.op, True, expr.target)
        if isinstance(expr, Binary) and expr.op == ",":
            self.effect(expr.lhs)
            self.effect(expr.rhs)
            return
        if isinstance(expr, Cast) and not isinstance(result_type(expr.type), (IntType, FloatType)):
            self.effect(expr.operand)
            return
        code = self.other(expr) if isinstance(expr, (Assign, IncDec)) else self.value(expr)
        self.emit(code)

    def declaration(self, decl: VarDecl) -> None:
        """Emit a local variable."""
        if self.is_shared(decl) or self.is_module_variable(decl):
            return
        name = self.name_of(decl)
        self.assigned.add(name)
        kind, init = decl.type, decl.init
        if is_reference(decl):
            assert init is not None
            if by_value(decl):
                self._handle(name, init)
            else:
                obj, off = self.place(init)
                self.emit(f"{name} = ({obj}, {off})")
            return
        if self.in_memory(decl):
            self._object(decl, name)
            return
        if decl not in self.mutated and isinstance(kind, IntType) and init is not None:
            code, low, high = self.number(init)
            self.ranges[decl] = (max(low, kind.low), min(high, kind.high))
            self.emit(f"{name} = {code}")
            return
        if init is None:
            zero = {IntType: "0", FloatType: "0.0"}.get(type(kind), "None")
            if isinstance(kind, PointerType):
                zero = self.null()
            elif isinstance(kind, VectorType):
                zero = f"(0,) * {kind.lanes}"
            self.emit(f"{name} = {zero}")
        elif is_group(kind) or (cell_format(kind) is None and not isinstance(kind, VectorType)):
            self._handle(name, init)
        elif isinstance(kind, PointerType):
            self.emit(f"{name} = {self.value_of_pointer(init)}")
        else:
            self.emit(f"{name} = {self.value(init)}")

    def _handle(self, name: str, init: Expr) -> None:
        """A variable of a class that is not modelled (a cooperative group, a lambda): only lambdas have a value."""
        code = self.value(init)
        self.emit(f"{name} = {'None' if 'UNSUPPORTED(' in code else code}")

    def _object(self, decl: VarDecl, name: str) -> None:
        kind, init = decl.type, decl.init
        layout = self.program.layout(decl.name, kind, decl)
        if isinstance(init, InitList) and isinstance(kind, (ArrayType, StructType)):
            self.emit(f"{name} = {self.aggregate(init, kind, layout)}")
            return
        if init is None:
            self.emit(f"{name} = NEW(T, {layout})")
            return
        if isinstance(kind, ArrayType):
            self.emit(f"{name} = {self.unsupported('an array initialised by something not in braces')}")
            return
        value = self.value_of_pointer(init) if isinstance(kind, PointerType) else self.value(init)
        self.emit(f"{name} = TEMP(T, {layout}, {value}, {self.cells(kind)})")

    # ------------------------------------------------------------------------------------------ control flow

    def _if(self, node: If) -> None:
        self.statement(node.init)
        if node.is_constexpr and (node.then is None or node.other is None) and not isinstance(node.cond, Ref):
            known = self._constant(node.cond)
            if known is not None:
                self.statement(node.then if known else node.other)
                return
        self.emit(f"if {self.truth(node.cond)}:")
        self.suite(node.then)
        if node.other is not None:
            self.emit("else:")
            self.suite(node.other)

    @staticmethod
    def _constant(expr: Expr) -> bool | None:
        while isinstance(expr, Cast):
            expr = expr.operand
        return bool(expr.value) if isinstance(expr, IntLit) else None

    def _for(self, node: For) -> None:
        counted = self.counted(node)
        if counted is not None:
            self.counted_for(node, *counted)
            return
        self.statement(node.init)
        self._while(node.cond, node.step, node.body)

    def _while(self, cond: Expr | None, step: Expr | None, body: Stmt) -> None:
        self.emit(f"while {self.truth(cond) if cond is not None else 'True'}:")
        self.depth += 1
        self.charge(weight(body) + 1)

        def on_continue() -> None:
            if step is not None:
                self.effect(step)
            self.emit("continue")

        self.loops.append(Loop(on_continue))
        self.statement(body)
        self.loops.pop()
        if step is not None:
            self.effect(step)
        self.depth -= 1

    def _do_while(self, node: DoWhile) -> None:
        self.emit("while True:")
        self.depth += 1
        self.charge(weight(node.body) + 1)

        def on_continue() -> None:
            self.emit(f"if {self.truth(node.cond)}: continue")
            self.emit("break")

        self.loops.append(Loop(on_continue))
        self.statement(node.body)
        self.loops.pop()
        self.emit(f"if not {self.truth(node.cond)}: break")
        self.depth -= 1

    def _continue(self) -> None:
        if not self.loops:
            self.emit(self.unsupported("continue outside of a loop"))
            return
        loop = self.loops[-1]
        if loop.flag is not None:
            loop.flagged = True
            self.emit(f"{loop.flag} = True")
            self.emit("break")
            return
        loop.on_continue()

    def _return(self, node: Return) -> None:
        if node.value is None:
            self.emit("return")
            return
        result = self.function.result
        if isinstance(result, PointerType) and result.reference:
            obj, off = self.place(node.value)
            self.emit(f"return ({obj}, {off})")
        elif isinstance(result, PointerType):
            self.emit(f"return {self.value_of_pointer(node.value)}")
        else:
            self.emit(f"return {self.value(node.value)}")

    def _switch(self, node: Switch) -> None:
        """Segments between labels run in order once the selected one is reached; a loop of one pass takes breaks."""
        segments: list[tuple[list[Case], list[Stmt]]] = []
        for item in node.body.body:
            if isinstance(item, Case):
                if not segments or segments[-1][1]:
                    segments.append(([], []))
                segments[-1][0].append(item)
            elif segments:
                segments[-1][1].append(item)
        value, chosen = self.temporary(), self.temporary()
        self.emit(f"{value} = {self.value(node.cond)}")
        word = "if"
        default = len(segments)
        for at, (labels, _) in enumerate(segments):
            tests = []
            for label in labels:
                if label.value is None:
                    default = at
                elif label.high is not None:
                    tests.append(f"{self.value(label.value)} <= {value} <= {self.value(label.high)}")
                else:
                    tests.append(f"{value} == {self.value(label.value)}")
            if tests:
                self.emit(f"{word} {' or '.join(tests)}: {chosen} = {at}")
                word = "elif"
        if word == "if":
            self.emit(f"{chosen} = {default}")
        else:
            self.emit(f"else: {chosen} = {default}")
        flag = self.temporary()
        loop = Loop(lambda: None, flag)
        mark = len(self.lines)
        self.emit("while True:")
        self.depth += 1
        self.loops.append(loop)
        for at, (_, body) in enumerate(segments):
            self.emit(f"if {chosen} <= {at}:")
            self.suite(*body)
        self.loops.pop()
        self.emit("break")
        self.depth -= 1
        if loop.flagged:
            self.lines.insert(mark, "    " * self.depth + f"{flag} = False")
            self.emit(f"if {flag}:")
            self.depth += 1
            self._continue()
            self.depth -= 1
