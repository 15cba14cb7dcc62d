"""Warps that execute SASS: lanes that diverge and meet, barriers, and the counts of ncu."""
import collections

from sass import alu, memory
from sass.operands import FULL, LANES, index_of, is_predicate, predicate

LINE_BYTES = 16  # of an instruction


class Unknown(Exception):
    """An instruction that is not implemented."""


class Part:
    """Lanes of a warp at one place of the code."""

    def __init__(self, pc, mask, barriers):
        self.pc, self.mask, self.barriers = pc, mask, barriers
        self.waits = None  # number of a convergence barrier, "block", or None


class Warp:
    """The registers of a warp, and its parts."""

    def __init__(self, block, number):
        first = number * LANES
        count = min(LANES, block.threads - first)
        self.block = block
        self.r = [[0] * LANES for _ in range(256)]
        self.u = [0] * 65
        self.p = [0] * 7 + [FULL]
        self.up = [0] * 7 + [1]
        self.local = {}
        self.number = number
        self.alive = (1 << count) - 1
        self.parts = [Part(0, self.alive, {})]
        x, y, _ = block.launch.block
        threads = [first + lane for lane in range(LANES)]
        self.specials = {
            "SR_TID.X": [t % x for t in threads], "SR_TID.Y": [t // x % y for t in threads],
            "SR_TID.Z": [t // (x * y) for t in threads], "SR_LANEID": list(range(LANES)),
            "SR_EQMASK": [1 << i for i in range(LANES)],
            "SR_LTMASK": [(1 << i) - 1 for i in range(LANES)],
            "SR_GEMASK": [FULL ^ (1 << i) - 1 for i in range(LANES)]}

    # ---- Functions for instructions ---------------------------------------------------------

    def put(self, number, mask, values):
        if number == 255:
            return
        if mask != FULL:
            old = self.r[number]
            values = [values[i] if mask >> i & 1 else old[i] for i in range(LANES)]
        self.r[number] = values

    def set_predicate(self, number, uniform, mask, bits):
        if number == 7:
            return
        if uniform:
            self.up[number] = 1 if bits & mask else 0
        else:
            self.p[number] = self.p[number] & ~mask | bits & mask & FULL

    def constant(self, bank, address):
        return self.block.launch.constant(bank, address)

    def special(self, name):
        if name.startswith("SR_CTAID"):
            return [self.block.index["XYZ".index(name[-1])]] * LANES
        return self.specials.get(name, [0] * LANES)

    def shuffle(self, kind, mask, source, lane, control):
        result, valid = [0] * LANES, 0
        for i in range(LANES):
            clamp, segment = control[i] & 31, control[i] >> 8 & 31
            low, high = i & segment, i & segment | clamp & ~segment
            j = {"IDX": i & segment | lane[i] & ~segment & 31, "UP": i - lane[i],
                 "DOWN": i + lane[i], "BFLY": i ^ lane[i]}[kind]
            inside = j >= high if kind == "UP" else j <= high
            valid |= inside << i
            result[i] = source[j if inside and low >= 0 else i]
        return result, valid

    def memory(self, space):
        return self.block.shared if space == "shared" else self.block.launch.memory

    def add(self, name, number):
        self.block.launch.counts[name] += number

    def count(self, what, addresses, size):
        if not addresses:
            return
        if what.startswith("shared"):
            self.add(what + " wavefronts", memory.wavefronts(addresses, size))
            return
        self.add(what + " requests", 1)
        self.add(what + " sectors", memory.sectors(addresses.values(), size))

    def count_copy(self, read, size, bypass):
        """LDGSTS. read: {lane: address}"""
        if read:
            self.add("global load requests", 1)
        self.add("global load sectors", memory.bypass_sectors(read) if bypass else
                 memory.sectors(read.values(), size))

    def count_atomic(self, space, addresses, kind):
        if space == "global":
            self.add("global atomic requests", 1)
            self.add("global atomic sectors", memory.atomic_sectors(addresses.values()))
        elif addresses:
            groups = collections.Counter(a // 4 % 32 for a in (
                set(addresses.values()) if kind == "counting" else addresses.values()))
            self.add("shared atomic wavefronts", max(groups.values()))

    # ---- Lanes that diverge and meet --------------------------------------------------------

    def release(self):
        """Joins the parts that wait at one barrier, if no lane is missing."""
        waiting = {}
        for part in self.parts:
            if isinstance(part.waits, int):
                key = part.waits, part.pc, part.barriers[part.waits] & self.alive
                waiting.setdefault(key, []).append(part)
        for (_, pc, mask), parts in waiting.items():
            if mask & ~sum(part.mask for part in parts):
                continue
            for part in parts:
                self.parts.remove(part)
            together = Part(pc, sum(part.mask for part in parts), dict(parts[0].barriers))
            self.parts.append(together)

    def exit(self, part, mask):
        self.alive &= ~mask
        part.mask &= ~mask
        if not part.mask:
            self.parts.remove(part)
        self.release()

    def leave(self, part, number, mask):
        """BREAK: lanes do not wait at a barrier any more."""
        old = part.barriers.get(number, 0)
        for other in self.parts:
            if other.barriers.get(number, 0) == old:
                other.barriers[number] = old & ~mask
        self.release()

    def jump(self, part, target, taken):
        """A branch of the lanes `taken`. Returns whether the lanes of the part diverge."""
        if taken == part.mask:
            part.pc = target
            return False
        part.pc += 1
        if not taken:
            return False
        part.mask &= ~taken
        self.parts.append(Part(target, taken, dict(part.barriers)))
        return True

    def run(self):
        """Runs until all parts wait for other warps."""
        while True:
            part = next((p for p in reversed(self.parts) if p.waits is None), None)
            if part is None:
                return
            self.run_part(part)

    def run_part(self, part):
        code, counts = self.block.launch.kernel.code, self.block.launch.counts
        while part.waits is None and part.mask:
            instruction = code[part.pc]
            mask = part.mask
            on = instruction.lanes(self, mask) if instruction.conditions else mask
            counts["instructions"] += 1
            counts["threads"] += mask.bit_count()
            counts["threads on"] += on.bit_count()
            if instruction.counted and (on or instruction.control):
                counts[instruction.opcode] += 1
            self.block.steps += 1
            if instruction.control:
                instruction.control(self, part, on, instruction)
                if part not in self.parts:
                    return
            else:
                if on:
                    instruction.run(self, on)
                part.pc += 1


# ---- Control instructions -------------------------------------------------------------------

def branch(warp, part, on, instruction):
    if warp.jump(part, instruction.target, on):
        warp.add("divergent branches", 1)


def end(warp, part, on, _):
    part.pc += 1
    warp.exit(part, on)


def open_barrier(_, part, on, instruction):
    if on:
        part.barriers[instruction.number] = on
    part.pc += 1


def meet(warp, part, on, instruction):
    part.pc += 1
    if on and part.barriers.get(instruction.number):
        part.waits = instruction.number
        warp.release()


def leave(warp, part, on, instruction):
    part.pc += 1
    warp.leave(part, instruction.number, on)


def wait_for_block(_, part, on, instruction):
    part.pc += 1
    if on:
        part.waits = "block"


def call(_, part, on, instruction):
    part.pc = instruction.target if on else part.pc + 1


def back(warp, part, on, instruction):
    register = index_of(instruction.operands[0])
    lane = (on & -on).bit_length() - 1
    part.pc = warp.r[register][lane] // LINE_BYTES


# Instructions that are counted by name.
COUNTED = ("BRA", "LDG", "LDGSTS", "STG", "ATOMG", "RED", "REDG", "LDS", "LDSM", "STS", "ATOMS")
CONTROL = {"BRA": branch, "EXIT": end, "BSSY": open_barrier, "BSYNC": meet, "BREAK": leave,
           "BAR": wait_for_block, "CALL": call, "RET": back}


class Instruction:
    """A line of the disassembly."""

    def __init__(self, guard, opcode, operands, target):
        self.opcode, self.operands, self.target = opcode, operands, target
        name = opcode.split(".")[0]
        self.control = CONTROL.get(name)
        self.counted = name in COUNTED
        self.number = int(operands[0][1:]) if name in ("BSSY", "BSYNC", "BREAK") else None
        self.conditions = [guard] if guard else []
        if self.control is branch:
            self.conditions += [x for x in operands if is_predicate(x)]
        scope = {"FULL": FULL}
        exec("def lanes(w, m): return " + " & ".join(
            ["m"] + [predicate(x) for x in self.conditions]), scope)
        self.lanes = scope["lanes"]
        self.run = None
        if not self.control:
            self.run = memory.compiled(opcode, operands) or alu.compiled(opcode, operands) or \
                self.fail

    def fail(self, _warp, _mask):
        raise Unknown("%s %s" % (self.opcode, ", ".join(self.operands)))
