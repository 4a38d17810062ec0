"""The kernels that PyOpenCL, PyCUDA and CuPy make out of snippets of C.

Around the snippets stands what the library writes: the loop over the elements with its test, the names that snippets
may use (``i``, ``n``, ``a``, ``b``, ``item``...), the outer form of reductions and scans.  What is the library's own
affair alone, such as how a scan hands partial results on, is left out.  An expression that the library makes a macro of
stands where the macro would be used, so that each access has its place in the Python file.

A kernel is made only if all that decides what it does is in sight as string literals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from kernlint.frontends.clang.embedded import Program, Usage
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.python.elementwise import ELEMENT, passed_numbers
from kernlint.frontends.clang.python.launches import of_other_length
from kernlint.frontends.clang.python.program import Called, PythonProgram, arguments, dotted, program_of
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.record import dataclass, replace
from kernlint.text.patterns import pattern

_WORD = pattern(rb"[A-Za-z_]\w*")
_LAST_WORD = pattern(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")
_SPACE = pattern(rb"\b(?:__)?(?:global|local|constant|private)\b")
_COMPLEX = pattern(rb"\bc(?:float|double)_|\bcomplex\b")

TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long",
    "uint64": "unsigned long",
    "intp": "long",
    "uintp": "unsigned long",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "float": "double",
    "int": "long",
    "complex64": "cfloat_t",
    "complex128": "cdouble_t",
    "intc": "int",
    "single": "float",
    "double": "double",
}
"""What NumPy's types are called in C."""

UNKNOWN_TYPE = "unknown_dtype"
"""Stands for a type that the program only knows when it runs: it is declared nowhere."""

BLOCK = 128
"""Threads of a block in the libraries' launches of element-wise kernels over long arrays."""


@dataclass(frozen=True, slots=True)
class _Argument:
    """One parameter: its declaration, its name, whether it is an array."""

    text: Text
    name: str
    vector: bool


class _Missing(Exception):
    """Something that the kernel needs is not in sight."""


class _Snippets:
    """The arguments of one call of a library."""

    def __init__(self, program: PythonProgram, call: Called, names: tuple[str, ...]) -> None:
        self.program = program
        self.call = call
        found = arguments(call.node, names)
        if found is None:
            raise _Missing
        self.found = found
        self.opencl = program.library(program.imported(call.name)) == "pyopencl"

    def given(self, name: str) -> bool:
        """Whether an argument other than None is passed."""
        value = self.found.get(name)
        return value is not None and not (isinstance(value, ast.Constant) and value.value is None)

    def text(self, name: str, default: str | None = None) -> Text:
        """The text of an argument; ``default`` when it is left out."""
        if not self.given(name):
            if default is None:
                raise _Missing
            return made(default)
        found = self.program.text(self.found[name], self.call.scope)
        if found is None:
            raise _Missing
        return found

    def name(self, name: str, default: str) -> Text:
        """The name of the kernel, or ``default`` where it is not in sight."""
        found = self.program.text(self.found.get(name), self.call.scope)
        return found if found is not None and _WORD.fullmatch(found.data) else made(default)

    def type(self, name: str, otherwise: str = UNKNOWN_TYPE) -> str:
        """The name in C of the type that an argument names; ``otherwise`` where that is not in sight."""
        return self.type_of(self.found.get(name), otherwise)

    def type_of(self, expr: ast.expr | None, otherwise: str = UNKNOWN_TYPE) -> str:
        """The name in C of a NumPy type; ``otherwise`` where that is not in sight."""
        if expr is None:
            return otherwise
        expr, scope = self.program.resolved(expr, self.call.scope)
        if isinstance(expr, ast.Call) and (dotted(expr.func) or "").endswith("dtype") and len(expr.args) == 1:
            expr, scope = self.program.resolved(expr.args[0], scope)
        said = self.program.string(expr, scope) or (dotted(expr) or "").rpartition(".")[2]
        return TYPES.get(said, otherwise)

    def parameters(self, name: str) -> list[_Argument]:
        """The declarations in an argument that lists them: a string, or a list of ``VectorArg`` and ``ScalarArg``."""
        if not self.given(name):
            raise _Missing
        value, _ = self.program.resolved(self.found[name], self.call.scope)
        if isinstance(value, (ast.List, ast.Tuple)):
            return [self._declared(item) for item in value.elts]
        return [self._parameter(part) for part in self.text(name).split()]

    def _parameter(self, part: Text) -> _Argument:
        match = _LAST_WORD.search(part.data)
        if match is None:
            raise _Missing
        vector = b"*" in part.data or b"[" in part.data
        if vector and self.opencl and not _SPACE.search(part.data):
            part = made("__global ") + part
        return _Argument(part, match.group(1).decode(), vector)

    def _declared(self, item: ast.expr) -> _Argument:
        kind = (dotted(item.func) or "").rpartition(".")[2] if isinstance(item, ast.Call) else ""
        if not isinstance(item, ast.Call) or kind not in ("VectorArg", "ScalarArg") or len(item.args) < 2:
            raise _Missing
        name = self.program.text(item.args[1], self.call.scope)
        if name is None or not _WORD.fullmatch(name.data):
            raise _Missing
        vector = kind == "VectorArg"
        space = "__global " if vector and self.opencl else ""
        text = made(f"{space}{self.type_of(item.args[0])} {'*' if vector else ''}") + name
        return _Argument(text, name.data.decode(), vector)


