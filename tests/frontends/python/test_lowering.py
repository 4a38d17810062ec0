"""Numba kernels in the tree: types and widths, negative indices, views, captured constants, what is not understood."""

from __future__ import annotations

from kernlint.frontends.clang.python.program import program_of
from kernlint.frontends.python.module import numba_module
from kernlint.tree.dump import statement_lines
from kernlint.tree.nodes import Barrier, FloatLit, IntLit, Module, Ref, VarDecl
from kernlint.tree.types import I64, ArrayType, PointerType, Space
from kernlint.tree.walk import walk
from tests.frontends.python.pairs import HEAD, PAIRS


def module(code: str) -> Module:
    program = program_of((HEAD + code).encode())
    assert program is not None
    found = numba_module("kernel.py", program)
    assert found is not None
    return found


def text(code: str, kernel: int = 0) -> str:
    function = module(code).kernels[kernel].function
    return "\n".join(line.strip() for line in statement_lines(function.body))


def body(*lines: str, args: str = "x, out", before: str = "", jit: str = "@cuda.jit") -> str:
    inner = "\n".join(f"    {line}" for line in lines)
    return f"{before}\n{jit}\ndef k({args}):\n{inner}\n"


def test_indices_are_of_64_bits_and_launch_values_of_32() -> None:
    out = text(body("i = cuda.grid(1)", "t = cuda.threadIdx.x", "out[i] = x[t]"))
    assert "let private i64 i = (({i64}@block_id.x * {i64}@block_dim.x) + {i64}@thread_id.x)" in out
    assert "let private i32 t = @thread_id.x" in out


def test_negative_indices_count_from_the_end() -> None:
    out = text(body("i = cuda.grid(1)", "out[i] = x[-1]"))
    assert "x[(x.shape[0] + -1)]" in out
    out = text(body("i = cuda.grid(1)", "out[i] = x[i - 1]"))
    assert "? (tmp1 + x.shape[0]) : tmp1" in out


def test_an_index_that_a_test_keeps_from_falling_is_left_alone() -> None:
    for test in ("if i > 0:", "if 1 <= i < x.size:", "if i >= 1 and i < 7:"):
        assert "?" not in text(body("i = cuda.grid(1)", test, "    out[i] = x[i - 1]")), test
    assert "?" not in text(body("i = cuda.grid(1)", "if i < x.size:", "    out[i] = x[x.size - 1 - i]"))
    assert "?" not in text(body("i = cuda.grid(1)", "if i == 0:", "    return", "out[i] = x[i - 1]"))
    assert "?" not in text(body("for i in range(1, x.size):", "    out[i] = x[i - 1]"))
    assert "?" in text(body("i = cuda.grid(1)", "if i > 0:", "    i = i - 5", "    out[i] = x[i - 1]"))


def test_a_later_assignment_decides_the_type() -> None:
    out = text(body("s = 0", "for i in range(8):", "    s += x[i]", "out[0] = s", jit='@cuda.jit("(f4[:], f8[:])")'))
    assert "let private f64 s = 0.0" in out


def test_division_and_remainder_are_pythons() -> None:
    out = text(body("i = cuda.grid(1)", "out[0] = i // 3", "out[1] = i / 3", "j = i - 5", "out[2] = j // 4"))
    assert "(i / 3)" in out
    assert "({f64}i / 3.0)" in out
    assert "(j >> 2)" in out


def test_shapes_are_extents() -> None:
    found = module(body("i, j = cuda.grid(2)", "if i < x.shape[0]:", "    x[i, j] = 1"))
    params = found.kernels[0].function.params
    assert [p.name for p in params] == ["x", "x.shape[0]", "x.shape[1]", "out"]
    assert params[0].shape == params[1:3]
    assert all(p.implicit for p in params[1:3])
    assert isinstance(params[0].type, PointerType)


