"""Arguments of a launch, set one by one or by an array of their addresses, that do not fit the kernel's parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.hostmodel.settings import ASKS, HANDLE, SETTERS, Setting, set_twice, unset
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.launching.namesakes import alike
from kernlint.analysis.launching.only_kernel import FEW, fits_listed, width
from kernlint.analysis.launching.set_alone import set_alone
from kernlint.apis.python_numbers import WIDTHS, other_number
from kernlint.source import SourceError, Span, read
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term
from kernlint.tree.launch_arguments import BY_POINTER, NO_ADDRESS
from kernlint.tree.nodes import AddressOf, Call, Expr, IntLit, Member, Opaque, ParamDecl, Ref
from kernlint.tree.types import (
    UNKNOWN,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
)
from kernlint.tree.walk import strip_casts, walk

FUNCTOR = "cl::KernelFunctor"
"""Functors set each argument as large as the type is that they are made for."""

BY_ARRAY = frozenset(
    {
        "cuLaunchKernel",
        "hipModuleLaunchKernel",
        "cuLaunchCooperativeKernel",
        "hipModuleLaunchCooperativeKernel",
        "cudaLaunchKernel",
        "hipLaunchKernel",
        "hipExtLaunchKernel",
        "cudaLaunchCooperativeKernel",
        "hipLaunchCooperativeKernel",
        "cudaLaunchKernelExC",
        "hipLaunchKernelExC",
        FUNCTOR,
    }
)
"""Functions that are given an array of the arguments' addresses (CUDA runtime and driver API, execution control; HIP
runtime API, module management)."""

_CONDITION = re.compile(r"^[ \t]*#[ \t]*if[^\n]*\n(?!\s*#[ \t]*endif)", re.MULTILINE)
"""A condition of the preprocessor with something between it and its end."""

Misfit = tuple[Span, str, tuple[Span, ...]]
"""Place, message, and the calls that led there."""


def misfits(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    """What does not fit at a launch of the kernel of ``facts``, in the order of the checks."""
    yield from (one for one in _unset(launch, facts) if alike(facts, launch.span))
    yield from _settings(launch, facts)
    yield from (one for one in (*_addresses(launch, facts), *_numbers(launch, facts)) if alike(facts, launch.span))


def _numbers(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    """Numbers that a program of Python passes for parameters which read other ones.  Of parameters of which the kernel
    writes the type out: what a macro or an alias stands for may be the build's choice."""
    kernels = launch.event.kernels if launch.event is not None else ()
    params, ours = kernels[0].params if len(kernels) == 1 else (), facts.function.params
    if len(params) != len(ours) or facts.function.template_args or facts[certain_parameters] is not None:
        return
    for given, param in zip(params, ours, strict=False):
        said = given.name.split() if given.synthesised and isinstance(param.type, (FloatType, IntType)) else ()
        if len(said) < 2 or not _SPELLED_OUT.search(_text_of(param.span)):
            continue
        passed = other_number(
            said[1], len(said) > 2, isinstance(param.type, FloatType), param.type.size, launch.node.api
        )
        if passed:
            message = f"{passed} is passed for {param.name}, which has {param.type.size} bytes"
            if param.type.size == WIDTHS[said[1]]:
                message = f"{passed} is passed for {param.name}, and the kernel reads its bits as another number"
            yield given.span, message, launch.stack


_SPELLED_OUT = re.compile(r"\b(?:int|long|short|char|unsigned|float|double|half|u?int(?:8|16|32|64)_t)\b")
"""A type of numbers that is as large in every build."""


def _text_of(span: Span) -> str:
    try:
        return read(span.file).text(span)
    except SourceError:
        return ""