def made_programs(host: bytes) -> Iterator[Program]:
    """The programs that the libraries make for the calls in a Python file, in order."""
    program = program_of(host)
    if program is None:
        return
    sliced = any(key.arg in ("range", "slice") for call in program.calls for key in call.node.keywords)
    for call in sorted(program.calls, key=lambda one: program.start(one.node)):
        name = program.imported(call.name)
        library = program.library(name)
        maker = _MAKERS.get((library, name.rpartition(".")[2]))
        if maker is None:
            continue
        names, make = maker
        try:
            text, usage = make(_Snippets(program, call, names))
        except _Missing:
            continue
        if usage is not None:
            usage = None if sliced else _as_called(program, call, usage)
        language = Language.OPENCL if library == "pyopencl" else Language.CUDA
        start, end = program.start(call.node), program.end(call.node.func)
        yield Program(language, text.data, start, end, text.places, usage)


def _as_called(program: PythonProgram, call: Called, usage: Usage) -> Usage:
    """``usage`` without the arrays that the program visibly makes longer or shorter than the first."""
    if len(usage.vectors) < 2:
        return usage
    other = of_other_length(program, call.node, usage.names, usage.vectors)
    kept = tuple(name for name in usage.vectors if name not in other)
    return Usage(usage.size, usage.names, kept, usage.block, usage.items)


def _code(template: str, /, **parts: Text) -> Text:
    """``template`` with each ``@name@`` replaced by a part."""
    out = Text(b"")
    for index, piece in enumerate(re.split(r"@(\w+)@", template)):
        out = out + (parts[piece] if index % 2 else made(piece))
    return out


def _signature(found: list[_Argument], *more: str) -> Text:
    return joined([*(one.text for one in found), *(made(one) for one in more)], ", ")


def _headers(found: list[_Argument], library: str, *texts: Text) -> Text:
    if any(_COMPLEX.search(text.data) for text in (*texts, *(one.text for one in found))):
        return made(f"#include <{library}>\n")
    return made("")


# ------------------------------------------------------------------------------------------------ element-wise kernels
# Indices have 64 bits here: those that have 32 in the library are nothing that a program can change.

_OPENCL_ELEMENTWISE = """@headers@@preamble@
#define PYOPENCL_ELWISE_CONTINUE continue
__kernel void @name@(@arguments@)
{
  int lid = get_local_id(0);
  int gsize = get_global_size(0);
  long work_group_start = get_local_size(0) * get_group_id(0);
  long i;
@before@
;
  for (i = work_group_start + lid; i < n; i += gsize)
  {
@operation@
;
  }
@after@
;
}
"""

_CUDA_ELEMENTWISE = """@headers@@preamble@
__global__ void @name@(@arguments@)
{
  size_t tid = threadIdx.x;
  size_t total_threads = gridDim.x * blockDim.x;
  size_t cta_start = blockDim.x * blockIdx.x;
  size_t i;
@before@
;
  for (i = cta_start + tid; i < n; i += total_threads)
  {
@operation@
;
  }
@after@
;
}
"""


