"""What test_builtins.py calls: functions, types and inputs.

An input is a class and a slot: 128 bytes of a work-item. The classes hold numbers that all results are
defined for.
"""

import random
import struct

INTEGERS = {
    "char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64
}
FLOATS = {"float": 32, "double": 64}
BYTES = {**{name: bits // 8 for name, bits in {**INTEGERS, **FLOATS}.items()}, "half": 2}
CODES = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q",
    "ulong": "Q", "float": "f", "double": "d", "half": "e"
}
SIZES = (1, 2, 3, 4, 8, 16)
ITEMS = 64
SLOTS = 3
CLASSES = ("bits", "f", "d", "fs", "ds", "m24")


def signed(name):
    return not name.startswith("u")


def other_sign(name):
    return name[1:] if name.startswith("u") else "u" + name


def integer_of(bits, sign):
    return ("" if sign else "u") + {8: "char", 16: "short", 32: "int", 64: "long"}[bits]


def vector(name, size):
    return name if size == 1 else f"{name}{size}"


def inputs(seed=1):
    """ITEMS blocks, each with SLOTS slots for each class."""
    chance = random.Random(seed)
    special = {
        "f": [0.0, -0.0,
              float("inf"), -float("inf"),
              float("nan"), 1e-45, -1e-40, 3.4e38, 1.0],
        "d": [0.0, -0.0,
              float("inf"), -float("inf"),
              float("nan"), 5e-324, -1e-310, 1.7e308, 1.0]
    }
    edges = (0, 1, 0xFF, 0x80, 0x7F, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, (1 << 63) - 1, 1 << 63,
             (1 << 64) - 1)

    def slot(kind):
        if kind == "bits":
            return struct.pack(
                "<16Q",
                *(chance.choice(edges) if chance.random() < 0.3 else chance.getrandbits(64)
                  for _ in range(16)))
        if kind == "m24":
            return struct.pack("<32i", *(chance.randrange(1 << 23) for _ in range(32)))
        code = kind[0]
        count = 32 if code == "f" else 16
        values = [(chance.choice(special[code])
                   if len(kind) == 2 and chance.random() < 0.5 else chance.uniform(-100, 100))
                  for _ in range(count)]
        return struct.pack(f"<{count}{code}", *values)

    return bytearray(b"".join(
        slot(kind) for _ in range(ITEMS) for kind in CLASSES for _ in range(SLOTS)))


class Call:
    """A call of one overload: expr has {0}, {1}, {2} for the arguments (class, type, size)."""

    def __init__(self, expr, result, size, *arguments):
        self.expr, self.result, self.size, self.arguments = expr, result, size, arguments

    def statement(self, number):
        operands = []
        for slot, (kind, name, size) in enumerate(self.arguments):
            offset = (CLASSES.index(kind) * SLOTS + slot) * 128
            operands.append(f"(*(__global const {vector(name, size)} *)(in + {offset}))")
        return (f"\t*(__global {vector(self.result, self.size)} *)(out + {number * 128}) = "
                f"{self.expr.format(*operands)};\n")

    def text(self):
        return self.expr.format(*(f"({vector(name, size)})" for _, name, size in self.arguments))


def source(calls, first=0):
    body = "".join(call.statement(number) for number, call in enumerate(calls))
    return (
        f"__kernel void k(__global const uchar *data, __global uchar *result)\n{{\n"
        f"\t__global const uchar *in = data + get_global_id(0) * {len(CLASSES) * SLOTS * 128};\n"
        f"\t__global uchar *out = result + get_global_id(0) * {len(calls) * 128};\n{body}}}\n")


def same(name, size, left, right):
    """Whether two results are equal; a NaN equals every NaN."""
    count = BYTES[name] * size
    if left[:count] == right[:count]:
        return True
    if name not in ("float", "double"):
        return False
    for a, b in zip(struct.unpack(f"<{size}{CODES[name]}", left[:count]),
                    struct.unpack(f"<{size}{CODES[name]}", right[:count])):
        if not ((a != a and b != b) or struct.pack("d", a) == struct.pack("d", b)):
            return False
    return True


def exact_calls(sizes_of):
    """The functions with one correct result. sizes_of(number): the vector sizes for a type."""
    calls = []

    def add(expr, result, arguments, sizes):
        calls.extend(
            Call(expr, result, size, *((kind, name, size) for kind, name in arguments))
            for size in sizes)

    for number, (name, bits) in enumerate(INTEGERS.items()):
        sizes = sizes_of(number)
        unsigned = name if not signed(name) else other_sign(name)
        a, b, c = ("bits", name), ("bits", name), ("bits", name)
        for function in ("abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate",
                         "max", "min"):
            add(function + "({0}, {1})", unsigned if function == "abs_diff" else name, (a, b),
                sizes)
        for function in ("abs", "clz", "popcount"):
            add(function + "({0})", unsigned if function == "abs" else name, (a, ), sizes)
        for function in ("mad_hi", "mad_sat", "bitselect"):
            add(function + "({0}, {1}, {2})", name, (a, b, c), sizes)
        add("clamp({0}, min({1}, {2}), max({1}, {2}))", name, (a, b, c), sizes)
        for sign in (True, False):
            add("select({0}, {1}, {2})", name, (a, b, ("bits", integer_of(bits, sign))), sizes)
        if bits < 64:
            wide = integer_of(bits * 2, signed(name))
            add("upsample({0}, {1})", wide, (a, ("bits", unsigned)), sizes)
        for size in sizes:
            if size > 1:
                calls.append(Call("max({0}, {1})", name, size, (*a, size), (*b, 1)))
                calls.append(
                    Call("clamp({0}, (%s)3, (%s)90)" % (name, name), name, size, (*a, size)))
            if signed(name):
                calls.append(Call("any({0})", "int", 1, (*a, size)))
                calls.append(Call("all({0})", "int", 1, (*a, size)))
    for name in ("int", "uint"):
        add("mul24({0}, {1})", name, (("m24", name), ("m24", name)), sizes_of(1))
        add("mad24({0}, {1}, {2})", name, (("m24", name), ("m24", name), ("bits", name)),
            sizes_of(2))
    for number, (name, bits) in enumerate(FLOATS.items()):
        sizes = sizes_of(number)
        plain, special = (name[0], name), (name[0] + "s", name)
        for size in sizes:
            truth = "int" if size == 1 else integer_of(bits, True)
            for function in ("isequal", "isnotequal", "isgreater", "isgreaterequal", "isless",
                             "islessequal", "islessgreater", "isordered", "isunordered"):
                calls.append(
                    Call(function + "({0}, {1})", truth, size, (*special, size), (*special, size)))
            for function in ("isnan", "isinf", "isfinite", "isnormal", "signbit"):
                calls.append(Call(function + "({0})", truth, size, (*special, size)))
        add("bitselect({0}, {1}, {2})", name, (special, special, special), sizes)
        add("select({0}, {1}, {2})", name, (special, special, ("bits", integer_of(bits, True))),
            sizes)
        for function in ("max", "min", "step", "fmax", "fmin"):
            add(function + "({0}, {1})", name, (plain, plain), sizes)
        add("clamp({0}, min({1}, {2}), max({1}, {2}))", name, (plain, plain, plain), sizes)
        add("sign({0})", name, (plain, ), sizes)
    return calls


def shuffle_calls():
    calls = []
    for name in (*INTEGERS, *FLOATS):
        mask = integer_of(BYTES[name] * 8, False)
        kind = "bits" if name in INTEGERS else name[0]
        for number, size in enumerate((2, 4, 8, 16)):
            source_size = (16, 2, 8, 4)[number]
            calls.append(
                Call("shuffle({0}, {1})", name, size, (kind, name, source_size),
                     ("bits", mask, size)))
            calls.append(
                Call("shuffle2({0}, {2}, {1})", name, size, (kind, name, source_size),
                     ("bits", mask, size), (kind, name, source_size)))
    return calls
