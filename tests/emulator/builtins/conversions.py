"""Conversions, loads and stores of vectors, and f16 in memory, compared with exact fractions."""

import fractions
import math
import random
import struct

import cases
import rows
from cases import BYTES, FLOATS, INTEGERS, ITEMS, SIZES, vector
from common import bytes_of, host, values_of


def rounded_integer(x, mode, lowest, highest, sat):
    if x != x:
        return 0
    if math.isinf(x):
        return highest if x > 0 else lowest
    exact = fractions.Fraction(x)
    whole = {"rte": round, "rtp": math.ceil, "rtn": math.floor}.get(mode, math.trunc)(exact)
    return min(max(whole, lowest), highest) if sat else whole


def rounded_float(name, x, mode):
    """x: a float, or an exact integer."""
    if x != x or x in (math.inf, -math.inf) or x == 0:
        return float(x)
    bits, smallest, largest = {
        "half": (11, -24, 15), "float": (24, -149, 127), "double": (53, -1074, 1023)
    }[name]
    exact, two = fractions.Fraction(x), fractions.Fraction(2)
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    if two**exponent > abs(exact):
        exponent -= 1
    unit = two**max(exponent - bits + 1, smallest)
    low, high = math.floor(exact / unit) * unit, math.ceil(exact / unit) * unit
    limit = (2 - two**(1 - bits)) * two**largest
    near = (low if exact - low < high - exact or
            (exact - low == high - exact and low / unit % 2 == 0) else high)
    chosen = {"rtp": high, "rtn": low, "rtz": low if exact > 0 else high}.get(mode, near)
    if abs(chosen) <= limit:
        return float(chosen)
    kept = {"rtz": True, "rtp": chosen < 0, "rtn": chosen > 0}.get(mode, False)
    return math.copysign(float(limit) if kept else math.inf, chosen)


def conversion_inputs(name):
    chance = random.Random(name)
    if name in INTEGERS:
        bits = INTEGERS[name]
        low = -(1 << bits - 1) if cases.signed(name) else 0
        high = low + (1 << bits) - 1
        edges = [
            low, high, 0, 1, high // 2 + 1,
            *((1 << k) + d for k in (7, 8, 15, 16, 24, 31, 32, 53, 62) for d in (-1, 0, 1))
        ]
        values = [x for x in edges if low <= x <= high]
        return values + [
            chance.randint(low, high) >> chance.randrange(bits) for _ in range(ITEMS - len(values))
        ]
    values = [
        0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, 255.5, -128.5, 1e-4, -1e-4, 65504.0,
        32767.5
    ]
    if name != "half":
        values += [
            65519.0, 65520.0, -65520.0, 1e6, 2147483647.0, -2147483648.0, 4294967295.0, 9.3e18,
            -9.3e18, 2e19, 6e-8, 2.9e-8, 3e-8, 1.7e38, -3.4e38
        ]
    if name == "double":
        values += [
            1e300, -1e300, 3.4028235677973366e38, 1e-45, 7e-46, -7e-46, 0.1, 16777217.0, 1e-320
        ]
    values += [math.inf, -math.inf, math.nan]
    values += [
        chance.uniform(-300, 300) * 2.0**chance.randrange(-3, 8 if name == "half" else 60)
        for _ in range(ITEMS - len(values))
    ]
    return values_of(
        name,
        bytes_of(name, [
            (x if name != "half" or abs(x) < 65504 or x in (math.inf, -math.inf) or x != x else 1.0)
            for x in values
        ]))


def expected_conversion(target, value, mode, sat):
    """None: undefined."""
    if target not in INTEGERS:
        return rounded_float(target, value, mode)
    bits = INTEGERS[target]
    low = -(1 << bits - 1) if cases.signed(target) else 0
    high = low + (1 << bits) - 1
    result = rounded_integer(value, mode, low, high, sat)
    if low <= result <= high and (sat or (value == value and abs(value) != math.inf)):
        return result
    return ((result - low) % (1 << bits)) + low if isinstance(value, int) else None


def check_conversions(target, modes, sats, size):
    """All sources to one type; the sources' vector size."""
    sources = [*INTEGERS, *FLOATS, "half"]
    calls = [(source, mode, sat) for source in sources for mode in modes for sat in sats]
    stride = 8 * 16
    body = "".join(
        f"\t*(__global {vector(target, size)} *)(out + {number * stride}) = "
        f"convert_{vector(target, size)}{'_sat' if sat else ''}{'_' + mode if mode else ''}"
        f"(*(__global {vector(source, size)} *)(in + {sources.index(source) * stride}));\n"
        for number, (source, mode, sat) in enumerate(calls))
    text = ("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
            "__kernel void k(__global uchar *in, __global uchar *out)\n{\n"
            f"\tin += get_global_id(0) * {len(sources) * stride};\n"
            f"\tout += get_global_id(0) * {len(calls) * stride};\n{body}}}\n")
    data, result = bytearray(ITEMS * len(sources) * stride), bytearray(ITEMS * len(calls) * stride)
    inputs = {source: conversion_inputs(source) for source in sources}
    for item in range(ITEMS):
        for number, source in enumerate(sources):
            at = (item * len(sources) + number) * stride
            packed = bytes_of(source, [inputs[source][(item + k) % ITEMS] for k in range(size)])
            data[at:at + len(packed)] = packed
    host().build(text).run("k", [data, result], ITEMS)
    wrong = []
    for number, (source, mode, sat) in enumerate(calls):
        for item in range(ITEMS):
            at = (item * len(calls) + number) * stride
            got = values_of(target, result[at:at + BYTES[target] * size])
            for k in range(size):
                value = inputs[source][(item + k) % ITEMS]
                want = expected_conversion(target, value, mode, sat)
                if want is not None and not (got[k] == want or (got[k] != got[k] and want != want)):
                    wrong.append(
                        f"{source} {value!r} to {vector(target, size)} {mode} sat={sat}: {got[k]!r}, not {want!r}"
                    )
    rows.note(f"{len(calls)} overloads")
    rows.check(not wrong, "%d results are wrong: %s" % (len(wrong), "; ".join(wrong[:6])))



