r"""The rule ``global-memory-race``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.excuses.blocks import made_for_the_block
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.order import HandOver, order
from kernlint.analysis.order.broken import unfenced
from kernlint.analysis.replay import Replayer, replayer
from kernlint.analysis.sharing.fences import Fences, fences
from kernlint.analysis.sharing.finder import GlobalRace
from kernlint.analysis.sharing.gathered import Gathered, gathered
from kernlint.analysis.sharing.global_races import global_races
from kernlint.analysis.sharing.neighbours import Mixed, neighbours
from kernlint.analysis.sharing.race_words import calls, cell, device_fence, severity, thread_name, verb, witness
from kernlint.analysis.sharing.races import Place, place
from kernlint.analysis.sharing.scatters import Scatter, scatters
from kernlint.analysis.sharing.slots import Slot, slots
from kernlint.analysis.sharing.wiped import Wiped, wiped
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.analysis.warps.lockstep import of_first_warp, of_one_warp, told_in_step
from kernlint.analysis.wording import element
from kernlint.finding import Confidence, Finding, Fix, Related, Severity, folded
from kernlint.prove.query import Actor, Refuted
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, plain
from kernlint.tree.types import Space


class GlobalMemoryRace(Rule):
    r"""Two threads of the grid use one element of global memory, and at least one writes it without an atomic.

    Nothing orders the blocks of a grid within a kernel, and a barrier orders only the threads of one block. So each
    element that a kernel writes should belong to one thread: its index has to name every dimension of the launch.
    Usual faults: a sum kept in one element, an index that lacks an axis, neighbours read from the buffer that is being
    written, a counter that one thread resets while others already count.

    Reported with a small launch and two threads that collide. An element picked by an index array and updated
    (`sum[idx[i]] += v`) is a warning where something in sight says that an index occurs twice: hits are counted, the
    index is tested against a size or made smaller, an item has several, it is one end of an edge, the sum is made onto
    zeros. Else, and for a plain store, it is a note: whoever has made the list may have seen to it, and rows that a
    table begins (`x[start[k] + i]`) are believed to lie apart. One element
    that every thread updates for which a condition on data holds (`if (bad[i]) *count += 1`) is a warning too. Elements
    picked by an atomic counter are reported where the counter may give one index twice: a thread adds 0 to it, or
    does not ask it. A thread that writes its own element of an array in which it adds up elements that a list names
    (`x[i] = 0.5f * (x[i] + x[near[i]])`) leaves it to chance whether others find the old or the new one. Pixels of
    OpenCL's images with whole coordinates are elements too.

    Silent: every thread writes the same value, both sides are atomic, only one block is launched, the place comes
    from memory or from an atomic counter, blocks talk through fences.

    ```cuda bad
    __global__ void column_sums(const float *a, float *sums, int rows, int columns) {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        int c = blockIdx.y;
        if (r < rows) sums[c] += a[r * columns + c];  // expect: KL205
    }
    ```

    ```opencl bad
    __kernel void smooth(__global float *x, const int n) {
        const int i = get_global_id(0);
        if (i > 0 && i < n - 1)
            x[i] = 0.5f * x[i] + 0.25f * (x[i - 1] + x[i + 1]);  // expect: KL205
    }
    ```

    ```opencl bad
    __kernel void scatter(__global const int *bin, __global const int *v, __global int *sum, const int n) {
        const int i = get_global_id(0);
        if (i < n) sum[bin[i]] += v[i];  // expect: KL205
    }
    ```

    ```cuda bad
    __global__ void count_bad(const int *bad, int *count, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && bad[i]) *count += 1;  // expect: KL205
    }
    ```

    ```cuda bad
    __global__ void keep(const int *in, int *out, int *count) {
        int at = atomicAdd(count, threadIdx.x % 2);
        out[at] = in[threadIdx.x];  // expect: KL205
    }
    ```

    ```cuda good
    __global__ void plant(unsigned *root, unsigned *nodes, unsigned *used) {
        unsigned lane = threadIdx.x & 31, number = 0;
        if (lane == 0) number = atomicAdd(used, 1u);
        number = __shfl_sync(0xffffffffu, number, 0);
        *root = number;
        nodes[number * 32 + lane] = 0;
    }
    ```

    ```cuda good
    __global__ void column_sums(const float *a, float *sums, int rows, int columns) {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        int c = blockIdx.y;
        if (r < rows) atomicAdd(&sums[c], a[r * columns + c]);
    }
    ```

    ```opencl good
    __kernel void smooth(__global const float *x, __global float *y, const int n) {
        const int i = get_global_id(0);
        if (i > 0 && i < n - 1)
            y[i] = 0.5f * x[i] + 0.25f * (x[i - 1] + x[i + 1]);
    }
    ```
    """

    meta = Meta("KL205", "global-memory-race", Severity.ERROR, tags=("CUDASecurity data races",), precision="medium")
    needs = (global_races, scatters, slots, fences, order, gathered, wiped, neighbours, replayer)

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from folded(self._all(facts))

    def _all(self, facts: Facts) -> Iterator[tuple[object, Finding]]:
        """All findings, each with what it has in common with others: the two threads, or why indices may be equal."""
        waited: Fences = facts[fences]
        fenced = [*(one.store.root for one in waited.tickets), *(one.store.root for one in waited.handed)]
        told: dict[int, int] = dict.fromkeys(map(id, fenced), 2)  # wrong-fence says it
        races: tuple[GlobalRace, ...] = facts[global_races]
        met: set[tuple[Place, bool]] = set()
        lanes: set[Access] = set()
        several = _resets(races)
        for race in sorted(races, key=_rank):
            others = several.get(id(race.pair.first), [race]) if _reset(race) else [race]
            if race is not others[0]:
                continue  # one store that comes too early, or too late, for all of them
            here = {(place(access.span), race.across) for access in (race.pair.first, race.pair.second)}
            if race.across and here & met:
                continue  # what comes between the blocks for one use of the object does for the others of that place
            met |= here
            if not race.across and race.pair.first is not race.pair.second and of_one_warp(race.witness):
                both = {race.pair.first, race.pair.second}
                told_at = bool(both & lanes)
                lanes |= both
                if told_at:
                    continue  # what is written for lanes in step is so from its first line to its last
            count = told[id(race.root)] = told.get(id(race.root), 0) + 1
            if count <= 2:
                doubtful = numbers_made_up(facts) or (facts.module.language != "opencl" and _misaligned(race))
                link = None if race.across else unfenced(facts[order], race.pair.first, race.pair.second)
                lacking = None if link is None else _lacking(link, facts.module.language)
                doubtful = doubtful or made_for_the_block.holds(race.pair, _alone(race, facts))
                in_step = told_in_step(facts) if _in_one_warp(race) else None
                yield (
                    _cause(race, lacking),
                    self._race(race, facts[replayer], doubtful, lacking, in_step, facts.module.language, others[1:]),
                )
        for late in facts[wiped]:
            if told.setdefault(id(late.store.root), 1) == 1:
                yield late, self._wiped(late)
        for scatter in facts[scatters]:
            if id(scatter.access.root) not in told and scatter.access.root.space is not Space.SHARED:
                found = self._scatter(scatter)
                yield found.message.partition(" is ")[2], found
        for slot in facts[slots]:
            if id(slot.access.root) not in told:
                yield slot, self._slot(slot, facts[replayer])
        for one in facts[gathered]:
            if id(one.read.root) not in told:
                yield one, self._gathered(one)
        for mixed in facts[neighbours]:
            if id(mixed.read.root) not in told:
                yield mixed, self._mixed(mixed)

    def _race(
        self,
        race: GlobalRace,
        again: Replayer,
        made_up: bool,
        lacking: tuple[str, str] | None,
        in_step: str | None,
        language: str,
        others: Sequence[GlobalRace] = (),
    ) -> Finding:
        first, second = race.pair.first, race.pair.second
        found = race.witness
        assert found.second is not None
        here, there = _who(found.first, found, race.across), _who(found.second, found, race.across)
        name = cell(first, found.first.offset)
        if first is second:
            message = f"{here} and {there} both write {name}"
        else:
            message = f"{there} {verb(second)} {name}, which {here} {verb(first)}"
            message += ": " + (lacking[0] if lacking is not None else "nothing orders them")
        related = [] if first is second else [Related(first.span, f"{here} {verb(first)} {name} here")]
        replayed = again.race(found, (first.span, second.span))
        evidence = witness(first, second, found, replayed)
        # How many threads write a row is what the numbers of a template say: no evidence when nobody asked for them.
        made_up = made_up or any(symbol.kind is SymbolKind.TEMPLATE for symbol, _ in found.values)
        seen = race.shape.seen and not (race.across and race.shape.grid == (None, None, None))
        level = Severity.NOTE if made_up or in_step else severity(replayed, race.pair, found, seen=seen)
        both = AccessKind.WRITE in (first.kind, second.kind) and first.kind is second.kind
        fix = "write to another buffer, or split the kernel in two"
        if both:
            fix = "use an atomic operation, or give each thread an element of its own"
        elif lacking is not None:
            fix = lacking[1]
        elif language == "cuda" and not race.across and of_one_warp(found):
            fix = "put __syncwarp() between the two accesses"
        return self.finding(
            second.span,
            message,
            level,
            related=(
                *related,
                *(Related(one.pair.second.span, "and so is it here") for one in others),
                *calls(first, second),
            ),
            witness=evidence,
            assumptions=race.pair.unseen if in_step is None else (*race.pair.unseen, in_step),
            fix=fix,
            confidence=Confidence.MEDIUM if found.depends_on_data else Confidence.HIGH,
            habit=UNDIVIDED if first is second and _undivided(first) else "",
        )

    def _gathered(self, one: Gathered) -> Finding:
        name = one.read.root.name
        return self.finding(
            one.read.span,
            f"{name} is read behind a barrier of the block while other blocks still add to it: the barrier does not "
            "wait for them",
            Severity.WARNING,
            related=(
                Related(one.update.span, "any block may add to any element here"),
                Related(one.barrier.span, "each block waits for its own threads here"),
                *calls(one.read),
            ),
            fix="read it in a kernel of its own, or wait for the whole grid",
        )

    def _wiped(self, one: Wiped) -> Finding:
        assert one.fill.value is not None
        name = one.store.root.name
        return self.finding(
            one.store.span,
            f"{element(one.store)} is stored where data say, while other threads still set elements of {name} to "
            f"{words(plain(one.fill.value))}: the one that this element belongs to may come later",
            Severity.WARNING,
            related=(Related(one.fill.span, "each thread sets its own element here"), *calls(one.store)),
            fix="set the elements in a launch of its own, before this one",
        )

    def _mixed(self, one: Mixed) -> Finding:
        name = one.read.root.name
        message = f"{name} is written in place while other threads may still read this element of it"
        related = [Related(one.read.span, "the elements of others are read here"), *calls(one.write)]
        if one.barrier is not None:
            message = f"elements of {name} are read while threads of other blocks may not have written them yet"
            related[1:1] = [Related(one.barrier.span, "each block waits for its own threads here")]
        return self.finding(
            one.write.span,
            f"{message}: what they take, by a list of elements, is old or new by chance",
            Severity.WARNING,
            related=related,
            assumptions=("the list names elements of other threads",),
            fix="write to another array, and exchange the two between launches",
        )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """Atomic operations for updates."""
        from kernlint.repair.atomics import updates

        return updates(facts, finding, source)

    def _slot(self, slot: Slot, again: Replayer) -> Finding:
        access, race = slot.access, slot.race
        found = race.witness
        assert found.second is not None
        here, there = _who(found.first, found, race.across), _who(found.second, found, race.across)
        name = access.root.name
        if slot.fixed is None:
            message = f"{here} and {there} may both write one element of {name}: {there} adds 0 to the counter that "
            message += "gives out the indices, so whoever comes next gets the same"
            fix = "add at least 1 to the counter for each element that is written"
        else:
            message = f"{there} writes {cell(access, found.second.offset)} without asking the counter, which may give "
            message += f"that index to {here}"
            fix = "let every thread that writes ask the counter"
        return self.finding(
            access.span,
            message,
            Severity.WARNING,
            related=(Related(slot.atomic.span, "the counter"), *calls(access)),
            witness=witness(access, access, found, again.race(found, (access.span, access.span))),
            fix=fix,
            confidence=Confidence.MEDIUM,
        )

    def _scatter(self, scatter: Scatter) -> Finding:
        access, found = scatter.access, scatter.race.witness
        assert found.second is not None
        what = "updated" if scatter.updates else "written"
        if scatter.counted:
            return self.finding(
                access.span,
                f"{access.root.name} is {what} at an index from a counter in shared memory: every block counts for "
                "itself, so two blocks write the same element",
                Severity.WARNING,
                related=calls(access),
                fix="draw the index from a counter in global memory, or add an offset for each block",
            )
        if scatter.exchanged:
            return self.finding(
                access.span,
                f"{access.root.name} is exchanged after a look whether it should be: what another thread has put there "
                "since is lost, though it may have been the better one",
                Severity.WARNING,
                related=calls(access),
                fix="use an atomic minimum or maximum, or a loop with compare-and-swap",
                confidence=Confidence.MEDIUM,
            )
        if scatter.shared_by is not None:
            return self.finding(
                access.span,
                f"{access.root.name} is written without an atomic operation at an index that several threads may have "
                f"({scatter.shared_by.value}): which of their values stays is left to chance",
                Severity.WARNING,
                related=calls(access),
                assumptions=("the index is the same for two threads",),
                fix="decide which thread's value stays, by an atomic operation on a key and value together",
                confidence=Confidence.MEDIUM,
            )
        if scatter.fixed:
            return self.finding(
                access.span,
                f"{access.root.name} is updated without an atomic operation by every thread for which a condition on "
                "data holds: of two at a time one is lost",
                Severity.WARNING,
                related=calls(access),
                assumptions=("the condition holds for two threads",),
                fix="use an atomic operation, or add up within the block first",
                confidence=Confidence.MEDIUM,
            )
        return self.finding(
            access.span,
            f"{access.root.name} is {what} at an index read from memory without an atomic operation: "
            "threads with equal indices collide",
            Severity.WARNING if scatter.updates and not scatter.believed else Severity.NOTE,
            related=calls(access),
            assumptions=("two entries of the index array may be equal",),
            fix="use an atomic operation, or make sure that no index occurs twice",
            confidence=Confidence.MEDIUM if scatter.updates else Confidence.LOW,
        )


UNDIVIDED = "loops of which no thread has a part of its own"
"""What races have in common of loops that every thread runs over all elements."""


def _in_one_warp(race: GlobalRace) -> bool:
    """Whether no threads but those of one warp of a block can race: that the two of the witness are of one says nothing
    of the next ones."""
    alone = of_first_warp(race.pair.first) and of_first_warp(race.pair.second)
    return alone and of_one_warp(race.witness) and not race.across


def _undivided(access: Access) -> bool:
    """Whether a loop that is the same for all threads goes over what is accessed."""
    kinds = {symbol.kind for symbol in access.offset.symbols}
    return SymbolKind.COUNTER in kinds and not kinds & {SymbolKind.THREAD, SymbolKind.BLOCK}


def _cause(race: GlobalRace, lacking: tuple[str, str] | None) -> object:
    found = race.witness
    second = found.second and (found.second.block, found.second.thread)
    return race.pair.first is race.pair.second, found.first.block, found.first.thread, second, lacking


def _lacking(link: HandOver, language: str) -> tuple[str, str]:
    """What is missing where one thread tells another by a word that something is there, and what helps: in words."""
    word, fence = link.word.root.name, device_fence(language)
    sides = []
    if not link.released:
        sides.append(f"between the store and the change of {word}")
    if not link.acquired:
        sides.append(f"between the wait for {word} and what is read behind it")
    why = f"{word} tells when it is there, but no fence keeps the store and the read in order with {word}"
    return why, f"put {fence} " + " and ".join(sides)


def _reset(race: GlobalRace) -> bool:
    """Whether a plain store meets an atomic update that other threads make."""
    return race.pair.first.kind is AccessKind.WRITE and race.pair.second.kind is AccessKind.ATOMIC


def _resets(races: Sequence[GlobalRace]) -> dict[int, list[GlobalRace]]:
    """The races of each plain store with atomic updates, the one to speak of first."""
    found: dict[int, list[GlobalRace]] = {}
    for race in sorted(filter(_reset, races), key=_rank):
        found.setdefault(id(race.pair.first), []).append(race)
    return found


def _rank(race: GlobalRace) -> tuple[bool, bool, int]:
    return race.witness.depends_on_data, race.across, race.pair.second.order


def _alone(race: GlobalRace, facts: Facts) -> bool:
    """Whether blocks collide of which the kernel requires how large they are, and no launch is in sight."""
    required = facts.module.language == "opencl" and facts.function.bounds.required is not None
    return required and race.across and race.shape.grid == (None, None, None)


def _misaligned(race: GlobalRace) -> bool:
    """Whether the witness has a word or vector where none may lie: the kernel counts on rows of whole ones."""
    actors = (race.witness.first, race.witness.second)
    return any(
        actor is not None and bool(actor.offset % (access.size or 1))
        for access, actor in zip((race.pair.first, race.pair.second), actors, strict=True)
        if access.size in (2, 4, 8, 16)
    )


def _who(actor: Actor, found: Refuted, across: bool) -> str:
    name = thread_name(actor, found.block)
    if not across:
        return name
    x, y, z = actor.block
    where = f"{x}" if found.grid[1] == found.grid[2] == 1 else f"({x}, {y}, {z})"
    return f"{name} of block {where}"