def _elementwise(s: _Snippets) -> tuple[Text, Usage | None]:
    found = s.parameters("arguments")
    operation, preamble = s.text("operation"), s.text("preamble", "")
    text = _code(
        _OPENCL_ELEMENTWISE if s.opencl else _CUDA_ELEMENTWISE,
        headers=_headers(found, "pyopencl-complex.h" if s.opencl else "pycuda-complex.hpp", operation, preamble),
        preamble=preamble,
        name=s.name("name", "elwise_kernel" if s.opencl else "kernel"),
        arguments=_signature(found, "long n" if s.opencl else "size_t n"),
        before=s.text("loop_prep", ""),
        operation=operation,
        after=s.text("after_loop", ""),
    )
    return text, _usage(found, operation.data, BLOCK)


def _usage(found: list[_Argument], operation: bytes, block: int, items: int = 1) -> Usage | None:
    """The launch that the library makes: as many elements as the first array has.  The others are as long by the
    meaning of such a kernel, but where one is taken at multiples of ``i`` or by other numbers it is its own affair."""
    vectors = [one.name for one in found if one.vector]
    if not vectors:
        return None
    plain = [vectors[0]]
    for name in vectors[1:]:
        subscripts = re.findall(rb"\b%b\s*\[([^\[\]]*)\]?" % name.encode(), operation)
        if subscripts and all(re.fullmatch(rb"\s*i\s*(?:[-+]\s*\d+\s*)?", one) for one in subscripts):
            plain.append(name)
    return Usage("n", tuple(one.name for one in found), tuple(plain), block, items)


# ------------------------------------------------------------------------------------------------------- reductions

_OPENCL_REDUCTION = """@headers@@preamble@
typedef @type@ pcl_out_type;
__kernel void @name@_stage1(__global pcl_out_type *pcl_out, @arguments@unsigned int pcl_seq_count, long n)
{
  __local pcl_out_type pcl_ldata[256];
  unsigned int pcl_lid = get_local_id(0);
  long i = (long)get_group_id(0) * 256 * pcl_seq_count + pcl_lid;
  pcl_out_type pcl_acc = @neutral@;
  for (unsigned pcl_s = 0; pcl_s < pcl_seq_count; ++pcl_s)
  {
    if (i < n)
    {
      pcl_out_type pcl_mapped = (@map@
);
      pcl_out_type a = pcl_acc, b = pcl_mapped;
      pcl_acc = (@reduce@
);
    }
    i += 256;
  }
  pcl_ldata[pcl_lid] = pcl_acc;
  for (unsigned pcl_half = 128; pcl_half > 0; pcl_half /= 2)
  {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (pcl_lid < pcl_half)
    {
      pcl_out_type a = pcl_ldata[pcl_lid], b = pcl_ldata[pcl_lid + pcl_half];
      pcl_ldata[pcl_lid] = (@reduce@
);
    }
  }
  if (pcl_lid == 0) pcl_out[get_group_id(0)] = pcl_ldata[0];
}
"""

_CUDA_REDUCTION = """@headers@@preamble@
typedef @type@ out_type;
__global__ void @name@_stage1(out_type *out, @arguments@unsigned int seq_count, size_t n)
{
  extern __shared__ out_type sdata[];
  unsigned int tid = threadIdx.x;
  size_t i = (size_t)blockIdx.x * 512 * seq_count + tid;
  out_type acc = @neutral@;
  for (unsigned s = 0; s < seq_count; ++s)
  {
    if (i < n)
    {
      out_type mapped = (@map@
);
      out_type a = acc, b = mapped;
      acc = (@reduce@
);
    }
    i += 512;
  }
  sdata[tid] = acc;
  __syncthreads();
  for (unsigned half = 256; half > 0; half /= 2)
  {
    if (tid < half)
    {
      out_type a = sdata[tid], b = sdata[tid + half];
      sdata[tid] = (@reduce@
);
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}
"""


