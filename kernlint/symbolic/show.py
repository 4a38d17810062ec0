"""Terms as people read them: C's operators with as few parentheses as C needs."""

from __future__ import annotations

from kernlint.symbolic.terms import Symbol, SymbolKind, Term
from kernlint.tree.types import FloatType, IntType, Type

_INFIX = {
    "mul": ("*", 10),
    "div": ("/", 10),
    "mod": ("%", 10),
    "add": ("+", 9),
    "sub": ("-", 9),
    "shl": ("<<", 8),
    "shr": (">>", 8),
    "lt": ("<", 7),
    "le": ("<=", 7),
    "eq": ("==", 6),
    "ne": ("!=", 6),
    "and": ("&", 5),
    "xor": ("^", 4),
    "or": ("|", 3),
    "land": ("&&", 2),
    "lor": ("||", 1),
}


def type_name(type_: Type) -> str:
    """Short name of a machine type: ``i32``, ``u64``, ``f32``, ``bool``."""
    if isinstance(type_, IntType):
        return "bool" if type_.bits == 1 else f"{'i' if type_.signed else 'u'}{type_.bits}"
    return f"f{type_.bits}" if isinstance(type_, FloatType) else "value"


def _downward(right: Term, kind: Type) -> bool:
    """Whether adding the constant ``right`` reads better as a subtraction (``n - 1`` of an unsigned n)."""
    value = right.args[0]
    return value < 0 or (
        isinstance(kind, IntType) and not kind.signed and kind.bits > 1 and value >> (kind.bits - 1) != 0
    )


def show(term: Term, casts: bool = False) -> str:
    """``term`` as text; conversions between integers are left out unless ``casts``."""
    return _show(term, 0, casts)


UNSAID = "..."
"""What stands in :func:`words` for a value that has no name in the source."""


LONGEST = 72
"""Characters of a term in a message: of longer ones the parts that lie deepest are left out."""

DEEPEST = 5
"""Operations within each other that are tried for such a text, then fewer."""


def words(term: Term) -> str:
    """``term`` as text for messages: values of which nothing is known have their name in the source, else none, and
    what is too long keeps its outline (``(... ? a : ...) * 4``)."""
    text = _told(term, show(term))
    for depth in range(DEEPEST, 0, -1):
        if len(text) <= LONGEST:
            return text
        text = _told(term, _show(term, 0, False, depth))
    return text if len(text) <= LONGEST else UNSAID


def _told(term: Term, text: str) -> str:
    if "?" in text:
        for symbol in sorted(term.symbols, key=lambda symbol: -len(symbol.name)):
            if symbol.kind is SymbolKind.UNKNOWN:
                text = text.replace(symbol.name, _named(symbol))
    return text


def _named(symbol: Symbol) -> str:
    reason = symbol.reason.removesuffix(FROM_HEADER).removeprefix("uninitialised ")
    return reason if reason.isidentifier() else UNSAID


FROM_HEADER = " comes from a missing header"
"""The end of the reason for a value that a header would have given."""


def out_of_sight(term: Term) -> bool:
    """Whether a number that a header, or a text put in before the compiler runs, would have given is part of a term."""
    return any(symbol.kind is SymbolKind.UNKNOWN and symbol.reason.endswith(FROM_HEADER) for symbol in term.symbols)


UNLIMITED = 1 << 30
"""As deep as a term goes."""


def _show(term: Term, outer: int, casts: bool, depth: int = UNLIMITED) -> str:
    op, args = term.op, term.args
    if depth <= 0 and op not in ("const", "sym"):
        return UNSAID
    depth -= not (op == "cast" and isinstance(term.type, IntType) and isinstance(args[0].type, IntType))
    if op == "const":
        return str(args[0])
    if op == "sym":
        return str(args[0].name)
    if op in _INFIX:
        sign, level = _INFIX[op]
        left, right = args
        if op == "add" and right.op == "const" and _downward(right, term.type):
            bits = term.type.bits if right.args[0] > 0 and isinstance(term.type, IntType) else 0
            sign, text = "-", str((1 << bits if bits else 0) - right.args[0])
        else:
            text = _show(right, level + 1, casts, depth)
        text = f"{_show(left, level, casts, depth)} {sign} {text}"
        return f"({text})" if level < outer else text
    if op == "cast":
        inner = args[0]
        if not casts and isinstance(term.type, IntType) and isinstance(inner.type, IntType):
            return _show(inner, outer, casts, depth)
        return f"{type_name(term.type)}({_show(inner, 0, casts, depth)})"
    if op == "select":
        text = (
            f"{_show(args[0], 2, casts, depth)} ? {_show(args[1], 1, casts, depth)} : {_show(args[2], 1, casts, depth)}"
        )
        return f"({text})" if outer > 0 else text
    if op in ("neg", "not", "lnot"):
        return {"neg": "-", "not": "~", "lnot": "!"}[op] + _show(args[0], 11, casts, depth)
    if op == "call":
        # (calls on objects of types that were not found are told apart by number, and their object has no name)
        given = [arg for arg in args[1:] if arg.op != "call" or arg.args != ("struct",)]
        return f"{str(args[0]).partition('@')[0]}({', '.join(_show(arg, 0, casts, depth) for arg in given)})"
    return f"{op}({', '.join(_show(arg, 0, casts, depth) for arg in args)})"