def test_signatures_say_types_and_ranks() -> None:
    found = module(body("x[0] = 1", args="x, n", jit='@cuda.jit("void(int32[:,:], uint8)")'))
    assert [p.name for p in found.kernels[0].function.params] == ["x", "x.shape[0]", "x.shape[1]", "n"]


def test_shared_arrays_take_their_shape_from_captured_constants() -> None:
    before = "TPB = 4 * 8\nSHAPE = (TPB, TPB + 1)\n"
    found = module(body("t = cuda.shared.array(SHAPE, dtype=float32)", "t[0, 0] = 1", before=before))
    decl = next(node for node in walk(found.kernels[0].function) if isinstance(node, VarDecl) and node.name == "t")
    assert isinstance(decl.type, ArrayType)
    assert decl.type.size == 32 * 33 * 4


def test_a_factory_leaves_its_parameter_open() -> None:
    code = "def make(width):\n    @cuda.jit\n    def k(x):\n        x[width] = 1\n    return k\n"
    assert "x[width] = " in text(code)


def test_a_parameter_of_a_factory_is_what_all_its_calls_give() -> None:
    code = "def make(width, f=None):\n    @cuda.jit\n    def k(x):\n        x[width] = f(x[0])\n    return k\n\n"
    code += "@cuda.jit(device=True)\ndef twice(v):\n    return 2 * v\n\nSIZE = 4\n"
    assert "x[4] = {f32}twice(x[0])" in text(code + "k = make(SIZE, f=twice)\n")
    assert "x[4] = {f32}twice(x[0])" in text(code + "k = make(SIZE, twice)\ndef run():\n    return make(4, twice)\n")
    assert "x[width] = {f32}twice(x[0])" in text(code + "k = make(SIZE, twice)\nother = make(5, twice)\n")
    assert "x[width] = " in text(code + "def run(*args):\n    return make(*args)\n")


def test_a_constant_array_has_the_values_that_nobody_changes() -> None:
    kernel = body("c = cuda.const.array_like(TABLE)", "out[0] = c[1, 0]")

    def values(before: str) -> list[float] | None:
        found = module(before + kernel).kernels[0].function
        decl = next(node.decl for node in walk(found) if isinstance(node, Ref) and node.decl.name == "TABLE")
        assert isinstance(decl, VarDecl)
        return [one.value for one in walk(decl.init) if isinstance(one, IntLit | FloatLit)] if decl.init else None

    assert values("TABLE = np.array([[1, -2], [3, 4]])\n") == [1, -2, 3, 4]
    assert values("TABLE = np.array(((1, 2), (3, 4)), dtype=np.float32)\n") == [1.0, 2.0, 3.0, 4.0]
    for written in ("TABLE[0, 1] = 7\n", "TABLE.fill(3)\n", "TABLE[0] += 1\n"):
        assert values("TABLE = np.array([[1, 2], [3, 4]])\n" + written) is None
    assert values("TABLE = np.array([[1, 2], [3, 400]], dtype=np.int8)\n") is None


def test_the_else_of_a_loop_runs_unless_the_loop_is_left() -> None:
    code = body("for j in range(4):", "    if x[j] == 2:", "        break", "else:", "    out[0] = 1", "out[1] = 2")
    found = module(code).kernels[0].function
    assert not found.losses
    assert "if !broken'" in text(code)
    assert "broken" not in text(code.replace("break", "x[j] = 3"))


def test_device_functions_are_made_for_their_arguments() -> None:
    code = "@cuda.jit(device=True)\ndef first(row):\n    return row[0]\n"
    out = text(code + body("i = cuda.grid(1)", "out[i] = first(x[i])", "x[i, 0] = 1"))
    assert "out[i] = first(&x[(i * x.shape[1])], x.shape[1])" in out


def test_several_values_are_returned_side_by_side() -> None:
    code = "@cuda.jit(device=True)\ndef both(a):\n    return a, a * 2\n"
    out = text(code + body("p, q = both(x[0])", "out[0] = p + q"))
    assert "both(x[0])" in out
    assert ".item1" in out


