"""Finds code that assumes one vendor's width of a warp, size of a sector, number of units or limit of a
block, by its numbers. A list has the allowed places with their reasons.

usage: test_bare_numbers.py SOURCE_ROOT [places]

With "places" the script prints what it finds, as lines for the list, and tests nothing.

The list is allowed_numbers.txt: "path | number of lines | text that each line contains | reason". An
entry whose number of lines is wrong is a failure, so the list stays exact. A line that no entry
contains is a failure too. The number is "any" for a file that is a table of devices: it has one line
or more, each of them with a number.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

ROOT = sys.argv[1]
LIST = "tests/unit/allowed_numbers.txt"
FOLDERS = ("cl_kernels", "cuda_kernels", "common", "host")
KERNELS = (".cl", ".cu", ".inc")
ENDINGS = KERNELS + (".c", ".h")

# 32 or 64 lanes as a factor, divisor, mask or shift.
WIDTH = (r"(?:(?<![*/])[*/%] *(?:32|64)u?\b(?!\.)|\b(?:32|64)u? *[*/%](?![*/])|& *(?:31|63)u?\b"
         r"|\b(?:>>|<<) *[56]\b|\)* *>> *[56]u?\b)")
# Masks of the lanes of a warp.
MASK = r"\b0x(?:1f|3f|f{8}|f{16})u?l?l?\b"
TEXT = r'"(?:\\.|[^"\\\n])*"'
THREADS = r"thread|lane|warp|wave|\btid\b|block|group|sub_?group|simd"

# (name, pattern of the number, pattern that the line needs too, endings, what to do)
RULES = [
    ("warp", r"\bWARP_THREADS\b", "", ENDINGS,
     "use config.shape.lanes or the lanes of the model"),
    ("width", WIDTH, "", KERNELS, "use the macro LANES (MACRO_LANES in the row)"),
    ("width", WIDTH, THREADS, (".c", ".h"), "use config.shape.lanes or device_shape"),
    ("mask", MASK, "", KERNELS, "use LANES, or a collective function of the language"),
    ("mask", MASK, THREADS, (".c", ".h"), "use the lanes of the device"),
    ("sector", r"\b(?:32|64|128)u?(?:\.0)?\b", r"sector|line_bytes|LINE_BYTES|bank", (".c", ".h"),
     "use SHAPE_SECTOR, SHAPE_LINE or SHAPE_BANKS of device_shape"),
    ("units", r"\b132\b", "", ENDINGS, "use config.shape.units"),
    ("unit", r"\b2048\b", THREADS, ENDINGS, "use config.shape.unit_threads"),
    ("shared", r"\b48 *\* *1024\b|\b49152\b|\b48 *\* *KIB\b|\b48 *<< *10\b", "", ENDINGS,
     "use the shared memory that the device reports"),
    # Declared choices of a tunable are no limits.
    ("block", r"^(?!.*_choices).*\b1024\b", THREADS, (".c", ".h"), "use the largest block of the device or kernel"),
]


def blank(match):
    """The line breaks of a comment or a text stay, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match[0])


