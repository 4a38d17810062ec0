"""Host code: launches in all their forms."""

from __future__ import annotations

from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import InitList, IntLit, Launch, OpaqueStmt, Subscript
from kernlint.tree.walk import walk

from .trees import find, kernel, lines, module, modules, only

KERNEL = "__global__ void k(float *x, int n) { x[n] = 0; } "


def launches(text: str, language: str = "cuda") -> list[Launch]:
    found = module(text, language)
    return [node for f in found.functions for node in find(f, Launch)]


def constants(extent: object) -> list[int]:
    assert isinstance(extent, InitList)
    return [e.value for e in extent.elements if isinstance(e, IntLit)]


def test_triple_chevrons() -> None:
    launch = launches(KERNEL + "void h(float *x, int n) { k<<<dim3(2, 3), 64, 128>>>(x, n); }")[0]
    assert launch.api == "<<<>>>" and launch.kernel is not None and launch.kernel.name == "k"
    assert constants(launch.grid) == [2, 3] and constants(launch.block) == [64]
    assert isinstance(launch.shared, IntLit) and launch.shared.value == 128
    assert launch.stream is None and len(launch.args) == 2


def test_braced_extents() -> None:
    text = KERNEL + "void h(float *x, int n) { k<<<{2, (3, 5)}, {64}>>>(x, n); k<<<{n / 4, 2}, {8, 8, 1}, 0>>>(x, n); }"
    first, second = launches(text)
    assert constants(first.grid)[0] == 2 and constants(first.block) == [64]
    assert isinstance(first.grid, InitList) and len(first.grid.elements) == 2
    assert isinstance(second.grid, InitList) and len(second.grid.elements) == 2
    assert constants(second.block) == [8, 8, 1] and second.kernel is not None and len(second.args) == 2


def test_extents_in_parentheses_that_depend_on_a_template() -> None:
    text = KERNEL + (
        "template <typename I> void h(float *x, I n) { dim3 g((n + 3) / 4, I(2)); k<<<g, 32>>>(x, n); }"
        "template <typename I> void one(float *x, I n) { dim3 g((n + 3) / 4); k<<<g, 32>>>(x, n); }"
    )
    _, two, one = module(text).functions
    assert lines(two)[0] == "let host struct dim3 g = struct dim3{{u32}((n + 3) / 4), {u32}(?type-parameter-0-0)2}"
    assert lines(one)[0] == "let host struct dim3 g = ((n + 3) / 4)"


def test_extents_out_of_variables_and_macros() -> None:
    text = (
        "#define GO(K, G, B, ...) K<<<G, B>>>(__VA_ARGS__)\n"
        + KERNEL
        + "void h(float *x, int n) { dim3 g(n, 2); GO(k, g, 32, x, n); }"
    )
    found = module(text)
    assert lines(found.functions[1])[-1] == "launch[<<<>>>] k(x, n) grid=g, block=struct dim3{32}"


def test_sizes_that_are_macros_in_the_argument_of_a_macro() -> None:
    text = (
        "#define THREADS 96\n#define ROOM 512\n#define CHECKED(x) do { x; seen(); } while (0)\nvoid seen();\n"
        + KERNEL
        + "void h(float *x, int n) { CHECKED((k<<<n, THREADS>>>(x, n))); CHECKED((k<<<1, THREADS, ROOM>>>(x, n))); }"
    )
    first, second = launches(text)
    assert constants(first.block) == constants(second.block) == [96]
    assert first.shared is None and first.stream is None and second.stream is None
    assert second.shared is not None


def test_launches_through_pointers_that_are_set_once() -> None:
    launch = launches(KERNEL + "void h(float *x, int n) { auto f = &k; f<<<1, 2>>>(x, n); }")[0]
    assert launch.name == "k" and launch.kernel is not None


def test_launches_in_templates_and_lambdas() -> None:
    text = (
        KERNEL
        + "template <int B> void run(float *x, int n) { k<<<n / B, B>>>(x, n); }"
        + "void h(float *x, int n) { run<64>(x, n); auto f = [&] { k<<<1, 2>>>(x, n); }; f(); }"
    )
    blocks = [launch.block for launch in launches(text)]
    assert [2] in [constants(b) for b in blocks] and [64] in [constants(b) for b in blocks]