def test_views_and_whole_arrays() -> None:
    out = text(body("row = x[3]", "row[2] = 1", "part = out[4:8]", "part[:] = 0", "x[0, 0] = 2"))
    assert "let private f32*global row = &x[(3 * x.shape[1])]" in out
    assert "for (let private i64 index0' = 0;" in out


def test_variables_of_a_loop_begin_in_the_loop() -> None:
    out = text(body("for i in range(4):", "    v = x[i]", "    out[i] = v"))
    assert out.index("for (") < out.index("let private f32 v")


def test_barriers_keep_their_kinds() -> None:
    found = module(body("n = cuda.syncthreads_count(x[0] > 0)", "cuda.syncwarp()", "cuda.cg.this_grid().sync()"))
    barriers = [node for node in walk(found.kernels[0].function) if isinstance(node, Barrier)]
    assert [node.scope.value for node in barriers] == ["block", "warp", "grid"]
    assert barriers[0].predicate is not None


def test_what_is_not_understood_is_said() -> None:
    found = module(body("try:", "    x[0] = 1", "except ValueError:", "    pass", "y = [v for v in out]"))
    losses = found.kernels[0].function.losses
    assert [loss.kind for loss in losses] == ["unsupported", "unsupported"]


def test_names_of_the_decorator() -> None:
    for head, jit in (
        ("from numba import cuda as gpu\n", "@gpu.jit"),
        ("import numba\n", "@numba.cuda.jit()"),
        ("from numba.cuda import jit, grid\n", "@jit(fastmath=True)"),
        ("import numba.cuda as nc\n", "@nc.jit"),
        ("", "@cuda.jit('void(f4[:])', device=False)"),
    ):
        assert module(head + body("x[0] = 1", args="x", jit=jit)).kernels, jit
    assert module("def f(x):\n    x[0] = 1\nk = cuda.jit('void(f4[:])')(f)\n").kernels
    assert module("def f(x):\n    x[0] = 1\nk = cuda.jit(f)\n").kernels


def test_nothing_else_is_a_kernel() -> None:
    program = program_of(b"from numba import njit\n\n@njit\ndef f(x):\n    return x\n")
    assert program is not None
    assert numba_module("f.py", program) is None


def test_every_pair_is_whole() -> None:
    for pair in PAIRS:
        for kernel in module(pair.good).kernels:
            assert not kernel.function.losses, pair.name


def test_a_decorator_of_the_project_makes_a_kernel_of_what_asks_for_its_thread() -> None:
    before = "def compiled(f):\n    return cuda.jit(f, fastmath=True)\n"
    found = module(body("i = cuda.grid(1)", "if i < x.size:", "    out[i] = x[i]", before=before, jit="@compiled"))
    assert [kernel.name for kernel in found.kernels] == ["k"]


def test_a_function_compiled_under_its_own_name_is_followed() -> None:
    before = "def both(v, i):\n    return v[i], v[i] + 1\nboth = cuda.jit(both, device=True, inline=True)\n"
    out = module(body("i = cuda.grid(1)", "a, b = both(x, i)", "out[i] = a + b", before=before))
    (kernel,) = out.kernels
    assert not kernel.function.losses
    assert [function.name for function in out.functions] == ["k", "both"]


def test_parts_of_complex_arrays_are_every_other_number() -> None:
    out = text(body("i = cuda.grid(1)", "cuda.atomic.add(out.imag, i, x[i])", jit="@cuda.jit('(f8[:], c16[:])')"))
    assert "[1]" in out and "* 2" in out


def test_a_function_that_is_a_kernel_or_not_is_none_where_nobody_launches_it() -> None:
    code = "def make(sync):\n    def step(x):\n        x[0] += 1\n    step = cuda.jit(device=sync)(step)\n"
    code += "    if sync:\n        def run(x):\n            step(x)\n        return cuda.jit(device=sync)(run)\n"
    used = "    def run(x):\n        step[1, 1](x)\n    return run\n"
    found = module(code + "    return None\n" + body("x[0] = 1", args="x"))
    assert [kernel.name for kernel in found.kernels] == ["k"] and not found.remarks
    found = module(code + used)
    assert [kernel.name for kernel in found.kernels] == ["step"] and not found.remarks


