r"""The rule ``image-coordinate-out-of-range``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.image_edges import SIDES, BesideImage, image_edges
from kernlint.analysis.sharing.race_words import calls
from kernlint.analysis.trace import trace
from kernlint.finding import Confidence, Finding, Related, Severity
from kernlint.rule import Meta, Rule

AXES = "xyz"


class ImageCoordinateOutOfRange(Rule):
    r"""A pixel is written outside of the image.

    What a write to an image does outside of its sides is undefined; only reads go through a sampler, which says what
    they give there. A grid of whole groups has more work items than the image has pixels, and those must not write.
    Reported where a launch in sight or a comment says that the grid is rounded up and no test speaks of the work items
    along that axis, and where a coordinate is more, by a number, than what is tested against the side of the image.

    ```opencl bad
    // Global size: rounded up to whole groups of 16 x 16.
    __kernel void invert(__read_only image2d_t in, __write_only image2d_t out) {
        const int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(out, at, 1.0f - read_imagef(in, at));  // expect: KL106
    }
    ```

    ```opencl good
    // Global size: rounded up to whole groups of 16 x 16.
    __kernel void invert(__read_only image2d_t in, __write_only image2d_t out) {
        const int2 at = (int2)(get_global_id(0), get_global_id(1));
        if (at.x < get_image_width(out) && at.y < get_image_height(out))
            write_imagef(out, at, 1.0f - read_imagef(in, at));
    }
    ```

    ```opencl bad
    __kernel void below(__read_only image2d_t in, __write_only image2d_t out) {
        const int x = get_global_id(0), y = get_global_id(1);
        if (x < get_image_width(out) && y < get_image_height(out))
            write_imagef(out, (int2)(x, y + 1), read_imagef(in, (int2)(x, y)));  // expect: KL106
    }
    ```

    ```opencl good
    __kernel void below(__read_only image2d_t in, __write_only image2d_t out) {
        const int x = get_global_id(0), y = get_global_id(1);
        if (x < get_image_width(out) && y + 1 < get_image_height(out))
            write_imagef(out, (int2)(x, y + 1), read_imagef(in, (int2)(x, y)));
    }
    ```
    """

    meta = Meta("KL106", "image-coordinate-out-of-range", Severity.WARNING, tags=("OpenCL C image write functions",))
    needs = (trace, image_edges)
    requires_whole = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        if not facts[trace].guards_known(facts.function.span):
            return
        told = set()
        for one in facts[image_edges]:
            if one.access.span not in told:
                told.add(one.access.span)
                yield self._report(one)

    def _report(self, one: BesideImage) -> Finding:
        access = one.access
        name, side = access.root.name, f"{SIDES[one.side]}({access.root.name})"
        related = list(calls(access))
        if one.guard is not None:
            message = f"a pixel of {name} is written where {AXES[one.side]} may be {side}"
            message += f" + {one.more - 1}" if one.more > 1 else ""
            message += ": what is tested is less than the coordinate"
            related.insert(0, Related(one.guard.span, "this is the test"))
        else:
            who = "the launch" if one.view is not None else "the launch, as a comment says,"
            message = (
                f"a pixel of {name} is written by every work item along {AXES[one.axis]}, and {who} is rounded up to "
                "whole groups: nothing stops the surplus ones"
            )
            at = one.view.fact.span if one.view is not None else one.said.span if one.said is not None else access.span
            related.insert(0, Related(at, "rounded up here" if one.view is not None else "the comment says so"))
        return self.finding(
            access.span,
            message,
            related=related,
            fix=f"test the coordinate {AXES[one.side]} against {side}",
            confidence=Confidence.MEDIUM,
        )
