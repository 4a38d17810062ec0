"""A report made by hand that uses everything a finding can have."""

from __future__ import annotations

from kernlint.finding import Confidence, Edit, Finding, Fix, Related, Severity, Step, Witness
from kernlint.registry import Registry
from kernlint.result import Level, Notification, Report, Result, Sources, Summary, Suppression
from kernlint.source import SourceFile, Span

TEXT = """\
// 1-D blur, \N{MATHEMATICAL SCRIPT CAPITAL X}
__global__ void blur(const float *x, float *y, int n)
{
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];

    y[i] = tile[threadIdx.x + 1];
    /* \N{MATHEMATICAL SCRIPT CAPITAL X} */ __syncthreads();
\ty[i] += a_rather_long_name[threadIdx.x] + another_rather_long_name[threadIdx.x] + the_last_one[threadIdx.x];
}
"""

DATA = TEXT.encode()


def span(text: str, path: str = "src/a stencil.cu") -> Span:
    start = DATA.index(text.encode())
    return Span(path, start, start + len(text.encode()))


WRITE, READ = span("tile[threadIdx.x]"), span("tile[threadIdx.x + 1]")
AFTER = DATA.index(b"\n", WRITE.end)

RACE = Finding(
    READ,
    "tile is read before the barrier that publishes it",
    Severity.ERROR,
    code="TST101",
    rule="bad-call",
    related=(Related(WRITE, "tile[threadIdx.x] is written"),),
    witness=Witness(
        (64, 1, 1),
        (1, 1, 1),
        (("n", 64),),
        (
            Step((0, 0, 0), (32, 0, 0), WRITE, "writes tile[32]", 32),
            Step((0, 0, 0), (31, 0, 0), READ, "reads tile[32]; no barrier in between", 32),
        ),
        replayed=True,
    ),
    assumptions=("x and y do not overlap",),
    fix=Fix("__syncthreads() after line 6", (Edit(Span(WRITE.file, AFTER, AFTER), "\n    __syncthreads();"),)),
    kernel="blur",
)

DIVERGENT = Finding(
    span("__syncthreads()"),
    "threads of one block disagree on reaching this barrier",
    Severity.WARNING,
    code="TST102",
    rule="suspect-call",
    related=(Related(span("blockIdx.x * blockDim.x + threadIdx.x"), "the condition depends on threadIdx.x, " * 4),),
    instances=("T = float, N = 32", "T = half, N = 32"),
    kernel="blur",
    confidence=Confidence.MEDIUM,
)

LONG = Finding(
    span("the_last_one[threadIdx.x]"), "read [here]", Severity.NOTE, code="TST102", rule="suspect-call", kernel="blur"
)

HIDDEN = Finding(span("x[i]"), "silenced", Severity.ERROR, code="TST101", rule="bad-call", kernel="blur")


def make(registry: Registry, root: str) -> Report:
    """The report, with its file under ``root``/src."""
    sources = Sources()
    sources.add(SourceFile("src/a stencil.cu", DATA))
    reason = Suppression("inSource", "checked by hand", span("// 1-D"))
    return Report(
        results=(
            Result(HIDDEN, "f0", reason),
            Result(RACE, "f1"),
            Result(DIVERGENT, "f2"),
            Result(LONG, "f3"),
        ),
        notifications=(
            Notification(
                Level.ERROR, "rule-crash", "rule bad-call crashed", WRITE.file, rule="TST101", detail="x.py:1"
            ),
            Notification(Level.NOTE, "partial-kernel", "kernel blur is analysed only in part", WRITE.file, READ),
            Notification(Level.ERROR, "unreadable-file", "does not exist", "/elsewhere/b.cu"),
        ),
        summary=Summary(files=1, failed=1, kernels=1, partial=1, seconds=0.214),
        sources=sources,
        registry=registry,
        root=root,
        paths=("src/a stencil.cu", "/elsewhere/b.cu"),
        command_line=("kernlint", "check", "src"),
    )