def _reduction(s: _Snippets) -> tuple[Text, Usage | None]:
    found = s.parameters("arguments")
    mapped, reduce, preamble = s.text("map_expr", "in[i]"), s.text("reduce_expr"), s.text("preamble", "")
    neutral = s.found.get("neutral")
    number = isinstance(neutral, ast.Constant) and isinstance(neutral.value, (int, float))
    signature = _signature(found)
    text = _code(
        _OPENCL_REDUCTION if s.opencl else _CUDA_REDUCTION,
        headers=_headers(found, "pyopencl-complex.h" if s.opencl else "pycuda-complex.hpp", mapped, reduce, preamble),
        preamble=preamble,
        type=made(s.type("dtype_out")),
        name=s.name("name", "reduce_kernel"),
        arguments=signature + made(", ") if found else signature,
        neutral=made(repr(neutral.value)) if number else s.text("neutral"),  # type: ignore[union-attr]
        map=mapped,
        reduce=reduce,
    )
    return text, _usage(found, mapped.data, 256 if s.opencl else 512, 4)


# ------------------------------------------------------------------------------------------------------------ scans

_OPENCL_SCAN = """@preamble@
typedef @type@ scan_type;
typedef @index@ index_type;
__kernel void @name@_scan_intervals(@arguments@, __global scan_type *restrict partial_scan_buffer, const index_type N,
    const index_type interval_size)
{
  const index_type interval_begin = interval_size * get_group_id(0);
  const index_type interval_end = min(interval_begin + interval_size, N);
  for (index_type i = interval_begin + get_local_id(0); i < interval_end; i += get_local_size(0))
  {
@fetched@
    scan_type scan_value = (@input@
);
    bool across_seg_boundary = false;
@segment@
    scan_type a = scan_value, b = scan_value;
    partial_scan_buffer[i] = (@scan@
);
  }
}

__kernel void @name@_final_update(@arguments@, __global const scan_type *restrict partial_scan_buffer,
    __global const scan_type *restrict interval_results, const index_type N, const index_type interval_size)
{
  const index_type interval_begin = interval_size * get_group_id(0);
  const index_type interval_end = min(interval_begin + interval_size, N);
  scan_type prev_item = interval_results[0];
  scan_type last_item = interval_results[0];
  for (index_type i = interval_begin + get_local_id(0); i < interval_end; i += get_local_size(0))
  {
    scan_type item = partial_scan_buffer[i];
    { @output@
; }
    prev_item = item;
  }
}
"""

_SEGMENT = """    {
      scan_type a = scan_value;
      across_seg_boundary = (@start@
);
    }
"""


def _generic_scan(s: _Snippets) -> tuple[Text, Usage | None]:
    found = s.parameters("arguments")
    if not found:
        raise _Missing
    segment = s.text("is_segment_start_expr", "")
    text = _code(
        _OPENCL_SCAN,
        preamble=_headers(found, "pyopencl-complex.h") + s.text("preamble", ""),
        type=made(s.type("dtype")),
        index=made(s.type("index_dtype", "int")),
        name=s.name("name_prefix", "scan"),
        arguments=_signature(found),
        fetched=_fetched(s),
        input=s.text("input_expr"),
        segment=_code(_SEGMENT, start=segment) if segment.data.strip() else made(""),
        scan=s.text("scan_expr"),
        output=s.text("output_statement"),
    )
    return text, None


def _fetched(s: _Snippets) -> Text:
    """The elements that the library reads ahead: (name, array, offset) each."""
    out = made("")
    if not s.given("input_fetch_exprs"):
        return out
    value, scope = s.program.resolved(s.found["input_fetch_exprs"], s.call.scope)
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise _Missing
    for item in value.elts:
        parts = item.elts if isinstance(item, ast.Tuple) and len(item.elts) == 3 else None
        if parts is None:
            raise _Missing
        name, array = s.program.string(parts[0], scope), s.program.string(parts[1], scope)
        try:
            offset = ast.literal_eval(parts[2])
        except ValueError:
            raise _Missing from None
        if name is None or array is None or offset not in (0, -1):
            raise _Missing
        line = f"__typeof__((0, {array}[0])) {name} = 0; if (i + {offset} >= 0) {name} = {array}[i + {offset}];\n"
        out = out + made(line)
    return out


_CUDA_SCAN = """@preamble@
typedef @type@ scan_type;
__global__ void @name@_scan_intervals(const scan_type *input_ary, scan_type *output_ary, const size_t N)
{
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
  {
    scan_type a = input_ary[i], b = input_ary[i];
    output_ary[i] = (@scan@
);
  }
}
"""

