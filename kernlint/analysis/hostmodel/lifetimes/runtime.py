"""What the walk over memory and handles knows of functions beyond the table of the runtimes (:mod:`kernlint.apis`).

What functions of the language's library read, which functions out of sight may wait, and which only borrow.
"""

from __future__ import annotations

from kernlint.text.patterns import pattern

READS: dict[str, tuple[int, ...]] = {
    "memcpy": (1,), "memmove": (1,), "memcmp": (0, 1), "fwrite": (0,), "write": (1,), "send": (1,),
    "std::memcpy": (1,), "std::memmove": (1,), "std::memcmp": (0, 1), "std::fwrite": (0,),
    "std::ostream::write": (1,), "std::ofstream::write": (1,), "std::fstream::write": (1,),
    "std::iostream::write": (1,), "std::ostringstream::write": (1,), "std::stringstream::write": (1,),
}  # fmt: skip
"""Functions of the C and C++ libraries that read, before they return, what an argument points to (ISO C 7.24.2, 7.21.8;
POSIX write, send; ISO C++ [ostream.unformatted]); a method's object is argument 0."""

WRITES: dict[str, tuple[int, ...]] = {
    "memcpy": (0,), "memmove": (0,), "memset": (0,), "fread": (0,), "read": (1,), "recv": (1,),
    "std::memcpy": (0,), "std::memmove": (0,), "std::memset": (0,), "std::fread": (0,),
    "std::copy": (2,), "std::copy_n": (2,), "std::fill": (0,), "std::fill_n": (0,), "std::iota": (0,),
}  # fmt: skip
"""Functions of the same libraries that write, before they return, what an argument points to."""

MAY_WAIT = pattern(
    r"\w*(?:[Ss]ync|[Ww]ait|[Qq]uery|[Ff]inish|[Bb]arrier|[Cc]allback|HostFunc|join|[Cc]omplete|[Ff]lush|[Pp]oll)\w*"
)
"""Names of functions out of sight that may wait."""

BORROWS = pattern(
    r"(?:cuda|hip|cu|cl)(?!\w*(?:Free|Release|Destroy|Delete|Dealloc|Check|Safe|Call|Try|Own|Wrap))[A-Z]\w*"
    r"|cl(?:Release|Retain)(?:Event|Kernel|Program|Context|Device|Sampler)"
    r"|(?:cuda|hip|cu)\w+(?:Object|Graph|Exec)Destroy"
    r"|(?:cublas|cufft|cusparse|cusolver|curand|cudnn|nccl|rccl|hipblas|hipfft|hipsparse|hiprand|rocblas|rocfft"
    r"|rocsparse|rocrand|miopen|clblast|npp|nvjpeg|nvtx|hipcub)\w*|CLBlast\w*"
    r"|(?:thrust|cub|hipcub|rocprim|clblast|clblas)::(?!device_ptr|device_vector).*|make_\w+"
    r"|\w*printf|puts|putchar|f(?:open|close|flush|write|puts|seek|tell|read)|perror|assert"
    r"|mem(?:cpy|set|move|cmp)|str(?:cmp|len|cpy|error)|getenv|ato[if]|time|clock|rand|srand|abs|sqrtf?|min|max"
    r"|std::(?:min|max|abs|sqrt|copy|copy_n|fill|fill_n|memcpy|memset|accumulate|sort"
    r"|cout|cerr|to_string|iota|generate)"
    r"|operator(?:<<|>>|==|!=|<|>)|std::operator(?:<<|>>)|std::basic_ostream::operator<<|cl::CommandQueue::\w+"
    r"|cl::Kernel::setArg"
)
"""Functions that use what they are given, and keep, free or wait for none of it."""

ASKS_WHAT = pattern(r"(?:cuda|hip|cu)PointerGetAttributes?")
"""Functions that say what kind of memory a pointer leads to, if any."""

ENDS_PROGRAM = frozenset({"exit", "abort", "_exit", "_Exit", "quick_exit", "terminate", "__assert_fail"})
