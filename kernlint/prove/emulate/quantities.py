"""Translation of launch quantities: which thread, which block, how many of them."""

from __future__ import annotations

from kernlint.prove.emulate.frame import Frame, Range
from kernlint.tree.nodes import LaunchValue, Quantity
from kernlint.tree.types import IntType

_AXIS = {
    Quantity.THREAD_ID: ("T.tx", "T.ty", "T.tz"),
    Quantity.BLOCK_ID: ("T.block.bx", "T.block.by", "T.block.bz"),
    Quantity.BLOCK_DIM: ("T.k.dx", "T.k.dy", "T.k.dz"),
    Quantity.GRID_DIM: ("T.k.gx", "T.k.gy", "T.k.gz"),
    Quantity.GLOBAL_ID: (
        "T.block.bx * T.k.dx + T.tx + T.k.ox",
        "T.block.by * T.k.dy + T.ty + T.k.oy",
        "T.block.bz * T.k.dz + T.tz + T.k.oz",
    ),
    Quantity.GLOBAL_SIZE: ("T.k.gx * T.k.dx", "T.k.gy * T.k.dy", "T.k.gz * T.k.dz"),
    Quantity.GLOBAL_OFFSET: ("T.k.ox", "T.k.oy", "T.k.oz"),
}
_BEYOND = {Quantity.BLOCK_DIM: 1, Quantity.GRID_DIM: 1, Quantity.GLOBAL_SIZE: 1}
"""What OpenCL says of an axis beyond the third; 0 for the others."""
_PLAIN = {
    Quantity.LINEAR_THREAD_ID: "T.lin",
    Quantity.LINEAR_BLOCK_ID: "T.block.linear",
    Quantity.LINEAR_GLOBAL_ID: "T.k.linear_global(T)",
    Quantity.BLOCK_THREADS: "T.k.block_threads",
    Quantity.GRID_THREADS: "T.k.block_threads * T.k.grid_blocks",
    Quantity.GRID_BLOCKS: "T.k.grid_blocks",
    Quantity.LANE_ID: "T.lane",
    Quantity.WARP_ID: "T.warp",
    Quantity.WARP_SIZE: "T.k.warp_size",
    Quantity.WARPS: "T.k.warps",
    Quantity.WORK_DIM: "T.k.dimensions",
}
_THREADS = 1 << 16
"""More than any device's block has; OpenCL sets no limit of its own."""

_RANGES: dict[Quantity, Range] = {
    Quantity.THREAD_ID: (0, _THREADS - 1),
    Quantity.BLOCK_DIM: (1, _THREADS),
    Quantity.BLOCK_ID: (0, (1 << 31) - 1),
    Quantity.GRID_DIM: (1, (1 << 31) - 1),
    Quantity.LINEAR_THREAD_ID: (0, _THREADS - 1),
    Quantity.BLOCK_THREADS: (1, _THREADS),
    Quantity.LANE_ID: (0, 63),
    Quantity.WARP_ID: (0, _THREADS - 1),
    Quantity.WARP_SIZE: (1, 64),
    Quantity.WARPS: (1, _THREADS),
}


class Quantities(Frame):
    """Launch quantities; each is computed once, where the function is entered."""

    def unsupported(self, what: str) -> str:
        """Code that ends the run with a reason, if it is ever reached."""
        return f"UNSUPPORTED({what!r})"

    def null(self) -> str:
        """The null pointer."""
        return self.need("NULL", "T.k.null")

    def launch_value(self, expr: LaunchValue, kind: IntType) -> tuple[str, int, int]:
        quantity = expr.quantity
        low, high = _RANGES.get(quantity, (0, kind.high))
        high = min(high, kind.high)
        if quantity in _AXIS:
            codes = _AXIS[quantity]
            if expr.axis is not None:
                if not 0 <= expr.axis < 3:
                    value = _BEYOND.get(quantity, 0)
                    return str(value), value, value
                return self.need(f"{quantity.value}_{'xyz'[expr.axis]}", codes[expr.axis]), low, high
            if expr.axis_expr is not None:
                axis = self.value(expr.axis_expr)
                beyond = _BEYOND.get(quantity, 0)
                return f"AXIS(({', '.join(codes)}), {axis}, {beyond})", 0, kind.high
        if quantity in (Quantity.TILE_RANK, Quantity.TILE_ID):
            size = str(expr.extent) if expr.extent else "T.k.warp_size"
            op = "%" if quantity is Quantity.TILE_RANK else "//"
            return self.need(f"{quantity.value}_{expr.extent or 'warp'}", f"T.lin {op} {size}"), 0, _THREADS - 1
        code = _PLAIN.get(quantity)
        if code is None:
            return self.unsupported(f"the launch quantity {quantity.value}"), kind.low, kind.high
        return self.need(quantity.value, code), low, high