_OPENCL_PLAIN_SCAN = """@preamble@
typedef @type@ scan_type;
__kernel void @name@_scan_intervals(__global const scan_type *input_ary, __global scan_type *output_ary, const int N)
{
  for (int i = get_global_id(0); i < N; i += get_global_size(0))
  {
    bool across_seg_boundary = false;
    scan_type a = input_ary[i], b = input_ary[i];
    output_ary[i] = (@scan@
);
  }
}
"""


def _plain_scan(s: _Snippets) -> tuple[Text, Usage | None]:
    scan = s.text("scan_expr")
    text = _code(
        _OPENCL_PLAIN_SCAN if s.opencl else _CUDA_SCAN,
        preamble=s.text("preamble", ""),
        type=made(s.type("dtype")),
        name=s.name("name_prefix", "scan"),
        scan=scan,
    )
    return text, None


# ------------------------------------------------------------------------------------------------------- list builder

_LISTS = """
typedef int index_type;
#define USER_ARG_DECL @user_declared@
#define USER_ARGS @user_passed@
#define LIST_ARG_DECL @lists_declared@
#define LIST_ARGS @lists_passed@
@appends@
@preamble@
@generate@

__kernel void @name@_write(@kernel_arguments@index_type n)
{
  for (index_type i = get_global_id(0); i < n; i += get_global_size(0))
  {
@before@
    generate(@order@ i);
  }
}
"""


def _list_builder(s: _Snippets) -> tuple[Text, Usage | None]:
    """The kernel that writes the entries of the lists; the one that counts them runs the same snippet.

    Where entries go is the library's affair: APPEND works out the entry and steps on.
    """
    value, scope = s.program.resolved(s.found.get("list_names_and_dtypes", ast.Constant(None)), s.call.scope)
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise _Missing
    names: list[str] = []
    for item in value.elts:
        name = s.program.string(item.elts[0], scope) if isinstance(item, ast.Tuple) and len(item.elts) == 2 else None
        if name is None:
            raise _Missing
        names.append(name)
    user = s.parameters("arg_decls") if s.given("arg_decls") else []
    generate = s.text("generate_template")
    user_at, lists_at = generate.data.find(b"USER_ARG_DECL"), generate.data.find(b"LIST_ARG_DECL")
    declared = joined([one.text for one in user], ", ") + made(", ") if user else made("")
    out = _code(
        _LISTS,
        user_declared=declared,
        user_passed=made("".join(f"{one.name}, " for one in user)),
        lists_declared=made("".join(f"index_type *plb_{name}_index, " for name in names)),
        lists_passed=made("".join(f"&plb_{name}_index, " for name in names)),
        appends=made(
            "".join(
                f"#define APPEND_{name}(v) {{ __typeof__((0, (v))) plb_entry = (v); ++*plb_{name}_index; }}\n"
                for name in names
            )
        ),
        preamble=s.text("preamble", ""),
        generate=generate,
        name=s.name("name_prefix", "plb_build_list"),
        kernel_arguments=declared
        + made("".join(f"__global const index_type *plb_{name}_start_index, " for name in names)),
        before=made("".join(f"    index_type plb_{name}_index = plb_{name}_start_index[i];\n" for name in names)),
        order=made("USER_ARGS LIST_ARGS" if 0 <= user_at < lists_at else "LIST_ARGS USER_ARGS"),
    )
    return out, None


# -------------------------------------------------------------------------------------------------------------- CuPy
#
# Raw arrays are as long as the caller made them, whatever the number of elements.  So that this number is no evidence
# of an extent, each block has a part of the elements here, where in CuPy's loop all threads of the grid stride on
# together: each element is still one thread's.

_CUPY_INDEX = """struct cupy_indexer {
  ptrdiff_t count, at;
  __device__ ptrdiff_t size() const { return count; }
  __device__ ptrdiff_t get() const { return at; }
};
"""

_CUPY_ELEMENTWISE = """@preamble@
@index@@template@__global__ void @name@(@arguments@cupy_indexer _ind)
{
@before@
;
  const ptrdiff_t _begin = (ptrdiff_t)blockIdx.x * 4096;
  const ptrdiff_t _end = min(_begin + 4096, _ind.count);
  for (ptrdiff_t i = _begin + threadIdx.x; i < _end; i += blockDim.x)
  {
    _ind.at = i;
@elements@
@operation@
;
  }
@after@
;
}
"""

