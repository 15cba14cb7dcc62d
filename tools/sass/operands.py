"""Operands of SASS instructions as Python expressions.

A value is one 32-bit word per lane, or one word for all lanes. Words are unsigned integers."""
import re
import struct

LANES = 32
FULL = (1 << LANES) - 1
WORD = 0xffffffff
ZERO_REGISTER, ZERO_UNIFORM, TRUE = 255, 63, 7


def half_bits(text):
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]


def float_value(text):
    return float(text.replace("QNAN", "nan").replace("SNAN", "nan").replace("INF", "inf"))


def index_of(text):
    """The number of a register or predicate: R12, UR4, RZ, URZ, P0, UP1, PT, UPT."""
    name = re.match(r"U?[RP](Z|T|\d+)", text)
    if name.group(1) == "Z":
        return ZERO_UNIFORM if text[0] == "U" else ZERO_REGISTER
    return TRUE if name.group(1) == "T" else int(name.group(1))


def is_predicate(text):
    return bool(re.match(r"!?U?P(T|\d+)$", text))


def is_register(text):
    return bool(re.match(r"R(Z|\d+)(\.64)?$", text))


def predicate(text):
    """The lanes in which a predicate is true, as an expression."""
    name = text.lstrip("!")
    lanes = ("(FULL if w.up[%d] else 0)" if name[0] == "U" else "w.p[%d]") % index_of(name)
    if name in ("PT", "UPT"):
        lanes = "FULL"
    return "(%s ^ FULL)" % lanes if text.startswith("!") else lanes


class Operand:
    """A source operand. `vector`: it has a value per lane."""

    def __init__(self, text):
        text = text.strip().replace(".reuse", "")
        self.negative = text.startswith("-") and not re.match(r"-[\d+]", text)
        text = text[1:] if self.negative else text
        self.inverted = text.startswith("~")
        text = text[1:] if self.inverted else text
        self.absolute = text.startswith("|")
        text = text.strip("|")
        self.text, _, self.part = text.partition(".") if text[:1] in "RU" else (text, "", "")
        self.register = self.text[0] == "R" and self.text != "RZ" and is_register(self.text)
        self.vector = self.register
        self.number = index_of(self.text) if self.register or self.text[:2] == "UR" else None

    def word(self, offset=0):
        """The word `offset` registers after the first, as an expression."""
        text = self.text
        if text in ("RZ", "URZ"):
            return "0"
        if self.register:
            return "w.r[%d]" % (self.number + offset)
        if text[:2] == "UR":
            return "w.u[%d]" % (self.number + offset)
        bank = re.match(r"c\[0x(\w+)\]\[0x(\w+)\]$", text)
        if bank:
            return "w.constant(%d, %d)" % (int(bank.group(1), 16),
                                           int(bank.group(2), 16) + 4 * offset)
        if re.match(r"-?0x", text) or re.match(r"-?\d+$", text):
            return str(int(text, 0) >> 32 * offset & WORD)
        raise ValueError("operand %s" % text)

    def part_of(self, name):
        """The byte or half of a word that the operand selects."""
        byte = re.search(r"B([0-3])", self.part)
        half = re.search(r"H([01])", self.part)
        if byte:
            return "(%s >> %d & 255)" % (name, 8 * int(byte.group(1)))
        return "(%s >> %d & 65535)" % (name, 16 * int(half.group(1))) if half else name

    def integer(self, name, signed=False):
        """The value of the variable `name` with the signs of the operand."""
        value = self.part_of(name)
        if self.inverted:
            value = "(%s ^ WORD)" % value
        if self.negative:
            value = "((%s ^ WORD) + 1)" % value
        if signed:
            value = "((%s & WORD ^ 0x80000000) - 0x80000000)" % value
        return value

    def real(self, name):
        value = "abs(%s)" % name if self.absolute else name
        return "(-%s)" % value if self.negative else value