# ---- Loads and stores ------------------------------------------------------------------------------


def check_memory(space):
    """vloadn and vstoren copy the bytes, from addresses that are multiples of the element's size."""
    names = [*INTEGERS, *FLOATS]
    body, at = "", 0
    for name in names:
        for size in SIZES[1:]:
            count = size * BYTES[name]
            body += (
                f"\t{{ {vector(name, size)} v = vload{size}(1, (const {space} {name} *)(from + {at % 256 // 8 * 8}));"
                f" vstore{size}(v, 1, (__global {name} *)(out + {at})); }}\n")
            at += 2 * count
            at = (at + 7) // 8 * 8
    load = {"__global": "in", "__local": "shared", "__private": "own"}[space]
    text = (
        f"__kernel void k(__global const uchar *in, __global uchar *out)\n{{\n"
        "\t__local uchar shared[1024] __attribute__((aligned(128)));\n\tuchar own[1024] __attribute__((aligned(128)));\n"
        "\tfor (int i = 0; i < 1024; i++)\n\t\town[i] = shared[i] = in[i];\n"
        f"\tconst {space} uchar *from = {load};\n{body}}}\n")
    data = bytearray(random.Random(3).randbytes(1024))
    result = bytearray(at)
    program = host().build(text)
    program.run("k", [data, result], 1)
    at = 0
    for name in names:
        for size in SIZES[1:]:
            count = size * BYTES[name]
            start = at % 256 // 8 * 8 + count
            rows.equal(result[at + count:at + 2 * count], data[start:start + count],
                       f"{space} {name}{size}")
            at = (at + 2 * count + 7) // 8 * 8


def check_half_memory():
    """Every f16 is loaded exactly; stores round once, in each mode."""
    text = (
        "__kernel void load(__global const half *h, __global float *out)\n{\n\tsize_t i = get_global_id(0);\n"
        "\tif (i < 4096) vstore16(vload_half16(i, h), i, out);\n"
        "\telse out[i - 4096 + 65536] = vload_half(i - 4096, h);\n}\n"
        "__kernel void aligned3(__global const half *h, __global half *out)\n{\n\tsize_t i = get_global_id(0);\n"
        "\tvstorea_half3(vloada_half3(i, h), i, out);\n}\n")
    halves = bytearray(struct.pack("<65536H", *range(65536)))
    result = bytearray(4 * 2 * 65536)
    program = host().build(text)
    program.run("load", [halves, result], 4096 + 65536)
    want = values_of("half", halves) * 2
    for got, exact in zip(values_of("float", result), want):
        rows.check(got == exact or (got != got and exact != exact), f"{exact}: {got}")
    copy = bytearray(65536 * 2)
    program.run("aligned3", [halves, copy], 7936)  # without NaNs
    for i in range(0, 4 * 7936):
        rows.equal(copy[2 * i:2 * i + 2], halves[2 * i:2 * i + 2] if i % 4 < 3 else b"\0\0",
                   f"element {i}")

    modes = ("", "rte", "rtz", "rtp", "rtn")
    for name in FLOATS:
        values = conversion_inputs(name) * 2
        body = "".join(
            f"\tvstore_half{'_' + mode if mode else ''}(in[i], i, out + {k * ITEMS});\n"
            f"\tvstore_half2{'_' + mode if mode else ''}(({name}2)(in[i]), i, out + {5 * ITEMS + 2 * k * ITEMS});\n"
            for k, mode in enumerate(modes))
        text = (f"__kernel void k(__global const {name} *in, __global half *out)\n{{\n"
                f"\tsize_t i = get_global_id(0);\n{body}}}\n")
        result = bytearray(15 * ITEMS * 2)
        host().build(text).run("k", [bytes_of(name, values[:ITEMS]), result], ITEMS)
        got = values_of("half", result)
        for k, mode in enumerate(modes):
            for i in range(ITEMS):
                want = rounded_float("half", values[i], mode)
                for at in (k * ITEMS + i, (5 + 2 * k) * ITEMS + 2 * i,
                           (5 + 2 * k) * ITEMS + 2 * i + 1):
                    rows.check(got[at] == want or (want != want and got[at] != got[at]),
                               f"{name} {values[i]!r} {mode}: {got[at]!r}, not {want!r}")