_CUPY_REDUCTION = """@preamble@
@index@@template@__global__ void __launch_bounds__(512) @name@(@arguments@cupy_indexer _ind)
{
  typedef @reduced@ _type_reduce;
  __shared__ _type_reduce _sdata[512];
  unsigned int _tid = threadIdx.x;
  _type_reduce _s = @first@;
  for (ptrdiff_t i = threadIdx.x; i < _ind.count; i += 512)
  {
@elements@
    _type_reduce _mapped = (@map@
);
    {
      _type_reduce a = _s, b = _mapped;
      _s = (@reduce@
);
    }
  }
  _sdata[_tid] = _s;
  __syncthreads();
  for (unsigned int _block = 256; _block > 0; _block /= 2)
  {
    if (_tid < _block)
    {
      _type_reduce a = _sdata[_tid], b = _sdata[_tid + _block];
      _sdata[_tid] = (@reduce@
);
    }
    __syncthreads();
  }
  if (_tid == 0)
  {
    const ptrdiff_t i = blockIdx.x;
    _type_reduce a = _sdata[0];
@results@
@post@
;
  }
}
"""


@dataclass(frozen=True, slots=True)
class _CupyArgument:
    """A parameter as CuPy writes it: ``raw`` arrays are indexed by the snippet, others are one element of theirs, or a
    number for all elements (``plain``)."""

    raw: bool
    type: str
    name: Text
    output: bool
    plain: bool = False


def _cupy_arguments(s: _Snippets, name: str, output: bool) -> Iterator[_CupyArgument]:
    for part in s.text(name, "").split():
        words = list(_WORD.finditer(part.data))
        raw = len(words) == 3 and words[0].group() == b"raw"
        if (not raw and len(words) != 2) or b"." in part.data:
            raise _Missing
        type_, last = words[-2].group().decode(), words[-1]
        yield _CupyArgument(raw, type_, part.cut(last.start(), last.end()), output)


_CUPY_TYPES = {**TYPES, "complex64": "complex<float>", "complex128": "complex<double>"}


def _cupy(s: _Snippets, snippets: Mapping[str, Text]) -> tuple[list[_CupyArgument], dict[str, Text]]:
    found = [*_cupy_arguments(s, "in_params", False), *_cupy_arguments(s, "out_params", True)]
    generic = sorted({one.type for one in found if one.type not in _CUPY_TYPES and len(one.type) == 1})
    if any(one.type not in _CUPY_TYPES and len(one.type) != 1 for one in found):
        raise _Missing
    for one in found:
        asked = re.compile(rb"\b%b\s*(?:\.|\[\s*\w*\s*\])" % one.name.data)
        if one.raw and any(re.search(rb"\b%b\s*\." % one.name.data, text.data) for text in snippets.values()):
            raise _Missing  # its shape and strides are asked for
        if not one.raw and any(asked.search(text.data) for text in snippets.values()):
            raise _Missing
    numbers = passed_numbers(s.program, s.call.node, len(found))
    found = [replace(one, plain=True) if at in numbers and not one.raw else one for at, one in enumerate(found)]
    declared = made("")
    for one in found:
        if one.plain:
            declared = declared + made(f"const {_CUPY_TYPES.get(one.type, one.type)} ") + one.name + made(", ")
            continue
        declared = declared + made(f"{'' if one.output else 'const '}{_CUPY_TYPES.get(one.type, one.type)} *")
        declared = declared + (one.name if one.raw else made(ELEMENT) + one.name) + made(", ")
    template = f"template <{', '.join(f'typename {name}' for name in generic)}>\n" if generic else ""
    parts = {"index": made(_CUPY_INDEX), "template": made(template), "arguments": declared}
    return found, parts


def _cupy_elements(found: list[_CupyArgument], output: bool | None) -> Text:
    out = made("")
    for one in found:
        if not one.raw and not one.plain and output in (None, one.output):
            kind = _CUPY_TYPES.get(one.type, one.type)
            head = f"    {kind} &" if one.output else f"    const {kind} "
            out = out + made(head) + one.name + made(f" = {ELEMENT}") + made(one.name.data.decode()) + made("[i];\n")
    return out


