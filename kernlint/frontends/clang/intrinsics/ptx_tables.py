"""Names of the PTX ISA: instructions without effect on threads or memory, and what modifiers mean."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import words
from kernlint.tree.nodes import Scope
from kernlint.tree.types import Space

PURE = frozenset(
    words(
        """abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt cvta div dp2a dp4a ex2 fma fns lg2 lop3
        mad mad24 madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl
        shr sin slct sqrt sub subc szext tanh testp xor vadd vsub vabsdiff vmin vmax vshl vshr vmad vset
        vadd2 vadd4 vsub2 vsub4 vavrg2 vavrg4 vabsdiff2 vabsdiff4 vmin2 vmin4 vmax2 vmax4 vset2 vset4
        isspacep mma createpolicy mapa getctarank setmaxnreg movmatrix ret"""
    )
)
QUIET = frozenset(words("nanosleep pmevent prefetch prefetchu applypriority discard griddepcontrol nop"))
DIRECTIVES = frozenset({"reg", "pragma", "loc", "file", "shared"})

SCOPES = {"cta": Scope.BLOCK, "cluster": Scope.CLUSTER, "gpu": Scope.GRID, "gl": Scope.GRID, "sys": Scope.SYSTEM}
SPACES = {
    "shared": Space.SHARED,
    "shared_cta": Space.SHARED,
    "shared_cluster": Space.SHARED,
    "global": Space.GLOBAL,
    "local": Space.PRIVATE,
    "const": Space.CONSTANT,
}
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
ATOMS = {"add": "add", "exch": "exchange", "cas": "cas", "min": "min", "max": "max", "inc": "inc", "dec": "dec"}
ATOMS |= {"and": "and", "or": "or", "xor": "xor", "sub": "sub"}
ARITHMETIC = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">"}
COMPARE |= {"hs": ">="}
SHUFFLES = {"idx": "shuffle", "up": "shuffle_up", "down": "shuffle_down", "bfly": "shuffle_xor"}
