"""Arithmetic of SASS instructions: Python functions that compute all lanes of a warp.

Each function has the arguments w (the warp) and m (the lanes that execute, as bits). The arithmetic
must be right only as far as branches and addresses depend on it: matrix instructions, f64 and f16
leave their results as they were."""
import math
import re
import struct

from sass.operands import (FULL, LANES, WORD, Operand, float_value, half_bits, index_of,
                           is_predicate, predicate)

# Instructions whose results no branch and no address needs, and those without a result.
IGNORED = ("HMMA", "HFMA2", "HADD2", "HMUL2", "DFMA", "DMUL", "DADD", "F2F", "F2FP", "NOP",
           "DEPBAR", "LDGDEPBAR", "MEMBAR", "ERRBAR", "CGAERRBAR", "CCTL", "FENCE", "YIELD",
           "WARPSYNC")
MIN_NORMAL = 2.0 ** -126  # of f32


# ---- Bits and floats ------------------------------------------------------------------------

def to_floats(words):
    return struct.unpack("<32f", struct.pack("<32I", *words))


def to_float(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def float_bits(value):
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7f800000 if value > 0 else 0xff800000


def to_words(values):
    try:
        return list(struct.unpack("<32I", struct.pack("<32f", *values)))
    except OverflowError:
        return [float_bits(value) for value in values]


def to_bits(flags):
    bits = 0
    for lane, flag in enumerate(flags):
        if flag:
            bits |= 1 << lane
    return bits


def rounded_up(value):
    """The smallest f32 that is not below an integer."""
    bits = float_bits(float(value))
    return bits + 1 if to_float(bits) < value else bits


def reciprocal(value):
    if value == 0:
        return math.copysign(math.inf, value)
    return 1 / value


def special(name):
    """The function of MUFU."""
    function = {"RCP": reciprocal, "RSQ": lambda x: 1 / math.sqrt(x), "SQRT": math.sqrt,
                "EX2": lambda x: 2.0 ** x, "LG2": math.log2,
                "SIN": lambda x: math.sin(2 * math.pi * x),
                "COS": lambda x: math.cos(2 * math.pi * x)}[name]

    def value(x):
        try:
            return function(x)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan if math.isnan(x) or x < 0 else math.inf
    return value


def is_normal(value):
    return math.isfinite(value) and abs(value) >= MIN_NORMAL


def is_special_division(a, b):
    """Whether the short form of a division of f32 is not enough."""
    return not (is_normal(a) and is_normal(b) and MIN_NORMAL <= abs(a / b) < 2.0 ** 128)


def truncated(value, low, high):
    if math.isnan(value):
        return 0
    return int(max(low, min(high, value)))


def lut3(a, b, c, table):
    """The bitwise function LOP3 with this table."""
    result = 0
    for index in range(8):
        if table >> index & 1:
            result |= ((a if index & 4 else ~a) & (b if index & 2 else ~b) &
                       (c if index & 1 else ~c))
    return result


def permuted(a, selector, b):
    words = a | b << 32
    result = 0
    for place in range(4):
        choice = selector >> 4 * place & 15
        byte = words >> 8 * (choice & 7) & 255
        result |= (byte if choice < 8 else 255 * (byte >> 7)) << 8 * place
    return result


NAMES = {name: value for name, value in globals().items() if callable(value)}
NAMES.update(FULL=FULL, WORD=WORD, LANES=LANES, inf=math.inf, nan=math.nan)


# ---- Expressions over lanes -----------------------------------------------------------------

class Code:
    """Collects the lines of one function."""

    def __init__(self):
        self.lines = []
        self.vectors = {}  # expression: variable of a lane
        self.count = 0

    def variable(self, expression, vector):
        if not vector:
            if expression.isdigit():
                return expression
            name = "s%d" % self.count
            self.count += 1
            self.lines.append("%s = %s" % (name, expression))
            return name
        if expression not in self.vectors:
            self.vectors[expression] = "v%d" % len(self.vectors)
        return self.vectors[expression]

    def integer(self, text, signed=False):
        operand = Operand(text)
        return operand.integer(self.variable(operand.word(), operand.vector), signed)

    def pair(self, text):
        operand = Operand(text)
        low = self.variable(operand.word(), operand.vector)
        high = self.variable(operand.word(1), operand.vector)
        value = "(%s | %s << 32)" % (low, high)
        return "(-%s)" % value if operand.negative else value

    def real(self, text):
        operand = Operand(text)
        if re.match(r"[-+]?(\d|INF|QNAN)", text.strip("-|")) and "0x" not in text:
            return repr(float_value(text.replace("|", "")))
        word = operand.word()
        value = "to_floats(%s)" % word if operand.vector else "to_float(%s)" % word
        return operand.real(self.variable(value, operand.vector))

    def bits(self, expression):
        """A variable with the bit of the lane."""
        return self.variable("lanes_of(%s)" % expression, True)

    def values(self, expression):
        """The list of the lanes' values of an expression."""
        if not self.vectors:
            return "[%s] * LANES" % expression
        names, sources = list(self.vectors.values()), list(self.vectors)
        if len(names) == 1:
            return "[%s for %s in %s]" % (expression, names[0], sources[0])
        return "[%s for %s in zip(%s)]" % (expression, ", ".join(names), ", ".join(sources))

    def function(self):
        scope = dict(NAMES)
        exec("def run(w, m):\n " + "\n ".join(self.lines or ["pass"]), scope)
        return scope["run"]


def lanes_of(bits):
    return [bits >> lane & 1 for lane in range(LANES)]


NAMES["lanes_of"] = lanes_of


def put(code, target, expression, offset=0):
    """Writes a register. A uniform register has the value of one lane."""
    number = index_of(target) + offset
    code.lines.append("w.u[%d] = (%s)[0]" % (number, expression) if target[0] == "U" else
                      "w.put(%d, m, %s)" % (number, expression))


def put_pair(code, target, expression):
    code.lines.append("both = " + code.values(expression))
    put(code, target, "[b & WORD for b in both]")
    if target not in ("RZ", "URZ"):
        put(code, target, "[b >> 32 & WORD for b in both]", 1)


def put_bits(code, target, expression):
    if target not in ("PT", "UPT"):
        code.lines.append("w.set_predicate(%d, %s, m, %s)" % (
            index_of(target), target[0] == "U", expression))


# ---- Instructions ---------------------------------------------------------------------------

def split(operands):
    """(target, predicate targets, sources)"""
    target, rest, flags = operands[0], operands[1:], []
    while rest and is_predicate(rest[0]) and not rest[0].startswith("!"):
        flags.append(rest.pop(0))
    return target, flags, rest


def add3(code, mods, operands):
    target, flags, rest = split(operands)
    carries = [x for x in rest if is_predicate(x)] if "X" in mods else []
    terms = [code.integer(x) for x in rest if not is_predicate(x)]
    terms += [code.bits(predicate(x)) for x in carries if x not in ("!PT", "!UPT")]
    sum_of(code, target, flags, " + ".join(terms))


def sum_of(code, target, flags, expression):
    code.lines.append("total = " + code.values(expression))
    put(code, target, "[t & WORD for t in total]")
    for place, flag in enumerate(flags):
        put_bits(code, flag, "to_bits([t >> 32 > %d for t in total])" % place)


def multiply(code, mods, operands):
    target, _, rest = split(operands)
    carry = [x for x in rest if is_predicate(x)]
    a, b, c = [x for x in rest if not is_predicate(x)]
    signed = "U32" not in mods
    if "WIDE" in mods or "HI" in mods:
        value = "%s * %s + %s" % (code.integer(a, signed), code.integer(b, signed), code.pair(c))
        if "WIDE" in mods:
            put_pair(code, target, value)
        else:
            put(code, target, code.values("(%s) >> 32 & WORD" % value))
        return
    value = "%s * %s + %s" % (code.integer(a), code.integer(b), code.integer(c))
    for flag in carry:
        value += " + " + code.bits(predicate(flag))
    put(code, target, code.values("(%s) & WORD" % value))


def lea(code, mods, operands):
    target, flags, rest = split(operands)
    carry = rest.pop() if "X" in mods else None
    shift = int(rest.pop(), 0)
    if "HI" in mods:
        signed = "SX32" in mods
        high = None if signed else rest[2] if len(rest) > 2 else "RZ"
        low = code.integer(rest[0], signed)
        value = "((%s << %d) >> 32 & WORD) + %s" % (
            low if high is None else "(%s & WORD | %s << 32)" % (low, code.integer(high)), shift,
            code.integer(rest[1]))
    else:
        value = "(%s << %d & WORD) + %s" % (code.integer(rest[0]), shift, code.integer(rest[1]))
    if carry and carry not in ("!PT", "!UPT"):
        value += " + " + code.bits(predicate(carry))
    sum_of(code, target, flags, value)


def shift(code, mods, operands):
    target, low, count, high = operands
    a, s, c = code.integer(low), code.integer(count), code.integer(high)
    signed = any(m in mods for m in ("S32", "S64"))
    s = "(%s & 31)" % s if "W" in mods else "min(%s, 64)" % s
    if "R" in mods:
        c = code.integer(high, signed)
        value = "%s >> %s" % (c, s) if "HI" in mods else "(%s | %s << 32) >> %s" % (a, c, s)
    elif "HI" in mods:
        value = "(%s | %s << 32) << %s >> 32" % (a, c, s)
    else:
        value = "%s << %s" % (a, s)
    put(code, target, code.values("(%s) & WORD" % value))


COMPARISONS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def compare(code, mods, operands):
    first, second, a, b = operands[:4]
    kind = next(m for m in mods if m.rstrip("U") in COMPARISONS)
    real = is_real(mods)
    if real:
        x, y = code.real(a), code.real(b)
    else:
        x, y = code.integer(a, "U32" not in mods), code.integer(b, "U32" not in mods)
        x, y = ("(%s & WORD)" % x, "(%s & WORD)" % y) if "U32" in mods else (x, y)
    sign = COMPARISONS[kind if kind in COMPARISONS else kind[:-1]]
    value = "%s %s %s" % (x, sign, y)
    if real and kind.endswith("U"):
        value = "(%s or %s != %s or %s != %s)" % (value, x, x, y, y)
    elif real and kind == "NE":
        value = "(%s < %s or %s > %s)" % (x, y, x, y)
    elif "EX" in mods:
        lower = code.bits(predicate(operands[5]))
        equal = "%s == %s and %s" % (x, y, lower)
        value = {"EQ": "(%s)" % equal, "NE": "(%s != %s or %s)" % (x, y, lower)}.get(
            kind, "(%s %s %s or %s)" % (x, sign[0], y, equal))
    code.lines.append("flags = to_bits(%s)" % code.values(value))
    other = predicate(operands[4])
    combine = {"AND": "&", "OR": "|", "XOR": "^"}[next(m for m in mods if m in ("AND", "OR",
                                                                                 "XOR"))]
    code.lines.append("other = " + other)
    put_bits(code, first, "flags %s other" % combine)
    put_bits(code, second, "(flags ^ FULL) %s other" % combine)


def is_real(mods):
    return mods[0] in ("FSETP", "FMNMX", "FSEL")


def logic3(code, mods, operands):
    flags = []
    while is_predicate(operands[0]):
        flags.append(operands.pop(0))
    target, a, b, c, table = operands[:5]
    terms = [code.integer(x) for x in (a, b, c)]
    table = int(table, 0)
    known = {0xc0: "%s & %s", 0xfc: "%s | %s", 0x3c: "%s ^ %s"}.get(table)
    value = "(%s) & WORD" % (known % tuple(terms[:2]) if known else
                             "lut3(%s, %s, %s, %d)" % (tuple(terms) + (table,)))
    code.lines.append("result = " + code.values(value))
    put(code, target, "result")
    for flag in flags:
        put_bits(code, flag, "to_bits(result)")


def predicate_logic3(code, mods, operands):
    terms = [predicate(x) for x in operands[2:5]]
    for target, table in zip(operands[:2], operands[5:]):
        put_bits(code, target, "lut3(%s, %s, %s, %d) & FULL" % (tuple(terms) + (int(table, 0),)))


def simple(template, signed=False):
    """Instructions without modifiers that matter: {0}, {1}, {2} are the sources."""
    def make(code, mods, operands):
        target, _, rest = split(operands)
        put(code, target, code.values(template.format(
            *(code.integer(x, signed and "U32" not in mods) for x in rest))))
    return make


def select(code, mods, operands):
    target, a, b, which = operands
    real = mods[0] == "FSEL"
    x, y = (code.real(a), code.real(b)) if real else (code.integer(a), code.integer(b))
    values = code.values("%s if %s else %s" % (x, code.bits(predicate(which)), y))
    put(code, target, "to_words(%s)" % values if real else "[v & WORD for v in %s]" % values)


def extreme(code, mods, operands):
    """The minimum, or the maximum if the last operand is false."""
    target, rest, which = operands[0], operands[1:-1], operands[-1]
    real = is_real(mods)
    terms = [code.real(x) if real else code.integer(x, "U32" not in mods) for x in rest]
    if mods[0] == "VIADDMNMX":
        terms = ["(%s + %s)" % tuple(terms[:2]), terms[2]]
    name = "max" if which in ("!PT", "!UPT") else "min"
    values = code.values("%s(%s)" % (name, ", ".join(terms)))
    put(code, target, "to_words(%s)" % values if real else "[v & WORD for v in %s]" % values)


def real_arithmetic(template):
    def make(code, mods, operands):
        target, _, rest = split(operands)
        value = template.format(*(code.real(x) for x in rest if not is_predicate(x)))
        if "SAT" in mods:
            value = "max(0.0, min(1.0, %s))" % value
        put(code, target, "to_words(%s)" % code.values(value))
    return make


def special_function(code, mods, operands):
    target, source = operands
    code.lines.append("function = special(%r)" % mods[1])
    put(code, target, "to_words(%s)" % code.values("function(%s)" % code.real(source)))


def from_integer(code, mods, operands):
    target, source = operands
    if "F64" in mods or "U64" in mods:
        return
    signed = not any(m.startswith("U") for m in mods[1:])
    value = code.integer(source, signed)
    put(code, target, code.values(("rounded_up(%s)" if "RP" in mods else
                                   "float_bits(float(%s))") % value))


def to_integer(code, mods, operands):
    target, source = operands
    if "U64" in mods or "F64" in mods:
        return
    low, high = (0, WORD) if "U32" in mods else (-1 << 31, (1 << 31) - 1)
    value = code.real(source)
    value = value if "TRUNC" in mods else "(round(%s) if abs(%s) < 1e18 else %s)" % ((value,) * 3)
    put(code, target, code.values("truncated(%s, %d, %d) & WORD" % (value, low, high)))


def check_division(code, mods, operands):
    flag, a, b = operands
    put_bits(code, flag, "to_bits(%s)" % code.values(
        "is_special_division(%s, %s)" % (code.real(a), code.real(b))))


def half_constant(code, mods, operands):
    """HFMA2 as a move: RZ * RZ + two constants."""
    if len(operands) == 5 and operands[1] == "-RZ" and operands[2] == "RZ":
        word = half_bits(operands[3]) << 16 | half_bits(operands[4])
        put(code, operands[0], "[%d] * LANES" % word)


def move(code, mods, operands):
    put(code, operands[0], code.values(code.integer(operands[1])))


def predicates_to_register(code, mods, operands):
    mask = int(operands[3], 0)
    code.lines.append("value = [0] * LANES")
    for number in range(7):
        if mask >> number & 1:
            code.lines.append("value = [v | (w.p[%d] >> i & 1) << %d for i, v in "
                              "enumerate(value)]" % (number, number))
    put(code, operands[0], "value")


def register_to_predicates(code, mods, operands):
    mask = int(operands[2], 0) if len(operands) > 2 else 0x7f
    for number in range(7):
        if mask >> number & 1:
            code.lines.append("w.set_predicate(%d, False, m, to_bits([v >> %d & 1 for v in %s]))"
                              % (number, number, Operand(operands[1]).word()))


def find_leading(code, mods, operands):
    target, source = split(operands)[0], operands[-1]
    value = "(%s & WORD).bit_length()" % code.integer(source)
    value = "(%s - 1 & WORD)" % value
    put(code, target, code.values(value))


def special_register(code, mods, operands):
    put(code, operands[0], "w.special(%r)" % operands[1])
    if mods[0] == "CS2R" and "32" not in mods:
        put(code, operands[0], "[0] * LANES", 1)


def vote(code, mods, operands):
    """VOTE.ALL P0, P0; VOTE.ANY R3, PT, P0: the vote of the lanes that execute."""
    source = operands[-1]
    code.lines.append("yes = %s & m" % predicate(source))
    for target in operands[:-1]:
        if is_predicate(target):
            put_bits(code, target, {"ALL": "FULL if yes == m else 0", "ANY": "FULL if yes else 0"
                                    }.get(mods[1], "FULL if yes in (0, m) else 0"))
        else:
            put(code, target, "[yes] * LANES")


def register_to_uniform(code, mods, operands):
    lane = "%s[(m & -m).bit_length() - 1]"
    operand = Operand(operands[-1])
    code.lines.append("w.u[%d] = %s" % (
        index_of(operands[-2]), lane % operand.word() if operand.vector else operand.word()))


def shuffle(code, mods, operands):
    flag, target, source, lane, control = operands
    code.lines.append("result, valid = w.shuffle(%r, m, %s, %s, %s)" % (
        mods[1], words(source), words(lane), words(control)))
    put(code, target, "result")
    put_bits(code, flag, "valid")


def words(text):
    operand = Operand(text)
    return operand.word() if operand.vector else "[%s] * LANES" % operand.word()


def constant(code, mods, operands):
    target, source = operands
    bank, place = re.match(r"c\[0x(\w+)\]\[(.*)\]$", source).groups()
    count = 2 if "64" in mods else 4 if "128" in mods else 1
    terms = re.findall(r"U?R\d+|[-+]?0x\w+", place)
    base = sum(int(t, 0) for t in terms if "0x" in t)
    registers = [t for t in terms if "R" in t]
    for word in range(count):
        address = " + ".join(["%d" % (base + 4 * word)] + [code.integer(r) for r in registers])
        put(code, target, code.values("w.constant(%d, %s)" % (int(bank, 16), address)), word)


TABLE = {
    "IADD3": add3, "IMAD": multiply, "LEA": lea, "SHF": shift, "ISETP": compare,
    "FSETP": compare, "LOP3": logic3, "PLOP3": predicate_logic3, "SEL": select, "FSEL": select,
    "VIMNMX": extreme, "VIMNMX3": extreme, "IMNMX": extreme, "FMNMX": extreme,
    "VIADDMNMX": extreme, "VIADD": simple("({0} + {1}) & WORD"),
    "IABS": simple("abs({0}) & WORD", True), "POPC": simple("bin({0} & WORD).count('1')"),
    "BREV": simple("int(format({0} & WORD, '032b')[::-1], 2)"),
    "PRMT": simple("permuted({0}, {1}, {2})"), "FADD": real_arithmetic("({0} + {1})"),
    "FMUL": real_arithmetic("({0} * {1})"), "FFMA": real_arithmetic("({0} * {1} + {2})"),
    "MUFU": special_function, "I2F": from_integer, "I2FP": from_integer, "F2I": to_integer,
    "HFMA2": half_constant, "MOV": move, "P2R": predicates_to_register,
    "R2P": register_to_predicates, "FLO": find_leading, "S2R": special_register,
    "CS2R": special_register, "VOTE": vote, "R2UR": register_to_uniform, "SHFL": shuffle,
    "LDC": constant, "FCHK": check_division,
}


def as_vector(mods):
    """An instruction of the uniform path, with the name of its vector form."""
    name = mods[0]
    if name in ("ULDC", "VOTEU", "S2UR", "UMOV", "USEL", "ULEA", "UIADD3", "UIMAD", "UISETP",
                "ULOP3", "UPLOP3", "USHF", "UPOPC", "UFLO", "UPRMT", "UIMNMX"):
        return [name.replace("U", "", 1) if name != "S2UR" else "S2R"] + mods[1:]
    return mods


def compiled(opcode, operands):
    """The function of an instruction; None for an unknown instruction."""
    mods = opcode.split(".")
    code = Code()
    mods = as_vector(mods)
    if mods[0] in TABLE:
        TABLE[mods[0]](code, mods, list(operands))
    elif mods[0] not in IGNORED:
        return None
    return code.function()
