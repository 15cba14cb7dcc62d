"""The commands `model ...`, and the word occupancy."""
import re

from command import expect, json_of, need, pmpp
import rows

EMULATOR = ("--backend=cuda-emu",)


def model(kind, *options):
    document = json_of(expect(0, "model", kind, *options, "--json"))
    rows.equal(document["schema"], "pmpp-model/1")
    rows.equal(document["model"], kind)
    return document


def model_occupancy():
    """The multiprocessor of the 3rd edition, 5.4, and an H200's."""
    given = ("--threads-per-sm=1536", "--blocks-per-sm=8", "--regs-per-sm=16384")
    for registers, blocks, threads in ((10, 6, 1536), (12, 5, 1280)):
        result = model("occupancy", *given, "--threads=256", "--registers=%d" % registers)["result"]
        rows.equal((result["blocks"], result["threads"]), (blocks, threads))
    result = model("occupancy", *given, "--threads=128")["result"]
    rows.equal((result["threads"], result["limited_by"]), (1024, ["blocks"]))
    document = model("occupancy", "--cc=9.0", "--threads=256", "--registers=32")
    rows.equal((document["cc"], document["result"]["blocks"]), ("9.0", 8))
    rows.equal([r["block_threads"] for r in document["table"]], list(range(32, 1025, 32)))
    rows.equal(document["table"][7], document["result"])
    rows.equal((document["result"]["cliff_registers"], document["result"]["cliff_blocks"]), (33, 6))
    one = model("occupancy", "--cc=9.0", "--threads=100")["result"]
    rows.equal((one["blocks"], one["warps"], one["cliff_registers"]), (16, 64, None))


def model_occupancy_text():
    text = expect(0, "model", "occupancy", "--cc=9.0", "--threads=256", "--registers=32").stdout
    for part in ("8 blocks", "2048 of 2048 threads", "100.0 %", "limited by threads, registers",
                 "With 33 registers per thread, only 6 blocks fit."):
        rows.check(part in text, "%r is missing: %s" % (part, text))
    lines = text.splitlines()
    rows.equal(len([line for line in lines if line.startswith(">")]), 1, "rows marked as asked for")
    cliffs = [line.split()[0] for line in lines if line.endswith("cliff")]
    rows.check("64" in cliffs and "32" not in cliffs and "704" not in cliffs, cliffs)
    text = expect(0, "model", "occupancy", "--cc=9.0", "--threads=192", "--registers=128").stdout
    rows.check("169 registers: 1 block" in text and not re.search(r"\b1 blocks", text), text)
    text = expect(0, "model", "occupancy", "--model=gfx1100", "--threads=256", "--registers=32").stdout
    rows.check("LLVM would print: Occupancy 16." in text and "reports" not in text, text)
    text = expect(0, "model", "occupancy", "--cc=9.0", "--threads=1024", "--registers=65").stdout
    rows.check("No block fits: too many registers" in text, text)
    rows.equal(expect(0, "-q", "model", "occupancy", "--cc=9.0", "--threads=64").stdout, "", "-q")


# (options, blocks, waves of a SIMD or threads of an EU, occupancy, limits). The unit test
# occupancy_vendors has the derivations and the published figures.
VENDORS = [
    # 64 registers of 512: 8 waves of each of 4 SIMDs; a block of 256 has 4 waves.
    (["--model=gfx942", "--threads=256", "--registers=64", "--sgprs=40", "--shared=8192"], 8, 8, 1,
     ["threads", "registers", "shared memory"]),
    # 100 registers occupy 120 of 1536: 12 waves of 32. At 64 lanes 60 + 40 are 108 of 768: 7.
    (["--model=gfx1100", "--threads=256", "--registers=100"], 6, 12, 0.75, ["registers"]),
    (["--model=gfx1100", "--threads=64", "--registers=100", "--width=64"], 28, 7, 0.4375,
     ["registers"]),
    (["--model=gfx1100", "--threads=256", "--registers=100", "--cu-mode"], 3, 12, 0.75, ["registers"]),
    (["--model=gfx90a", "--threads=256", "--registers=50", "--accvgprs=64"], 4, 4, 0.5, ["registers"]),
    (["--model=xe2", "--width=32", "--threads=256", "--shared=65536"], 2, 2, 0.25, ["shared memory"]),
    (["--model=xe-lp", "--width=16", "--threads=16", "--barrier"], 64, 4, 64 / 112, ["barriers"]),
]


