"""tools/sass on small listings of machine code: the rules by which ncu counts instructions.

usage: test_sass.py SOURCE_ROOT
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import rows

sys.path.insert(0, os.path.join(sys.argv[1], "tools"))
sys.dont_write_bytecode = True
from sass import counts, memory, record
from sass.operands import LANES
from sass.warp import Unknown

BUFFER = 0x7f0000000000  # the first argument: 4096 words, word i is i
# R2 R3: the address of word `lane` of the buffer. R0: the lane.
HEAD = """
    S2R R0, SR_TID.X ;
    LDC.64 R2, c[0x0][0x210] ;
    IMAD.WIDE R2, R0, 0x4, R2 ;
"""


class MadeKernel:
    """A kernel with one argument."""

    def __init__(self, lines):
        text, address = ".text.k:\n", 0
        for line in lines.strip().splitlines():
            if line.strip().startswith(".L"):
                text += line.strip() + "\n"
                continue
            text += "        /*%04x*/    %s\n" % (address, line.strip())
            address += 16
        self.code = record.parse(text, "k")
        self.parameters, self.banks = [(0, 8)], {}


def launched(lines, threads=LANES, blocks=1):
    """The counts of a launch, and the words of the buffer after it."""
    where = memory.Memory()
    where.allocate(BUFFER, 4 * 4096)
    for word in range(4096):
        where.write(BUFFER + 4 * word, 4, [word])
    launch = record.Launch(MadeKernel(HEAD + lines + "\nEXIT ;"),
                           ["k", blocks, 1, 1, threads, 1, 1, 0], struct.pack("<Q", BUFFER), where)
    launch.run()
    return launch.counts, where.parts[0].words


def check(lines, **expected):
    """Names of counts have _ in place of spaces."""
    found = launched(lines)[0]
    for name, number in expected.items():
        rows.equal(found.get(name.replace("_", " "), 0), number, name)


# ---- Rules ----------------------------------------------------------------------------------

def passes():
    """(width in bytes, address of each lane, wavefronts)"""
    for size, address, expected in (
            (4, lambda i: 4 * i, 1), (4, lambda i: 128 * i, 32), (4, lambda i: 0, 1),
            (8, lambda i: 8 * i, 2), (8, lambda i: i // 2 * 8, 1), (8, lambda i: i % 4 * 8, 2),
            (16, lambda i: 16 * i, 4), (16, lambda i: 0, 2),
            (16, lambda i: i // 4 * 16, 2), (16, lambda i: i // 2 * 16, 2),
            (16, lambda i: i % 4 * 16, 4), (16, lambda i: i % 2 * 16, 2),
            (16, lambda i: i // 4 * 128, 8)):
        rows.equal(memory.wavefronts({i: address(i) for i in range(LANES)}, size), expected,
                   "%d bytes, %s" % (size, [address(i) for i in (0, 1, 2, 4)]))
    rows.equal(memory.wavefronts({5: 64}, 16), 1, "one lane")


def global_memory():
    check("LDG.E R4, desc[UR4][R2.64] ;\nSTG.E desc[UR4][R2.64+0x4], R4 ;", global_load_requests=1,
          global_load_sectors=4, global_store_requests=1, global_store_sectors=5)
    rows.equal(list(launched("LDG.E R4, desc[UR4][R2.64+0x40] ;\nSTG.E desc[UR4][R2.64], R4 ;")[1]
                    [:33]), list(range(16, 48)) + [32], "the copied words")


def nothing_on():
    check("ISETP.GT.AND P0, PT, R0, 0x3f, PT ;\n@P0 LDG.E R4, desc[UR4][R2.64] ;",
          global_load_requests=0, instructions=6, threads=6 * 32, threads_on=5 * 32)


def copies():
    """LDGSTS: a request only if a lane reads. One that bypasses the cache: lines of each pair."""
    shared = "SHF.L.U32 R6, R0, 0x4, RZ ;\nIADD3 R6, R6, 0x400, RZ ;\n"
    one = "LDC.64 R8, c[0x0][0x210] ;\n"
    check(shared + "LDGSTS.E [R6], desc[UR4][R2.64] ;", global_load_requests=1,
          global_load_sectors=4, shared_store_wavefronts=0)
    check(shared + "LDGSTS.E [R6], desc[UR4][R2.64], !PT ;", global_load_requests=0,
          global_load_sectors=0, threads_on=7 * 32)
    check(shared + one + "LDGSTS.E.BYPASS.128 [R6], desc[UR4][R8.64] ;", global_load_requests=1,
          global_load_sectors=16)
    check(shared + one + "LDGSTS.E.128 [R6], desc[UR4][R8.64] ;", global_load_sectors=1)
    for distance, expected in ((16, 1), (32, 1), (96, 1), (128, 2), (224, 2)):
        rows.equal(memory.bypass_sectors({6: 0, 7: distance}), expected, "%d bytes" % distance)


def partial_copy():
    """ZFILL: the last bits of the source are the number of bytes at the end that become zeros."""
    words = launched("""SHF.L.U32 R6, R0, 0x4, RZ ;
        LDC.64 R8, c[0x0][0x210] ;
        IADD3 R8, R8, 0x24, RZ ;
        LDGSTS.E.BYPASS.128.ZFILL [R6+0x400], desc[UR4][R8.64], PT ;
        LDS.128 R12, [R6+0x400] ;
        STG.E.128 desc[UR4][R8.64+-0x24], R12 ;""")[1]
    rows.equal(list(words[:4]), [8, 9, 10, 0], "the filled words")


def branches():
    """A branch diverges if some lanes take it. An exit with a predicate is no branch."""
    half = "ISETP.GT.AND P0, PT, R0, 0xf, PT ;\n"
    check(half + "BSSY B0, `(.L_x_0) ;\n@P0 BRA `(.L_x_1) ;\nMOV R4, RZ ;\n.L_x_1:\nBSYNC B0 ;\n"
          ".L_x_0:\nMOV R5, RZ ;", divergent_branches=1, BRA=1,
          instructions=3 + 3 + 1 + 2 + 2, threads=32 * 6 + 16 * 3 + 32 * 2)
    check(half + "@P0 EXIT ;\nMOV R4, RZ ;", divergent_branches=0, instructions=7,
          threads=32 * 5 + 16 * 2, threads_on=32 * 4 + 16 + 16 * 2)
    check("ISETP.GT.AND P0, PT, R0, 0x3f, PT ;\n@P0 BRA `(.L_x_0) ;\nMOV R4, RZ ;\n.L_x_0:\n"
          "MOV R5, RZ ;", divergent_branches=0, threads_on=32 * 7)


def two_predicates():
    """@P0 BRA !P1: both predicates decide, and both decide which threads are on."""
    check("ISETP.GT.AND P0, PT, R0, 0xf, PT ;\nISETP.GT.AND P1, PT, R0, 0x17, PT ;\n"
          "@P0 BRA !P1, `(.L_x_0) ;\n.L_x_0:\nMOV R5, RZ ;", divergent_branches=1,
          threads_on=32 * 5 + 8 + 2 * 32)


def loop_of_lanes():
    """Lanes that leave a loop early wait at BSYNC for the others."""
    check("""LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT ;
        BSSY B0, `(.L_x_1) ;
        .L_x_0:
        ISETP.NE.AND P0, PT, R4, RZ, PT ;
        IADD3 R4, R4, -0x1, RZ ;
        @P0 BRA `(.L_x_0) ;
        BSYNC B0 ;
        .L_x_1:
        MOV R5, RZ ;""", divergent_branches=3, BRA=4, threads=32 * 8 + 96 + 72 + 48 + 24)


def barrier():
    """The warps of a block wait for each other."""
    words = launched("""SHF.L.U32 R6, R0, 0x2, RZ ;
        STS [R6+0x400], R0 ;
        BAR.SYNC.DEFER_BLOCKING 0x0 ;
        LOP3.LUT R7, R6, 0xfc, RZ, 0x3c, !PT ;
        LDS R8, [R7+0x400] ;
        STG.E desc[UR4][R2.64], R8 ;""", threads=64)[1]
    rows.equal(list(words[:64]), list(range(63, -1, -1)), "words of the other warp")


def atomics():
    """ATOMS.POPC.INC serves lanes of one address together, ATOMS.ADD one by one. A pass over
    global memory has each address once."""
    inside = "LOP3.LUT R6, R0, 0x4, RZ, 0xc0, !PT ;\n"
    check(inside + "ATOMS.POPC.INC.32 RZ, [R6+0x400] ;", shared_atomic_wavefronts=1)
    check(inside + "ATOMS.ADD RZ, [R6+0x400], R0 ;", shared_atomic_wavefronts=16)
    counted, words = launched("LDC.64 R8, c[0x0][0x210] ;\nMOV R4, 0x1 ;\n"
                              "REDG.E.ADD.STRONG.GPU desc[UR4][R8.64], R4 ;", blocks=2)
    rows.equal((counted["global atomic requests"], words[0]), (2, 64), "additions")
    for addresses, expected in (([0, 4, 8, 32], 2), ([0, 4, 0, 4], 2), ([0, 0, 4, 4], 2),
                                ([0, 32, 0], 3), ([0, 32, 0, 64, 128], 5),
                                ([0, 128, 0, 128], 4)):
        rows.equal(memory.atomic_sectors(addresses), expected, "sectors of %s" % addresses)


# ---- Arithmetic -----------------------------------------------------------------------------

def arithmetic():
    """(instructions that set R4 from R0 = lane, expected word of lane i)"""
    for lines, expected in (
            ("IADD3 R4, R0, -0x5, RZ ;", lambda i: i - 5),
            ("IADD3 R4, P0, -R0, 0x5, RZ ;\nIADD3.X R4, RZ, RZ, RZ, P0, !PT ;", lambda i: i <= 5),
            ("IMAD R4, R0, -0x3, R0 ;", lambda i: -2 * i),
            ("IABS R4, -R0 ;", lambda i: i),
            ("LEA R4, R0, 0x7, 0x3 ;", lambda i: 8 * i + 7),
            ("LEA.HI R4, R0, R0, RZ, 0x1e ;", lambda i: i + (i >> 2)),
            ("SHF.L.U32 R4, R0, 0x1e, RZ ;\nSHF.R.S32.HI R4, RZ, 0x1f, R4 ;",
             lambda i: -(i >> 1 & 1)),
            ("SHF.R.U64 R4, RZ, 0x1c, R0 ;", lambda i: i << 4),
            ("LOP3.LUT R4, R0, 0x3, 0x8, 0xf8, !PT ;", lambda i: i | 3 & 8),
            ("ISETP.LT.U32.AND P0, PT, R0, 0x9, PT ;\nSEL R4, R0, 0x7, P0 ;",
             lambda i: i if i < 9 else 7),
            ("PLOP3.LUT P1, PT, PT, PT, PT, 0x8, 0x0 ;\nSEL R4, R0, 0x7, P1 ;", lambda i: 7),
            ("VIMNMX R4, R0, 0x9, !PT ;", lambda i: max(i, 9)),
            ("I2FP.F32.U32 R4, R0 ;\nFADD R4, R4, 0.5 ;\nFMUL R4, R4, R4 ;\n"
             "F2I.U32.TRUNC.NTZ R4, R4 ;", lambda i: int((i + 0.5) ** 2)),
            ("HFMA2.MMA R4, -RZ, RZ, 0, 4.76837158203125e-07 ;", lambda i: 8),
            ("I2FP.F32.U32 R4, R0 ;\nFADD R4, R4, 1 ;\nFCHK P0, R4, 3 ;\nSEL R4, R0, 0x7, P0 ;",
             lambda i: 7),
            ("I2FP.F32.U32 R4, R0 ;\nFCHK P0, 3, R4 ;\nSEL R4, R0, 0x7, P0 ;",
             lambda i: 7 if i else 0),
            ("FMUL R4, RZ, 1 ;\nF2FP.F16.F32.PACK_AB R5, R4, R4 ;\nMOV R4, R0 ;", lambda i: i),
            ("SHFL.DOWN PT, R4, R0, 0x10, 0x1f ;", lambda i: i + 16 if i < 16 else i),
            ("SHFL.IDX PT, R4, R0, 0x3, 0x1f ;", lambda i: 3),
            ("ISETP.GT.AND P0, PT, R0, 0x1b, PT ;\nVOTE.ANY R4, PT, P0 ;", lambda i: 0xf0000000),
            ("PRMT R4, R0, 0x1054, 0x7 ;", lambda i: 7 | i << 16)):
        words = launched(lines + "\nSTG.E desc[UR4][R2.64], R4 ;")[1]
        rows.equal(list(words[:32]), [int(expected(i)) & 0xffffffff for i in range(32)], lines)


def unknown():
    try:
        launched("FROB R4, R0 ;")
    except Unknown as error:
        rows.equal(str(error), "FROB R4, R0", "the instruction")
        return
    raise rows.Failure("no error")


def other_launch():
    """The counts of a launch with another grid than the traced one explain nothing."""
    launch = record.Launch(MadeKernel(HEAD), ["k", 4, 1, 1, 32, 1, 1, 0], b"", memory.Memory())
    expected = {"kernel": "k", "grid": [4, 1, 1], "block": [32, 1, 1]}
    counts.check_launch(launch, expected)
    try:
        counts.check_launch(launch, dict(expected, grid=[132, 1, 1]))
    except counts.Failure as error:
        rows.equal(str(error), "grid is [4, 1, 1], and not [132, 1, 1]", "the message")
        return
    raise rows.Failure("no error")


def texts():
    found, _ = launched("LDS R4, [R0+0x400] ;\nLDS R4, [R0+0x400] ;\nLDS.128 R4, [RZ+0x400] ;")
    rows.equal(counts.instructions(found, "shared load wavefronts"), " (LDS 2, LDS.128 1)", "loads")
    rows.equal(counts.instructions(found, "divergent branches"), " (no BRA)", "branches")
    rows.equal(counts.instructions(found, "threads an instruction"), "", "threads")
    rows.equal(counts.value(found, "threads an instruction"), 32, "threads")


for function in (passes, global_memory, nothing_on, copies, partial_copy, branches, two_predicates,
                 loop_of_lanes, barrier, atomics, arithmetic, unknown, other_launch,
                 texts):
    rows.row(function.__name__.replace("_", " "), function)
rows.finish()