def code_lines(path, text):
    """Lines without comments. Texts are kept in kernels, whose inline assembly has masks. Its operands
    have numbers too: %32 is no remainder."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    if path.endswith(KERNELS):
        text = re.sub(TEXT, lambda found: re.sub(r"%\d+", "%", found[0]), text)
    else:
        text = re.sub(TEXT, '""', text)
    return text.split("\n")


def code_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return code_lines(path, file.read())


def places_of(path):
    """[(number of the line, text, rule)]"""
    found = []
    for number, line in enumerate(code_of(path), 1):
        for rule in RULES:
            _, pattern, needed, endings, _ = rule
            if (path.endswith(endings) and re.search(pattern, line)
                    and re.search(needed, line, re.I)):
                found.append((number, " ".join(line.split()), rule))
                break
    return found


def sources():
    for folder in FOLDERS:
        for directory, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    yield os.path.relpath(os.path.join(directory, name), ROOT)


class Entry:
    def __init__(self, number, line):
        fields = [field.strip() for field in line.split("|")]
        rows.check(len(fields) == 4, "%s:%d: not four fields" % (LIST, number))
        self.number, (self.path, count, self.text, self.reason) = number, fields
        self.count, self.found = None if count == "any" else int(count), 0

    def contains(self, line):
        return self.text in line

    @property
    def is_exact(self):
        return self.found > 0 if self.count is None else self.found == self.count


def entries():
    found = []
    with open(os.path.join(ROOT, LIST), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                found.append(Entry(number, line))
    return found


def is_allowed(path, allowed):
    """Each line with a number is in the list."""
    unknown = []
    for number, line, rule in places_of(path):
        entry = next((e for e in allowed if e.path == path and e.contains(line)), None)
        if entry:
            entry.found += 1
        else:
            unknown.append("%s:%d: %s: %s: %s, or add the line to %s with a reason"
                           % (path, number, rule[0], line, rule[4], LIST))
    rows.check(not unknown, "\n".join(unknown))


def is_exact(allowed):
    """Each entry matches as many lines as it says, and has a reason."""
    wrong = ["%s:%d: %s has %d lines with '%s', not %s" % (
        LIST, entry.number, entry.path, entry.found, entry.text, entry.count or "1 or more")
        for entry in allowed if not entry.is_exact]
    wrong += ["%s:%d: no reason" % (LIST, entry.number) for entry in allowed
              if len(entry.reason.split()) < 3]
    rows.check(not wrong, "\n".join(wrong))


# Lines that the rules find, and lines that they do not.
EXAMPLES = [
    ("a.cl", "int lane = t % 32;", True), ("a.cl", "int warp = t >> 5;", True),
    ("a.cl", "t & 31", True), ("a.cl", "(32 * COUNT)", True), ("a.cl", "x / LANES", False),
    ("a.cl", "float x = a * 32.0f;", False), ("a.cu", "__shfl_down_sync(0xffffffffu, a, 1)", True),
    ("a.inc", "thread / 32 * 16", True), ("a.cu", 'asm("%31, %32, {%131}, %132, p;" : "r"(a))', False),
    ("a.cu", 'asm("%0, 0xffffffff;" : : "r"(t %32))', True), ("a.cu", 'f(t %132, "%0");', True),
    ("a.cu", 'asm("vote.sync.all.pred %0, p, 0xffffffff;")', True),
    ("a.c", "threads / 32", True), ("a.c", "bytes / 64", False), ("a.c", "warps * 32", True),
    ("a.c", "(t >> 5) + lane", True), ("a.c", "groups = 8 * 132;", True),
    ("a.c", "size > 48 * 1024", True), ("a.c", "block <= 1024", True), ("a.c", "4 * 1024", False),
    ("a.c", "units * 2048 threads", True), ("a.h", "sector_bytes = 32,", True),
    ("a.c", "int block_choices[] = {512, 1024, 0};", False),
    ("a.c", "ceil_div(n, WARP_THREADS)", True), ("a.c", "lanes(shape)", False),
]


def finds(path, line, expected):
    found = any(path.endswith(endings) and re.search(pattern, code) and re.search(needed, code, re.I)
                for _, pattern, needed, endings, _ in RULES for code in code_lines(path, line))
    rows.equal(found, expected, line)


def print_places():
    """Lines for the list, one for each place."""
    for path in sources():
        for number, line, rule in places_of(path):
            print("%s:%d: %s: %s" % (path, number, rule[0], line))


if sys.argv[2:] == ["places"]:
    print_places()
    sys.exit()
ALLOWED = entries()
for example in EXAMPLES:
    rows.row("rules: %s: %s" % example[:2], finds, *example)
for source in sources():
    if places_of(source):
        rows.row(source, is_allowed, source, ALLOWED)
rows.row(LIST + " is exact", is_exact, ALLOWED)
rows.finish()