def test_a_function_of_another_setting_may_have_what_numba_does_not_compile() -> None:
    twins = "if SIMULATED:\n    @cuda.jit(device=True)\n    def made(v):\n"
    twins += "        t = np.zeros(3)\n        return t[0] + v\n"
    other = "else:\n    @cuda.jit(device=True)\n    def made(v):\n        return v\n"
    kernel = body("out[0] = made(x[0])", before="from .test import SIMULATED\n" + twins + other)
    assert "unsupported" not in {loss.kind for one in module(kernel).functions for loss in one.losses}
    kernel = body("out[0] = made(x[0])", before="from .test import SIMULATED\n" + twins)
    assert "unsupported" in {loss.kind for one in module(kernel).functions for loss in one.losses}


def test_what_is_taken_apart_has_an_axis_of_its_own() -> None:
    out = text(body("i = cuda.grid(1)", "px, py = x[i]", "out[i] = px + py"))
    assert "x[((i * x.shape[1]) + 0)]" in out or "x[(i * x.shape[1])]" in out
    assert "out[0] = b" in text(body("a, b = x", "out[0] = b"))
    code = body("a, b, c = x[:3]", "x[:3] = b, a, 2 * c")
    assert "&x[0][1] = tmp2" in text(code) and not module(code).kernels[0].function.losses


def test_a_parameter_that_is_taken_apart_to_arrays_and_numbers_is_a_tuple() -> None:
    found = module(body("i = cuda.grid(1)", "step, state = params", "x[i] += step * state[0]", args="x, params"))
    function = found.kernels[0].function
    assert not function.losses
    assert [param.name for param in function.params if not param.implicit] == ["x", "params.step", "params.state"]
    assert isinstance(function.params[-2].type, PointerType)


def test_rows_of_rows_are_arrays() -> None:
    out = text(body("i = cuda.grid(1)", "f = x[SIDE][i]", "out[i] = f[0] + f[1]", before="SIDE = 1\n"))
    assert (
        "x[" in out and not module(body("i = cuda.grid(1)", "f = x[1][i]", "out[i] = f[1]")).kernels[0].function.losses
    )


def test_annotations_state_what_parameters_are() -> None:
    out = module(body("i = cuda.grid(1)", "out[i] = x[i] * pitch", args="x: torch.Tensor, pitch: int, out"))
    kinds = {one.name: one.type for one in out.kernels[0].function.params}
    assert kinds["pitch"] == I64, kinds
    assert isinstance(kinds["x"], PointerType), kinds


def test_a_mask_of_lanes_is_a_whole_number() -> None:
    out = module(body("i = cuda.grid(1)", "out[i] = cuda.all_sync(masks[i], x[i])", args="masks, x, out"))
    kinds = {one.name: one.type for one in out.kernels[0].function.params}
    assert isinstance(masks := kinds["masks"], PointerType) and masks.pointee == I64, kinds


def test_a_row_that_is_annotated_is_an_array() -> None:
    lines = ("i = cuda.grid(1)", "row: np.ndarray = table[i]", "last: int", "out[i] = row[i - 1]")
    out = text(body(*lines, args="table: np.ndarray, out"))
    assert "table[" in out and "opaque" not in out, out


def test_of_two_branches_the_one_that_numba_compiles_is_followed() -> None:
    twins = "if SIMULATED:\n    @cuda.jit(device=True)\n    def made(v):\n        return np.zeros(3)[0] + v\n"
    twins += "else:\n    @cuda.jit(device=True)\n    def made(v):\n        return 2 * v\n"
    found = module(body("out[0] = made(x[0])", before="from .test import SIMULATED\n" + twins))
    assert not any(function.losses for function in found.functions)