def vendors(options, blocks, simd, ratio, limits):
    document = model("occupancy", *options)
    result = document["result"]
    rows.equal((result["blocks"], result["simd_warps"], result["occupancy"]), (blocks, simd, ratio))
    rows.equal(result["limited_by"], limits)
    rows.equal("--model=" + document["hardware"], options[0])
    rows.equal("compiler_warps" in result, "gfx" in options[0], "the figure of LLVM")
    rows.equal(document["table"][0]["block_threads"], max(32, document["width"]))


def vendors_text():
    """The words are the vendor's."""
    text = " ".join(expect(0, "model", "occupancy", "--model=gfx90a", "--threads=1024",
                           "--registers=96").stdout.split())
    # 96 registers of 512 allow 5 waves; a block of 1024 has 4 waves on each SIMD.
    for part in ("compute units with waves of 64 lanes", "16 waves", "4 of 8 waves",
                 "LLVM would print: Occupancy 5."):
        rows.check(part in text, "%r is missing: %s" % (part, text))
    text = " ".join(expect(0, "model", "occupancy", "--model=xe-hpc", "--threads=256",
                           "--registers=128").stdout.split())
    for part in ("Xe cores", "8 of 8 EU threads", "With 129 registers per EU thread, only 2 blocks"):
        rows.check(part in text, "%r is missing: %s" % (part, text))
    same = [expect(0, "model", "occupancy", hardware, "--threads=96", "--registers=40").stdout
            for hardware in ("--cc=9.0", "--model=sm_90")]
    rows.equal(same[0], same[1], "a compute capability and its model")


def occupancy_word():
    """`occupancy` is the model with one of the model's options, else the family."""
    options = ("--cc=9.0", "--threads=256")
    rows.equal(expect(0, "occupancy", *options).stdout,
               expect(0, "model", "occupancy", *options).stdout, "the short form")
    rows.check("model occupancy" in expect(0, "occupancy", "--cc=9.0", "--help").stdout, "its help")
    rows.check("`model occupancy`" in " ".join(expect(0, "--help").stdout.split()), "--help lacks it")
    need("cuda-emu")
    document = json_of(expect(0, "occupancy", "--size=100", *EMULATOR, "--json"))
    rows.equal(document["results"][0]["family"], "occupancy")


