"""Memory of a GPU for SASS instructions, and the counts of their requests as by ncu on sm_90."""
import bisect
import collections
import re

from sass.operands import LANES, WORD, Operand, index_of, is_predicate, predicate

SECTOR_BYTES, LINE_BYTES, BANKS, BANK_BYTES = 32, 128, 32, 4
SHARED_BASE = 0x400       # shared memory of a kernel begins after the part of the system
SHARED_BYTES = 228 * 1024


# ---- Bytes ----------------------------------------------------------------------------------

class Bytes:
    """A range of memory."""

    def __init__(self, start, size):
        self.start, self.end = start, start + size
        self.data = bytearray((size + 31) // 16 * 16)
        self.words = memoryview(self.data).cast("I")

    def read(self, address, size):
        offset = address - self.start
        if size >= 4:
            return [self.words[(offset >> 2) + i] for i in range(size // 4)]
        return [int.from_bytes(self.data[offset:offset + size], "little")]

    def write(self, address, size, values):
        offset = address - self.start
        if size >= 4:
            for i in range(size // 4):
                self.words[(offset >> 2) + i] = values[i] & WORD
        else:
            value = values[0] & (1 << 8 * size) - 1
            self.data[offset:offset + size] = value.to_bytes(size, "little")

    def bytes(self, address, size):
        return self.data[address - self.start:address - self.start + size]

    def put_bytes(self, address, data):
        self.data[address - self.start:address - self.start + len(data)] = data


class Memory:
    """Global memory: the allocations."""

    def __init__(self):
        self.starts, self.parts, self.last = [], [], None

    def allocate(self, address, size):
        at = bisect.bisect(self.starts, address)
        self.starts.insert(at, address)
        self.parts.insert(at, Bytes(address, size))

    def part(self, address):
        if self.last is None or not self.last.start <= address < self.last.end:
            at = bisect.bisect(self.starts, address) - 1
            if at < 0 or address >= self.parts[at].end:
                raise ValueError("address %#x is not in memory" % address)
            self.last = self.parts[at]
        return self.last

    def read(self, address, size):
        return self.part(address).read(address, size)

    def write(self, address, size, values):
        self.part(address).write(address, size, values)

    def bytes(self, address, size):
        return self.part(address).bytes(address, size)


# ---- Costs of requests ----------------------------------------------------------------------

def sectors(addresses, size):
    """Different sectors of the lanes of a request."""
    return len({address // SECTOR_BYTES for address in addresses} |
               {(address + size - 1) // SECTOR_BYTES for address in addresses})


def atomic_sectors(addresses):
    """Sectors of a request of global atomics: a pass has each address once, so that an address of
    three lanes needs three passes. Each pass counts its sectors."""
    passes = {}
    for address, lanes in collections.Counter(addresses).items():
        sector = address // SECTOR_BYTES
        passes[sector] = max(passes.get(sector, 0), lanes)
    return sum(passes.values())


def bypass_sectors(lanes):
    """Sectors of a copy that bypasses the cache: each line of 128 bytes that a pair of lanes reads
    counts as one sector. lanes: {lane: address}"""
    return len({(lane // 2, address // LINE_BYTES) for lane, address in lanes.items()})


def paired(lanes, group):
    """Whether all lanes of a group have the address of their neighbour, or all have that of the
    lane two places away."""
    return any(all(lanes.get(lane ^ distance, lanes[lane]) == lanes[lane] for lane in group)
               for distance in (1, 2))


def phases(lanes, size):
    """Groups of lanes that share the passes of a request. A pass serves 128 bytes: 32, 16 or 8
    lanes. Two such groups share their passes if their lanes are paired."""
    width = LANES if size <= 4 else LANES * 4 // size
    groups = [[lane for lane in lanes if lane // width == part] for part in range(LANES // width)]
    for first in range(0, len(groups) - 1, 2):
        both = groups[first] + groups[first + 1]
        if paired(lanes, both):
            groups[first], groups[first + 1] = both, []
    return [group for group in groups if group]


def wavefronts(lanes, size):
    """Passes over the banks of a request of shared memory. lanes: {lane: address}"""
    total = 0
    for group in phases(lanes, size):
        words = {lanes[lane] // BANK_BYTES + i for lane in group
                 for i in range(max(1, size // BANK_BYTES))}
        total += max(collections.Counter(word % BANKS for word in words).values())
    return total


# ---- Instructions ---------------------------------------------------------------------------

SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def size_of(mods):
    return next((SIZES[m] for m in mods[1:] if m in SIZES), 4)


def address_of(text):
    """(registers, uniform registers, offset, whether a register is a pair) of [R2.64+UR4+0x10]"""
    inner = re.search(r"\[([^\[\]]*)\]$", text).group(1)
    terms = [term for term in inner.replace("+-", "+~").split("+") if term]
    offset = sum(int(t.replace("~", "-"), 0) for t in terms if "0x" in t)
    names = [t for t in terms if "0x" not in t]
    return ([index_of(t) for t in names if t[0] == "R" and t[:2] != "RZ"],
            [index_of(t) for t in names if t[0] == "U" and t[:3] != "URZ"], offset,
            any(".64" in t for t in names))


def addresses_of(text, wide):
    vectors, uniforms, offset, pair = address_of(text)

    def addresses(w, lanes):
        base = offset
        for number in uniforms:
            base += w.u[number] | (w.u[number + 1] << 32 if wide and not vectors else 0)
        if not vectors:
            return {lane: base & (1 << 64) - 1 for lane in lanes}
        low = w.r[vectors[0]]
        if wide and pair:
            high = w.r[vectors[0] + 1]
            return {lane: ((low[lane] | high[lane] << 32) + base) & (1 << 64) - 1
                    for lane in lanes}
        return {lane: (low[lane] + base) & WORD for lane in lanes}
    return addresses


def lanes_in(mask):
    return [lane for lane in range(LANES) if mask >> lane & 1]


def data_load(w, target, size, signed, values):
    """Writes registers. values: {lane: words}"""
    if target is None:
        return
    for word in range(max(1, size // 4)):
        old = list(w.r[target + word])
        for lane, read in values.items():
            value = read[word]
            if signed and value >> 8 * size - 1:
                value |= WORD ^ (1 << 8 * size) - 1
            old[lane] = value
        w.r[target + word] = old


def register(text):
    return None if text in ("RZ", "URZ") else index_of(text)


def load(space, mods, operands):
    target, where = operands[0], operands[-1]
    if is_predicate(target):
        target = operands[1]
    number, size = register(target), size_of(mods)
    addresses = addresses_of(where, space == "global")
    signed = "S8" in mods or "S16" in mods

    def run(w, m):
        at = addresses(w, lanes_in(m))
        w.count(space + " load", at, size)
        memory = w.memory(space)
        data_load(w, number, size, signed, {i: memory.read(a, size) for i, a in at.items()})
    return run


def store(space, mods, operands):
    where, source = operands
    number, size = register(source), size_of(mods)
    addresses = addresses_of(where, space == "global")

    def run(w, m):
        at = addresses(w, lanes_in(m))
        w.count(space + " store", at, size)
        memory = w.memory(space)
        for lane, a in at.items():
            memory.write(a, size, [0 if number is None else w.r[number + i][lane]
                                   for i in range(max(1, size // 4))])
    return run


def local(mods, operands):
    """Spilled registers: no thread sees those of another thread."""
    is_load = mods[0] == "LDL"
    where, name = reversed(operands) if is_load else operands
    number = register(name)
    addresses, size = addresses_of(where, False), size_of(mods)

    def run(w, m):
        for lane, a in addresses(w, lanes_in(m)).items():
            for word in range(size // 4):
                if is_load:
                    value = list(w.r[number + word])
                    value[lane] = w.local.get((a + 4 * word, lane), 0)
                    w.r[number + word] = value
                else:
                    w.local[a + 4 * word, lane] = 0 if number is None else w.r[number + word][lane]
    return run


def copy(mods, operands):
    """LDGSTS [shared], desc[][global], P: copies where P is true, and stores zeros elsewhere.
    ZFILL: the last bits of the source are the number of bytes at the end that become zeros."""
    to, source = addresses_of(operands[0], False), addresses_of(operands[1], True)
    size = size_of(mods)
    enabled = predicate(operands[2]) if len(operands) > 2 else "FULL"
    test = eval("lambda w, FULL: " + enabled)

    def run(w, m):
        lanes, reading = lanes_in(m), m & test(w, (1 << LANES) - 1)
        target, at = to(w, lanes), source(w, lanes)
        read = {lane: at[lane] // size * size for lane in lanes_in(reading)}
        w.count_copy(read, size, "BYPASS" in mods)
        for lane in lanes:
            data = bytearray(size)
            if lane in read:
                kept = size - at[lane] % size
                data[:kept] = w.memory("global").bytes(read[lane], kept)
            w.memory("shared").put_bytes(target[lane], data)
    return run


OPERATIONS = {"ADD": lambda a, b: a + b, "MAX": max, "MIN": min, "AND": lambda a, b: a & b,
              "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b, "EXCH": lambda a, b: b,
              "INC": lambda a, b: a + 1}


def atomic(space, mods, operands):
    where = next(x for x in operands if "[" in x)
    after = operands[operands.index(where) + 1:]
    target = next((x for x in operands[:operands.index(where)] if not is_predicate(x)), "RZ")
    source = Operand(after[0]) if after else None
    addresses, number = addresses_of(where, space == "global"), register(target)
    operation = OPERATIONS[next(m for m in mods[1:] if m in OPERATIONS)]
    kind = "counting" if "POPC" in mods else "adding"

    def run(w, m):
        at = addresses(w, lanes_in(m))
        w.count_atomic(space, at, kind)
        memory = w.memory(space)
        values = {}
        for lane, a in at.items():
            old = memory.read(a, 4)[0]
            values[lane] = [old]
            operand = 1 if source is None or not source.register else w.r[source.number][lane]
            memory.write(a, 4, [operation(old, operand)])
        data_load(w, number, 4, False, values)
    return run


def matrix_load(mods, operands):
    """LDSM: eight rows of 16 bytes for each matrix. The data are not used."""
    addresses = addresses_of(operands[1], False)
    matrices = int(mods[-1])

    def run(w, m):
        at = addresses(w, lanes_in(m))
        for part in range(matrices):
            rows = {lane: at[lane] for lane in range(8 * part, 8 * part + 8) if lane in at}
            w.add("shared load wavefronts", wavefronts(rows, 16))
    return run


def compiled(opcode, operands):
    """The function of an instruction that uses memory; None for another one."""
    mods = opcode.split(".")
    name = mods[0]
    if name in ("LDG", "LDS"):
        return load("global" if name == "LDG" else "shared", mods, operands)
    if name in ("STG", "STS"):
        return store("global" if name == "STG" else "shared", mods, operands)
    if name in ("ATOMG", "REDG", "RED", "ATOMS"):
        return atomic("shared" if name == "ATOMS" else "global", mods, operands)
    return {"LDL": lambda: local(mods, operands), "STL": lambda: local(mods, operands),
            "LDGSTS": lambda: copy(mods, operands),
            "LDSM": lambda: matrix_load(mods, operands)}.get(name, lambda: None)()