def test_tuples_in_tuples_are_returned() -> None:
    code = "@cuda.jit(device=True)\ndef swap(a, b):\n    return (b[0], b[1]), (a[0], a[1])\n\n"
    code += body("i = cuda.grid(1)", "(p, q) = swap(x[i], out[i])", "x[i, 0], x[i, 1] = p", "out[i, 0], out[i, 1] = q")
    assert not any(function.losses for function in module(code).functions)
    assert "= tmp1.item1.item0" in text(code)


def test_elements_whose_fields_are_taken_are_records() -> None:
    found = module(body("i = cuda.grid(1)", "x[i].a = x[i]['k'] + 1", "out[x[i].k] = x.a[i]"))
    (kernel,) = found.kernels
    fields = kernel.function.params[0].type.pointee.fields  # type: ignore[attr-defined]
    assert [(each.name, each.type == I64, each.offset) for each in fields] == [("a", False, 0), ("k", True, 8)]
    assert "x[i].a = " in text(body("i = cuda.grid(1)", "x[i].a = x[i]['k'] + 1"))
    assert "(f64*global)x[(i * 2)]" in text(body("i = cuda.grid(1)", "out[i] = x.a[i] + x[i].b + x[i].a"))
    assert not kernel.function.losses
    plain = module(body("i = cuda.grid(1)", "out[i] = x[i].real + x[i].imag")).kernels[0].function.params[0]
    assert plain.type.pointee.size is not None and "record" not in repr(plain.type)  # type: ignore[attr-defined]


def test_what_is_gone_through_side_by_side() -> None:
    for head, item in (
        ("for u, a in enumerate(x[i]):", "x[(i * x.shape[1])][index']"),
        ("for u, (a, b) in enumerate(zip(x[i], y)):", "x[(i * x.shape[1])][index']"),
        ("for (u, b), a in zip(enumerate(y), x[i]):", "x[(i * x.shape[1])][index']"),
        ("for u, a in enumerate(x[i], 1):", "x[(i * x.shape[1])][index']"),
    ):
        found = module(body("i = cuda.grid(1)", head, "    out[i, u] = a", args="x, y, out"))
        assert not found.kernels[0].function.losses, head
        assert item in "".join(statement_lines(found.kernels[0].function.body)), head
    turned = text(body("i = cuda.grid(1)", "for a in reversed(x):", "    out[i] = a"))
    assert "((x.shape[0] - 1) - index')" in turned
    whole = module(body("i = cuda.grid(1)", "for u, a in enumerate(x):", "    out[i, a] = u"))
    assert whole.kernels[0].function.params[0].type == PointerType(I64, Space.GLOBAL)


def test_shapes_are_chosen_and_turned_round() -> None:
    out = text(body("n, m = x.shape if out.size > 3 else out.shape[::-1]", "out[n - 1, m - 1] = x[0, 0]"))
    assert "? x.shape[0] : out.shape[1]" in out and "? x.shape[1] : out.shape[0]" in out


def test_numbers_of_libraries_and_complex_numbers() -> None:
    before = "try:\n    from math import nan\nexcept ImportError:\n    nan = float('nan')\n"
    for line in ("out[0] = nan", "s = 0j", "s += 1j * x[0]"):
        assert not module(body("s = 0.j", line, before=before)).kernels[0].function.losses, line


def test_fields_have_any_name() -> None:
    found = module(body("i = cuda.grid(1)", "x[i].x += x[i].v", args="x"))
    assert [each.name for each in found.kernels[0].function.params[0].type.pointee.fields] == ["x", "v"]  # type: ignore[attr-defined]
    assert not found.kernels[0].function.losses


def test_arguments_of_a_star_are_gone_through() -> None:
    for line, whole in (("out[0] += a[0]", True), ("out[0] += a", True), ("a[0] = 1", False)):
        found = module(body("for a in x:", f"    {line}", args="out, *x"))
        assert bool(found.kernels[0].function.losses) is not whole, line