def model_dram():
    bus = model("dram", "--latency-ratio=20", "--banks=1")["bus"]
    rows.check(abs(bus["busy"] - 1 / 21) < 1e-12, bus)
    bus = model("dram", "--latency-ratio=20", "--banks=21", "--channels=4")["bus"]
    rows.equal((bus["busy"], bus["banks_needed"], bus["channels"]), (1.0, 21, 4))
    tiles = model("dram", "--size=4", "--block=2")["tiles"]
    rows.equal([t["channels"] for t in tiles if t["matrix"] == "left"], [[0, 2], [1, 3]])
    tiles = model("dram", "--size=8", "--block=2x2", "--channels=4", "--banks=2", "--burst=8")["tiles"]
    rows.equal({tuple(t["channels"]) for t in tiles if t["matrix"] == "right"}, {(0, 1, 2, 3)})
    found = model("dram", "--size=4", "--block=2", "--map")["map"]
    # 3rd edition, figures 5.9 to 5.11: two elements a burst, channels 0 to 3 of bank 0, then of bank 1.
    rows.equal([(r["first"], r["channel"], r["bank"]) for r in found],
               [(2 * i, i % 4, i // 4) for i in range(8)])
    rows.equal([(r["tile_rows"], r["tile_columns"]) for r in found],
               [([i // 4], [i % 2]) for i in range(8)])
    # R + 1 = 21 random bursts in 21 banks: 21 (1 - (20/21)^21) different banks
    bus = model("dram", "--latency-ratio=20", "--bus-gbps=4")["bus"]
    rows.check(abs(bus["busy_random"] - (1 - (20 / 21) ** 21)) < 1e-12 and bus["bus_gbps"] == 4, bus)
    text = expect(0, "model", "dram", "--latency-ratio=20").stdout
    rows.check("4.8 %" in text and "channel busy: 21" in text, text)
    text = expect(0, "model", "dram", "--size=4", "--block=2").stdout
    rows.check("2 of 4: 0 2\n" in text and "2 of 4: 1 3\n" in text, text)


def model_boundary():
    found = model("boundary", "--size=76x62,200x150", "--block=16x16")["rows"]
    rows.equal([(r["diverging"], r["warps"]) for r in found], [(31, 160), (75, 1040)])
    found = model("boundary", "--size=1003", "--block=64")["rows"]
    rows.equal([(r["diverging"], r["warps"]) for r in found], [(1, 32)])
    text = expect(0, "model", "boundary", "--size=76x62", "--block=16x16").stdout
    rows.check("160 warps; divergent 31 (19.4 %)" in text, text)


def model_boundary_regions():
    """3rd edition, 5.3. The book counts all 8 warps of the corner of 200 x 150; 3 diverge."""
    found = model("boundary", "--size=76x62,200x150", "--block=16x16")["rows"]
    rows.equal([r["region_warps"] for r in found], [[96, 24, 32, 8], [864, 72, 96, 8]])
    rows.equal([r["region_diverging"] for r in found], [[0, 24, 0, 7], [0, 72, 0, 3]])


def model_warps():
    """3rd edition, 5.3: 8 x 8, 2 x 8 x 4 (z, y, x) and 48 threads."""
    def warps(*options):
        return [(r["first"], r["last"], r["threads"]) for r in model("warps", *options)["warps"]]
    rows.equal(warps("--block=8x8"), [([0, 0, 0], [7, 3, 0], 32), ([0, 4, 0], [7, 7, 0], 32)])
    rows.equal(warps("--block=4x8x2"), [([0, 0, 0], [3, 7, 0], 32), ([0, 0, 1], [3, 7, 1], 32)])
    rows.equal(warps("--block=48"), [([0, 0, 0], [31, 0, 0], 32), ([32, 0, 0], [47, 0, 0], 16)])
    rows.equal([w[2] for w in warps("--block=100", "--width=64")], [64, 36])


def model_reduce():
    """3rd edition, figures 5.13 to 5.16: 9 rounds for 512 elements, divergent in 9 and in 5."""
    def counts(order, *options):
        return [(r["threads"], r["warps"], r["diverging"]) for r in model("reduce", *options)["rounds"]
                if r["order"] == order]
    powers = [256 >> i for i in range(9)]
    rows.equal(counts("interleaved", "--size=512"), [(n, min(n, 16), min(n, 16)) for n in powers])
    rows.equal(counts("sequential", "--size=512"),
               [(n, max(n // 32, 1), n < 32) for n in powers])
    for order in ("interleaved", "sequential"):
        found = counts(order, "--size=60000", "--width=64")
        rows.equal((len(found), sum(r[0] for r in found)), (16, 59999))


rows.row("model occupancy", model_occupancy)
rows.row("model occupancy: table", model_occupancy_text)
for case in VENDORS:
    rows.row("model occupancy " + " ".join(case[0]), vendors, *case)
rows.row("model occupancy: words of vendors", vendors_text)
rows.row("occupancy: the model or the family", occupancy_word)
rows.row("model dram", model_dram)
rows.row("model boundary", model_boundary)
rows.row("model boundary: regions", model_boundary_regions)
rows.row("model warps", model_warps)
rows.row("model reduce", model_reduce)
rows.finish()
