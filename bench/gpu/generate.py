#!/usr/bin/env python3
"""Writes CUDA programs for a real GPU: generate.py PATH... [--out FOLDER] [--sound N] [--most N] [--refresh]

For every mutant that the emulator shows faulty, for some that it shows sound, and for the unchanged kernels: one file
with the kernel and a ``main`` that allocates each buffer to the byte, fills it as the emulator does and launches the
kernel as the emulator did.  ``manifest.json`` beside them says what the emulator and kernlint think of each.
``run.sh`` runs them under compute-sanitizer, ``compare.py`` compares.  ``--refresh`` leaves the programs as they
are and asks kernlint again.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mutants import Chosen, Mutant, Subject, faults_of, judge, kernel_of, mutants, parse
from mutation import Checker, clean_subjects

from kernlint.finding import Finding
from kernlint.prove.emulate import Fault
from kernlint.tree.nodes import FunctionDecl, Kernel, ParamDecl, Ref
from kernlint.tree.types import FloatType, IntType, PointerType, StructType, Type, VectorType, VoidType
from kernlint.tree.walk import functions_of, walk

INTEGERS = {
    (8, True): "signed char",
    (8, False): "unsigned char",
    (16, True): "short",
    (16, False): "unsigned short",
    (32, True): "int",
    (32, False): "unsigned",
    (64, True): "long long",
    (64, False): "unsigned long long",
}
FLOATS = {32: "float", 64: "double"}

HARNESS = """
#include <cstdio>
#include <vector>
struct AnyPointer {
    void *at;
    template <class T> operator T *() const { return (T *)at; }
};
template <class T> AnyPointer filled(size_t bytes) {
    AnyPointer out = {nullptr};
    if (bytes == 0) return out;
    std::vector<char> host(bytes + sizeof(T));
    for (size_t i = 0; i < bytes / sizeof(T); ++i) ((T *)host.data())[i] = (T)(int)((i * 7 + 3) % 5);
    cudaMalloc(&out.at, bytes);
    cudaMemcpy(out.at, host.data(), bytes, cudaMemcpyHostToDevice);
    return out;
}
"""


def scalar_name(kind: Type) -> str | None:
    """C's name for the scalars behind a pointer."""
    if isinstance(kind, VectorType):
        return scalar_name(kind.element)
    if isinstance(kind, IntType):
        return INTEGERS.get((kind.bits, kind.signed))
    if isinstance(kind, (StructType, VoidType)):
        return INTEGERS[8, False]
    if kind == FloatType(16):
        return "half"
    return FLOATS.get(kind.bits) if isinstance(kind, FloatType) else None


def expressible(function: FunctionDecl) -> bool:
    """Whether ``main`` can make all arguments and nothing else matters: variables of the module are not filled."""
    for each in functions_of_one(function):
        if any(isinstance(node, Ref) and node.decl.is_global and node.decl.value is None for node in walk(each)):
            return False
    return all(makeable(param) for param in function.params)


def functions_of_one(function: FunctionDecl) -> Iterator[FunctionDecl]:
    """The kernel's variant and the functions it can call."""
    return functions_of(Kernel(function))


def makeable(param: ParamDecl) -> bool:
    """Whether ``main`` can make an argument for it."""
    kind = param.type
    if isinstance(kind, PointerType):
        return not kind.reference and scalar_name(kind.pointee) is not None
    return isinstance(kind, (IntType, FloatType))


def standing_alone(text: bytes, path: str, assumptions: Sequence[str] = ()) -> bytes:
    """A text with its own headers in it and CUDA's in place of HIP's; those of host libraries are left out.

    ``assumptions``: of a finding; a macro that is ``defined`` there is here."""
    defines = [words.split()[0] for words in assumptions if re.fullmatch(r"\w+ defined", words)]
    seen: set[str] = set()
    head = "".join(f"#define {name} 1\n" for name in defines) + "#include <cuda_runtime.h>\n#include <cstdint>\n"
    out = head.encode() + _inlined(text, Path(path).parent, seen)
    return re.sub(rb"\b__shfl(_xor|_down|_up|)\(", rb"__shfl\1_sync(0xffffffffu, ", out)


def _inlined(text: bytes, folder: Path, seen: set[str]) -> bytes:
    def put(match: re.Match[bytes]) -> bytes:
        name = match[1].decode()
        places = (at / name for each in (folder, *list(folder.parents)[:4]) for at in (each, each / "include"))
        found = next((place.resolve() for place in places if place.is_file()), None)
        if found is not None:
            if str(found) in seen:
                return b""
            seen.add(str(found))
            return _inlined(found.read_bytes(), found.parent, seen)
        if name.startswith("hip/"):
            half, brain = "fp16" in name, "bf16" in name or "bfloat16" in name
            return b"#include <cuda_fp16.h>" if half else b"#include <cuda_bf16.h>" if brain else b""
        return b"" if "/" in name and not name.startswith(("cub/", "cuda/")) else match[0]

    return re.sub(
        rb"""^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]""", put, text.replace(b"#pragma once", b""), flags=re.M
    )