def test_runtime_functions() -> None:
    text = (
        KERNEL
        + "void h(float *x, int n) { void *a[] = {&x, &n}; cudaLaunchKernel((void *)k, dim3(4), dim3(8, 2), a, 16, 0);"
        + "cudaLaunchCooperativeKernel((const void *)k, 2, 32, a); }"
    )
    first, second = launches(text)
    assert (first.api, second.api) == ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
    assert first.kernel is second.kernel is not None
    assert constants(first.block) == [8, 2] and constants(second.grid) == [2]
    assert len(first.args) == 2


def test_launch_attributes() -> None:
    text = (
        "#include <cuda_runtime.h>\n"
        + KERNEL
        + "void h(float *x, int n) { cudaLaunchConfig_t c = {}; c.gridDim = dim3(3); cudaLaunchKernelEx(&c, k, x, n); }"
    )
    launch = launches(text)[0]
    assert launch.api == "cudaLaunchKernelEx" and launch.kernel is not None and len(launch.args) == 2


def test_hip() -> None:
    text = (
        "#include <hip/hip_runtime.h>\n"
        + KERNEL
        + "void h(float *x, int n) { hipLaunchKernelGGL(k, dim3(1), dim3(64), 32, 0, x, n); k<<<1, 2>>>(x, n); }"
    )
    first, second = launches(text, "hip")
    assert first.api == "hipLaunchKernelGGL" and first.kernel is second.kernel is not None
    assert constants(first.block) == [64] and len(first.args) == 2


def test_hip_builtin_variables() -> None:
    text = "__global__ void k(int *q) { q[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] = 0; }"
    assert lines(kernel(text, "hip")) == ["q[((@block_id.x * @block_dim.x) + @thread_id.x)] = 0"]


def test_launches_inside_kernels_are_a_loss() -> None:
    tree = kernel(KERNEL + "__global__ void parent(float *x) { k<<<1, 32>>>(x, 0); x[0] = 1; }", name="parent").function
    assert tree.losses and lines(tree)[-1] == "x[0] = {f32}1"
    assert find(tree, OpaqueStmt)


OPENCL_HOST = """#include <CL/cl.h>
const char *source = R"CLC(
__kernel void fill(__global float *a, int n) { int i = get_global_id(0); if (i < n) a[i] = 1.0f; }
)CLC";
const char *other = "#define T 4\\n"
                    "__kernel void two(__global int *a) {\\n"  // a remark
                    "  a[get_local_id(0)] = T;\\n"
                    "}\\n";
int main() { size_t g[1] = {1024}, l[1] = {64}; cl_kernel k = clCreateKernel(0, "fill", 0);
  clEnqueueNDRangeKernel(0, k, 1, 0, g, l, 0, 0, 0); return 0; }
"""


def test_opencl_programs_in_strings_keep_the_hosts_offsets() -> None:
    host, first, second = modules(OPENCL_HOST, path="host.cpp")
    assert (host.language, first.language, second.language) == ("cuda", "opencl", "opencl")
    assert [m.kernels[0].name for m in (first, second)] == ["fill", "two"]
    for found, name in ((first, "fill"), (second, "two")):
        span = found.kernels[0].function.name_span
        assert span is not None and OPENCL_HOST[span.start : span.end] == name and span.file == "host.cpp"
    assert lines(second.kernels[0]) == ["a[@thread_id.x] = 4"]


def test_opencl_launches() -> None:
    host = modules(OPENCL_HOST, path="host.cpp")[0]
    launch = next(node for f in host.functions for node in walk(f) if isinstance(node, Launch))
    assert launch.api == "clEnqueueNDRangeKernel" and launch.name == "fill"
    sizes = [
        only(InitList(launch.span, launch.type, (size,)), Subscript) for size in (launch.global_size, launch.block)
    ]
    assert [expression_text(size) for size in sizes] == ["g[0]", "l[0]"]


def test_a_header_without_device_code_has_no_module() -> None:
    assert modules("int twice(int);", path="plain.h") == []