def misfits_of_only(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    """What does not fit at a launch that is of the kernel of ``facts`` because there is no other: most of its arguments
    fit, memory among them, and of those that do not one is alone or two are each other's."""
    params = facts.function.params
    if len(params) < FEW or facts[certain_parameters] is not None:
        return
    found = list(_settings(launch, facts)) if launch.settings else list(_addresses(launch, facts))
    if launch.settings:
        wrong = [one for one in launch.settings if _wrong_setting(one, params[one.index])]
        fitting = [params[one.index] for one in launch.settings if one.size is not None and one not in wrong]
        exchanged = len(wrong) == 2 and not (
            _wrong_setting(wrong[0], params[wrong[1].index]) or _wrong_setting(wrong[1], params[wrong[0].index])
        )
        twice = set_twice(launch.event, launch.walk, len(params)) if launch.event and launch.walk else None
        if twice is not None and not wrong:
            again, missing = twice
            found = [(again.span, _again(again.index, params[missing].name), again.stack)]
        elif len(wrong) != 1 and not exchanged:
            return
    else:
        listed = launch.event.listed if launch.event is not None else ()
        fitting = [param for arg, param in zip(listed, params, strict=True) if fits_listed(arg, param)]
        wrong = []
    if len(fitting) >= max(2, len(params) - 2) and any(isinstance(param.type, PointerType) for param in fitting):
        yield from found


def misfits_alone(facts: Facts) -> Iterator[Misfit]:
    """What does not fit of arguments that are set by a handle of the kernel's name, wherever it is launched."""
    settings = list(set_alone(facts))
    widths: dict[tuple[Span, int], set[int | None]] = {}
    for one in settings:
        widths.setdefault((one.span, one.index), set()).add(one.size.value if one.size is not None else None)
    yield from _unfitting([one for one in settings if len(widths[one.span, one.index]) == 1], facts)


def _again(index: int, names: str) -> str:
    return f"the argument of index {index} is set a second time, and {names} is never set"


def _settings(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    yield from _unfitting(launch.settings, facts)


def _certain(facts: Facts) -> int | None:
    """How many parameters stand before the first condition of the preprocessor in the kernel's list: those that it has
    in every build, at the same index.  None: there is no such condition.

    The host sets what is behind it as it has built the kernel, which may be another way than it is read here.
    """
    function = facts.function
    if function.body is None:
        return None
    head = Span(function.span.file, function.span.start, function.body.span.start)
    text = _text_of(head)
    named = re.search(rf"\b{re.escape(function.name)}\s*\(", text)
    asked = _CONDITION.search(text, named.end() if named is not None else 0)
    if asked is None:
        return None
    first = head.start + len(text[: asked.start()].encode())
    return sum(param.span.start < first for param in function.params)


certain_parameters = KernelAnalysis("certain_parameters", _certain)
"""How many parameters of a kernel variant stand before the first condition in its list; None: there is none."""


def _unfitting(settings: Iterable[Setting], facts: Facts) -> Iterator[Misfit]:
    params = facts.function.params
    several, templated = _of_several_widths(facts)
    certain = facts[certain_parameters]
    for one in settings:
        if one.index in several or one.span in templated or (certain is not None and one.index >= certain):
            continue
        message: str | None = f"{facts.kernel.name} has {len(params)} arguments, and none of index {one.index}"
        if one.index < len(params):
            message = _wrong_setting(one, params[one.index]) or _other(one, params[one.index])
        if message is not None and alike(facts, one.span, one.index):
            yield one.span, message, one.stack


def _of_several_widths(facts: Facts) -> tuple[frozenset[int], frozenset[Span]]:
    """Arguments that different launches pass in different widths, and settings that pass another width in each instance
    of the template that launches: their type is the build's choice."""
    widths: dict[int, set[int]] = {}
    places: dict[tuple[Span, int, Span], dict[int, set[int]]] = {}
    for launch, one in ((fact, each) for fact in facts[launches] for each in fact.settings):
        if one.size is not None and one.size.value is not None:
            widths.setdefault(one.index, set()).add(one.size.value)
            found = places.setdefault((one.span, one.index, launch.span), {})
            found.setdefault(id(launch.node), set()).add(one.size.value)
    several = frozenset(index for index, found in widths.items() if len(found) > 2)
    return several, frozenset(
        span for (span, _, _), found in places.items() if len(set().union(*found.values())) > 1 < len(found)
    )


def _unset(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    """An argument that is never set, at the setting that may have been meant for it or else at the launch."""
    params = facts.function.params
    if launch.event is None or launch.walk is None or not launch.settings:
        return
    if facts[certain_parameters] is not None:
        return
    found = unset(launch.event, launch.walk, len(params))
    if found is None:
        again = set_twice(launch.event, launch.walk, len(params))
        if again is not None and not _set_elsewhere(launch, again[1], facts):
            yield again[0].span, _again(again[0].index, params[again[1]].name), again[0].stack
        return
    names = ", ".join(params[index].name for index in found.indices)
    if found.twice is not None:
        at = found.twice
        yield at.span, _again(at.index, names), at.stack
    else:
        yield launch.span, f"{names} of {facts.kernel.name} is not set before this launch", launch.stack


def _set_elsewhere(launch: LaunchFact, index: int, facts: Facts) -> bool:
    """Whether other code of the file may set an argument of the kernel, which is looked up elsewhere: by a handle of
    the same name, or as one that a call is given."""
    name = _last_name(launch.node.callee)
    for other in dict.fromkeys((facts.module_facts, *facts.module_facts.hosts_of(facts.kernel.name))):
        for function in other.module.functions:
            for node in walk(function.body) if function.body is not None else ():
                given = (*node.args, node.receiver) if isinstance(node, Call) else ()
                if not isinstance(node, Call) or all(_last_name(arg) != name for arg in given):
                    continue
                last = node.name.rpartition("::")[2]
                if last not in SETTERS and not ASKS.fullmatch(last):
                    return True
                at = strip_casts(node.args[1 if len(node.args) == 4 else 0]) if last in SETTERS else None
                if at is not None and (not isinstance(at, IntLit) or at.value == index):
                    return True
    return False


def _last_name(expr: Expr | None) -> str | None:
    """The name of the variable or member that holds a handle."""
    bare = strip_casts(expr)
    while isinstance(bare, AddressOf):
        bare = strip_casts(bare.operand)
    return bare.field if isinstance(bare, Member) else bare.decl.name if isinstance(bare, Ref) else None


def _wrong_setting(one: Setting, param: ParamDecl) -> str | None:
    size = one.size.value if one.size is not None else None
    if isinstance(param.type, PointerType) and param.type.space is Space.SHARED:
        return None if one.local or one.size is None else f"{param.name} is local memory, and takes a size alone"
    if one.local:
        if isinstance(param.type, PointerType) and size == HANDLE:
            return None  # no buffer: the kernel gets a null pointer (OpenCL API specification, clSetKernelArg)
        return f"{param.name} is no local memory, but gets a size and no value"
    wanted = HANDLE if isinstance(param.type, PointerType) else width(param.type)
    if size is None and one.size is not None and wanted is not None and _of_elements(one.size):
        return f"{words(one.size)} bytes are passed for {param.name}, which has {wanted}"
    if size is None or wanted is None or size == wanted:
        return None
    if isinstance(param.type, StructType) and width(_passed(one)) != size:
        return None  # a type of a header that is not there, of which nobody knows how large it is
    return f"{size} bytes are passed for {param.name}, which has {wanted}"


def _passed(one: Setting) -> Type:
    """The type of the variable whose address an argument is set with."""
    bare = strip_casts(one.node.args[-1]) if one.node.args else None
    if not isinstance(bare, AddressOf):
        return UNKNOWN
    kind = bare.operand.type
    return kind.pointee if isinstance(kind, PointerType) and kind.reference else kind


def _other(one: Setting, param: ParamDecl) -> str | None:
    """What an argument of the right size gets wrong: a handle in place of its address, or a number of another kind."""
    if len(one.node.args) < 3 or one.local:
        return None
    bare = strip_casts(one.node.args[-1])
    if not isinstance(bare, AddressOf):
        inner = bare.type.pointee if isinstance(bare.type, PointerType) else None
        handle = isinstance(inner, (OpaqueType, StructType)) and _spelled(inner) in _HANDLES
        message = f"the handle itself stands where the address of what is passed for {param.name} has to be"
        return message if handle else None
    if _other_kind(bare.operand.type, param.type):
        what = "floating-point" if isinstance(bare.operand.type, FloatType) else "whole"
        return f"the variable passed for {param.name} is a {what} number, and the kernel reads its bits as another"
    return None


_HANDLES = frozenset({"_cl_mem", "_cl_sampler", "cl_mem", "cl_sampler"})


def _spelled(kind: OpaqueType | StructType) -> str:
    return kind.name if isinstance(kind, StructType) else kind.spelling.removeprefix("struct ")


def _of_elements(size: Term) -> bool:
    """Whether a size is that of as many elements as a variable says."""
    ((mono, factor), *others) = polynomial(size).coefficients.items() or (((), 0),)
    return not others and bool(mono) and factor > 1


def _addresses(launch: LaunchFact, facts: Facts) -> Iterator[Misfit]:
    """Arguments that are passed by an array of their addresses, each as large as the kernel's parameter is."""
    node, params = launch.node, facts.function.params
    args = launch.event.listed if launch.event is not None else node.args
    if node.api not in BY_ARRAY or not args or facts[certain_parameters] is not None:
        return
    if len(args) < len(params):
        place = launch.span if node.args else args[0].span  # where they are listed
        yield place, f"{len(args)} arguments are passed, but {facts.kernel.name} takes {len(params)}", launch.stack
        return
    for arg, param in zip(args, params, strict=False):
        if isinstance(arg, Opaque) and (arg.reason == NO_ADDRESS or _itself(arg, param.type)):
            message = f"the value itself stands where the address of what is passed for {param.name} has to be"
            yield arg.span, message, launch.stack
            return
        given, wanted = width(arg.type), width(param.type)
        place = launch.span if node.args else arg.span  # where they are listed
        if given is None or wanted is None or isinstance(arg, Opaque):
            continue
        floats = isinstance(arg.type, FloatType) and isinstance(param.type, FloatType)
        if given < wanted or (given != wanted and (floats or node.api == FUNCTOR)):
            message = f"the variable passed for {param.name} has {given} bytes, and the kernel reads {wanted}"
            yield place, message, launch.stack
            return
        if not isinstance(arg, Opaque) and given == wanted and _other_kind(arg.type, param.type):
            what = "floating-point" if isinstance(arg.type, FloatType) else "whole"
            message = (
                f"the variable passed for {param.name} is a {what} number, and the kernel reads its bits as another"
            )
            yield place, message, launch.stack
            return


def _other_kind(given: Type, wanted: Type) -> bool:
    """Whether one of two types is of whole numbers and the other one of those in floating point."""
    kinds = {type(given), type(wanted)}
    return kinds == {IntType, FloatType}


def _itself(arg: Opaque, wanted: Type) -> bool:
    """Whether a pointer is passed in place of its address: what it leads to is too small for a pointer, or it leads to
    the very elements that the kernel's pointer leads to."""
    if arg.reason != BY_POINTER or not isinstance(wanted, PointerType):
        return False
    given = width(arg.type)
    if given is not None and given < HANDLE:
        return True
    named = isinstance(arg.type, (FloatType, StructType, OpaqueType)) and arg.type != UNKNOWN
    return named and arg.type == wanted.pointee