def _cupy_elementwise(s: _Snippets) -> tuple[Text, Usage | None]:
    operation, preamble = s.text("operation"), s.text("preamble", "")
    before, after = s.text("loop_prep", ""), s.text("after_loop", "")
    found, parts = _cupy(s, {"operation": operation, "before": before, "after": after})
    text = _code(
        _CUPY_ELEMENTWISE,
        preamble=preamble,
        name=s.name("name", "kernel"),
        before=before,
        elements=_cupy_elements(found, None),
        operation=operation,
        after=after,
        **parts,
    )
    return text, None


def _cupy_reduction(s: _Snippets) -> tuple[Text, Usage | None]:
    mapped, reduce, post = s.text("map_expr"), s.text("reduce_expr"), s.text("post_map_expr")
    found, parts = _cupy(s, {"map": mapped, "reduce": reduce, "post": post})
    results = [one for one in found if one.output]
    if not results:
        raise _Missing
    kind = s.program.string(s.found.get("reduce_type"), s.call.scope) or results[0].type
    identity = s.found.get("identity")
    number = isinstance(identity, ast.Constant) and isinstance(identity.value, (int, float))
    first = s.text("identity", "_type_reduce()") if not number else made(repr(identity.value))  # type: ignore[union-attr]
    text = _code(
        _CUPY_REDUCTION,
        preamble=s.text("preamble", ""),
        name=s.name("name", "reduce_kernel"),
        reduced=made(_CUPY_TYPES.get(kind, kind)),
        first=first if first.data.strip() else made("_type_reduce()"),
        elements=_cupy_elements(found, False),
        map=mapped,
        reduce=reduce,
        results=_cupy_elements(found, True),
        post=post,
        **parts,
    )
    return text, None


_Maker = tuple[tuple[str, ...], Callable[[_Snippets], tuple[Text, "Usage | None"]]]

_ELEMENTWISE = ("arguments", "operation", "name")
_REDUCTION = ("dtype_out", "neutral", "reduce_expr", "map_expr", "arguments", "name")
_SCAN = ("dtype", "scan_expr", "neutral", "name_prefix", "options", "preamble", "devices")
_GENERIC = (
    "context", "dtype", "arguments", "input_expr", "scan_expr", "neutral", "output_statement",
    "is_segment_start_expr", "input_fetch_exprs", "index_dtype", "name_prefix", "options", "preamble", "devices",
)  # fmt: skip
_BUILDER = (
    "context", "list_names_and_dtypes", "generate_template", "arg_decls", "count_sharing", "devices", "name_prefix",
    "options", "preamble", "debug", "complex_kernel", "eliminate_empty_output_lists",
)  # fmt: skip
_CUPY_ELEMENT = (
    "in_params", "out_params", "operation", "name", "reduce_dims", "preamble", "no_return", "return_tuple",
)  # fmt: skip
_CUPY_REDUCE = (
    "in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr", "identity", "name", "reduce_type",
    "reduce_dims", "preamble", "options",
)  # fmt: skip

_MAKERS: dict[tuple[str | None, str], _Maker] = {
    ("pyopencl", "ElementwiseKernel"): (("context", *_ELEMENTWISE, "options"), _elementwise),
    ("pycuda", "ElementwiseKernel"): ((*_ELEMENTWISE, "keep", "options"), _elementwise),
    ("cupy", "ElementwiseKernel"): (_CUPY_ELEMENT, _cupy_elementwise),
    ("pyopencl", "ReductionKernel"): (("context", *_REDUCTION, "options", "preamble"), _reduction),
    ("pycuda", "ReductionKernel"): ((*_REDUCTION, "keep", "options", "preamble"), _reduction),
    ("cupy", "ReductionKernel"): (_CUPY_REDUCE, _cupy_reduction),
    ("pyopencl", "GenericScanKernel"): (_GENERIC, _generic_scan),
    ("pyopencl", "GenericDebugScanKernel"): (_GENERIC, _generic_scan),
    ("pyopencl", "InclusiveScanKernel"): (("context", *_SCAN), _plain_scan),
    ("pyopencl", "ExclusiveScanKernel"): (("context", *_SCAN), _plain_scan),
    ("pycuda", "InclusiveScanKernel"): (_SCAN, _plain_scan),
    ("pycuda", "ExclusiveScanKernel"): (_SCAN, _plain_scan),
    ("pyopencl", "ListOfListsBuilder"): (_BUILDER, _list_builder),
}
"""Makers of kernels by library and name: how their positional arguments are called, and what makes the program."""