def program(text: bytes, function: FunctionDecl, chosen: Chosen) -> str:
    """The kernel's text and a ``main`` that launches it."""
    args = []
    for param in function.params:
        if isinstance(param.type, PointerType):
            args.append(f"filled<{scalar_name(param.type.pointee)}>({chosen.extents.get(param.name, 0)})")
        else:
            args.append(str(chosen.scalars.get(param.name, 0)))
    name = function.qualified
    if function.template_args:
        name += "<" + ", ".join(value for _, value in function.template_args) + ">"
    name = name.replace("(anonymous namespace)::", "")
    grid, block = (", ".join(map(str, dim)) for dim in (chosen.grid, chosen.block))
    return (
        re.sub(r"\bmain(?=\s*\()", "mai_", text.decode())  # a program of its own may stand around the kernel
        + HARNESS
        + f"""
int main() {{
    {name}<<<dim3({grid}), dim3({block}), {chosen.shared or 0}>>>({", ".join(args)});
    if (cudaError_t e = cudaGetLastError()) {{ std::printf("launch: %s\\n", cudaGetErrorString(e)); return 3; }}
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("end: %s\\n", cudaGetErrorString(e));
    return 0;
}}
"""
    )


def entry(
    name: str, kernel: str, mutant: Mutant | None, faults: Sequence[Fault], findings: Sequence[Finding]
) -> dict[str, Any]:
    """What the manifest says of one program."""
    return {
        "name": name,
        "kernel": kernel,
        "kind": mutant.kind if mutant else "original",
        "line": mutant.line if mutant else 0,
        "faults": sorted({described(fault) for fault in faults}),
        "kernlint": sorted({finding.code for finding in findings}),
        "witness": any(finding.witness is not None for finding in findings),
    }


def described(fault: Fault) -> str:
    where = fault.space.value if fault.space else "-"
    near = "warp" if fault.same_warp else "block" if fault.same_block else "grid"
    return f"{fault.kind.value} {where} {near}" if fault.second else f"{fault.kind.value} {where}"


class Writer:
    """Writes programs into a folder."""

    def __init__(self, folder: Path, checker: Checker) -> None:
        self.folder = folder
        self.checker = checker
        self.entries: list[dict[str, Any]] = []
        self.numbers: collections.Counter[tuple[str, str]] = collections.Counter()

    def add(self, subject: Subject, sound: int, most: int) -> None:
        """The kernel, its faulty mutants (at most ``most`` of each kind) and ``sound`` of the others."""
        stem = f"{Path(subject.path).stem}_{subject.name}"
        used: dict[int, None] = {}
        left, kinds = sound, collections.Counter[str]()
        for mutant in mutants(subject):
            verdict = judge(mutant).verdict
            if verdict not in ("faulty", "clean") or kinds[mutant.kind] >= most or (verdict == "clean" and not left):
                continue
            module = parse(subject.path, mutant.whole)
            kernel = kernel_of(module, subject.name) if module is not None else None
            assert module is not None and kernel is not None
            for index, chosen in enumerate(subject.launches):
                outcome = chosen.outcome(kernel.variants[0], module.language)
                faults = faults_of(outcome)
                if not outcome.finished or (verdict == "faulty" and not faults):
                    continue
                used.setdefault(index)
                findings = self.checker.findings(subject.path, mutant.whole, subject.name)
                self.numbers[stem, mutant.kind] += 1
                name = f"{stem}-{mutant.kind}{self.numbers[stem, mutant.kind]}"
                self.write(name, program(mutant.whole, kernel.variants[0], chosen))
                self.entries.append(entry(name, subject.name, replace(mutant, faults=faults), faults, findings))
                left -= verdict == "clean"
                kinds[mutant.kind] += verdict == "faulty"
                break
        for index in used:
            name = f"{stem}-original{index}"
            self.write(name, program(subject.text, subject.function, subject.launches[index]))
            self.entries.append(entry(name, subject.name, None, (), ()))

    def write(self, name: str, text: str) -> None:
        """One program."""
        lines = [line.rstrip() for line in text.splitlines()]
        kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
        (self.folder / f"{name}.cu").write_text("\n".join(kept) + "\n", encoding="utf-8")


def refresh(folder: Path, checker: Checker) -> None:
    """Ask kernlint again about the programs of a manifest, without the ``main`` that was added to them."""
    path = folder / "manifest.json"
    programs = json.loads(path.read_text(encoding="utf-8"))["programs"]
    for each in programs:
        text = (folder / f"{each['name']}.cu").read_text(encoding="utf-8").split(HARNESS.strip().splitlines()[0])[0]
        findings = checker.findings("program.cu", text.encode(), each["kernel"])
        each["kernlint"] = sorted({finding.code for finding in findings})
        each["witness"] = any(finding.witness is not None for finding in findings)
    path.write_text(json.dumps({"programs": programs}, indent=1), encoding="utf-8")


def main() -> int:
    """Write all programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--out", default=str(Path(__file__).parent / "out"))
    parser.add_argument("--sound", type=int, default=1, help="sound mutants of a kernel")
    parser.add_argument("--most", type=int, default=2, help="faulty mutants of a kernel and kind")
    parser.add_argument("--refresh", action="store_true", help="only kernlint's verdicts of the programs there are")
    options = parser.parse_args()
    folder = Path(options.out)
    if options.refresh:
        refresh(folder, Checker())
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    writer = Writer(folder, Checker())
    for subject in clean_subjects(options.paths, writer.checker):
        if subject.module.language == "cuda" and expressible(subject.function):
            writer.add(subject, options.sound, options.most)
            print(f"{subject.name}: {len(writer.entries)} programs", file=sys.stderr)
            text = json.dumps({"programs": writer.entries}, indent=1)
            (folder / "manifest.json").write_text(text, encoding="utf-8")
    counts = collections.Counter(each["kind"] for each in writer.entries)
    print(dict(counts), "faulty:", sum(bool(each["faults"]) for each in writer.entries))
    return 0


if __name__ == "__main__":
    sys.exit(main())
