"""Errors of the mathematical functions, and values that OpenCL C fixes."""

import ctypes
import math
import os
import random
import subprocess

import rows
from cases import BYTES, CODES, vector
from common import CLANG, FOLDER, HERE, bytes_of, host, made, values_of

# The error of a result that is rounded once, with the error of the reference.
ROUNDED = 0.5 + 2**-9

# Ranges of inputs. log: all magnitudes; positive: positive ones; int: small integers.
RANGES = {"unit": (-1, 1), "wide": (-1e4, 1e4), "hundred": (-100, 100), "exponent": (-80, 80),
          "small": (-9, 9)}
# Function, largest error in ulp that OpenCL C allows (7.4, full profile) for float and double, and the inputs.
BOUND_TEXT = """
acos 4 unit; acosh 4 1..10000; acospi 5 unit; asin 4 unit; asinh 4 wide; asinpi 5 unit;
atan 5 log; atanh 5 unit; atanpi 5 log; cbrt 2 log; ceil 0 wide; cos 4 wide; cosh 4 exponent;
cospi 4 hundred; degrees 2 wide; erf 16 -4..4; erfc 16 -4..9; exp 3 exponent; exp10 3 -35..35;
exp2 3 -120..120; expm1 3 exponent; fabs 0 log; floor 0 wide; log 3 positive; log10 3 positive;
log1p 2 -0.99..10000; log2 3 positive; logb 0 log; radians 2 wide; rint 0 wide; round 0 wide;
rsqrt 2 positive; sign 0 wide; sin 4 wide; sinh 4 exponent; sinpi 4 hundred;
sqrt rounded positive; tan 5 wide; tanh 5 -20..20; tanpi 6 hundred; tgamma 16 0.01..33;
trunc 0 wide; atan2 6 small small; atan2pi 6 small small; copysign 0 log log;
fdim rounded small small; fmax 0 log log; fmin 0 log log; fmod 0 wide small; hypot 4 log log;
maxmag 0 small small; minmag 0 small small; pow 16 0..30 -20..20; powr 16 0..30 -20..20;
remainder 0 wide small; fma rounded small small small; mad rounded small small small;
pown 16 -30..30 int; rootn 16 0.001..1e+09 int; fract rounded wide; modf 0 wide; frexp 0 log
"""


def read_bounds():
    bounds = {}
    for function, bound, *kinds in (entry.split() for entry in BOUND_TEXT.split(";")):
        ranges = [RANGES.get(kind) or (tuple(map(float, kind.split(".."))) if ".." in kind else kind)
                  for kind in kinds]
        bounds[function] = (ROUNDED if bound == "rounded" else int(bound), *ranges)
    return bounds


BOUNDS = read_bounds()
NATIVE = ("cos", "exp", "exp10", "exp2", "log", "log10", "log2", "sin", "sqrt", "tan", "recip",
          "rsqrt")
POINTERS = {
    "fract": "{T} q; {f}({a}, &q)", "modf": "{T} q; {f}({a}, &q)", "frexp": "{I} q; {f}({a}, &q)"
}
LONG_COUNT, SHORT_COUNT = 4096, 512


def math_inputs(name, kind, count, seed):
    chance = random.Random(f"{name} {kind} {seed}")
    bits = {"half": 13, "float": 120, "double": 1000}[name]
    largest = 65504.0 if name == "half" else math.inf
    if kind == "int":
        return [chance.choice([-7, -3, -2, -1, 1, 2, 3, 4, 5, 7, 12]) for _ in range(count)]
    if kind in ("log", "positive"):
        return [
            chance.choice((1, -1) if kind == "log" else (1, )) * (1 + chance.random()) *
            2.0**chance.randrange(-bits, bits) for _ in range(count)
        ]
    low, high = max(kind[0], -largest), min(kind[1], largest)
    values = [(chance.uniform(low, high) if chance.random() < 0.7 or low > 0 or high < 0 else
               chance.uniform(low, high) * 2.0**-chance.randrange(12)) for _ in range(count)]
    return [min(max(x, low), high) for x in values]


def reference():
    path = os.path.join(FOLDER, "reference.so")
    subprocess.run([
        CLANG, "-O1", "-shared", "-fPIC", "-ffp-contract=off", "-Wno-everything",
        os.path.join(HERE, "reference.c"), "-o", path, "-lm"
    ],
                   check=True)
    library = ctypes.CDLL(path)
    library.pmpp_worst.restype = ctypes.c_double
    return library


def entries_of(name):
    """Functions with their bounds and the kinds of their inputs."""
    entries = [(function, *row) for function, row in BOUNDS.items()]
    if name == "float":
        entries += [(prefix + function, 4, BOUNDS.get(function, (0, "positive"))[1])
                    for function in NATIVE for prefix in ("native_", "half_")]
        entries += [("native_divide", ROUNDED, (-9, 9), (1, 9)),
                    ("half_divide", ROUNDED, (-9, 9), (1, 9)),
                    ("native_powr", 4, (0, 30), (-20, 20)), ("half_powr", 4, (0, 30), (-20, 20))]
    return entries


def kernel_of(name, size, function, kinds, count):
    """A kernel that calls a function with scalars or with vectors. `in` has three arrays of `count`
    numbers; an array of int fills its part of `in` only partly."""
    T, I = vector(name, size), vector("int", size)
    loads = [
        f"((__global const {I} *)(in + {slot * count * BYTES[name]}))[i]" if kind == "int" else
        f"((__global const {T} *)in)[{slot * count // size} + i]" for slot, kind in enumerate(kinds)
    ]
    call = POINTERS.get(function, "{f}({a})").format(T=T, I=I, f=function, a=", ".join(loads))
    before, _, call = call.rpartition("; ")
    return (f"__kernel void {function}{size}(__global uchar *in, __global {T} *out)\n{{\n"
            f"\tsize_t i = get_global_id(0);\n\t{before + ';' if before else ''} "
            f"out[i] = {call};\n}}\n")


def arrays_of(name, function, kinds, count):
    """The three arrays of inputs."""
    arrays = [
        bytes_of("int" if kind == "int" else name,
                 math_inputs(name, kind, count, function + str(slot)))
        for slot, kind in enumerate(kinds)
    ]
    return arrays + [bytearray(count * BYTES[name]) for _ in range(3 - len(arrays))]


def worst(name, function, kinds, arrays, result, count):
    """The largest error in ulp, and the number of the element that has it."""
    code = CODES[name].replace("e", "h").encode()
    at = ctypes.c_size_t()
    views = [(ctypes.c_char * len(array)).from_buffer(array) for array in (*arrays, result)]
    plain = function.split("_", 1)[1] if function.startswith(("native_", "half_")) else function
    error = made("reference", reference).pmpp_worst(
        plain.encode(), ctypes.c_char(code), ctypes.c_char(b"i" if "int" in kinds else code),
        *views, ctypes.c_size_t(count), ctypes.byref(at))
    return error, at.value


def errors_of(program, name, count, function, bound, *kinds):
    """Runs a function. Returns its largest error in ulp, and texts of what is wrong."""
    wrong = []
    arrays = arrays_of(name, function, kinds, count)
    result, vectors = bytearray(count * BYTES[name]), bytearray(count * BYTES[name])
    program.run(function + "1", [bytearray().join(arrays), result], count)
    program.run(function + "4", [bytearray().join(arrays), vectors], count // 4)
    error, at = worst(name, function, kinds, arrays, result, count)
    bound = min(bound, 4) if name == "half" else bound
    if not 0 <= error <= bound:
        inputs = tuple(values_of("int" if kind == "int" else name, array)[at]
                       for kind, array in zip(kinds, arrays))
        wrong.append(f"{function}{inputs} = {values_of(name, result)[at]!r}: {error:.3g} ulp, "
                     f"bound {bound}")
    if result != vectors:
        wrong.append(f"{function}: vectors of 4 differ from scalars")
    return error, wrong


def check_math(name):
    """Errors of all functions for one type, as scalars and as vectors of 4."""
    count = SHORT_COUNT if rows.is_short() else LONG_COUNT
    entries = entries_of(name)
    text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "".join(
        kernel_of(name, size, function, kinds, count) for function, _, *kinds in entries
        for size in (1, 4))
    program = host().build(text)
    wrong, largest = [], ("", 0.0)
    for entry in entries:
        error, found = errors_of(program, name, count, *entry)
        wrong += found
        largest = max(largest, (entry[0], error), key=lambda pair: pair[1])
    rows.note(f"{len(entries)} functions, largest error {largest[1]:.2f} ulp ({largest[0]})")
    rows.check(not wrong, "%d functions are wrong: %s" % (len(wrong), "; ".join(wrong[:8])))


# Expressions and their values: limits that OpenCL C 7.5 fixes.
NAN, INF = "NAN", "INFINITY"
SPECIAL = [("fract(INFINITY, &f)", "0.0f"), ("fract(-0x1p-30f, &f)", "0x1.fffffep-1f"),
           ("(fract(-1.5f, &f), f)", "-2.0f"), ("signbit(fract(-0.0f, &f))", "1.0f"),
           ("powr(0.0f, 0.0f)", NAN), ("powr(-1.0f, 2.0f)", NAN), ("powr(1.0f, INFINITY)", NAN),
           ("powr(INFINITY, 0.0f)", NAN), ("powr(0.0f, -1.0f)", INF), ("pown(0.0f, 0)", "1.0f"),
           ("pown(-0.0f, -3)", "-INFINITY"), ("rootn(0.0f, -2)", INF),
           ("rootn(-0.0f, -3)", "-INFINITY"), ("rootn(-8.0f, 3)", "-2.0f"),
           ("rootn(-8.0f, 2)", NAN), ("rootn(4.0f, 0)", NAN), ("sinpi(1e10f)", "0.0f"),
           ("signbit(sinpi(-3.0f))", "1.0f"), ("sinpi(INFINITY)", NAN), ("cospi(0.5f)", "0.0f"),
           ("signbit(cospi(1.5f))", "0.0f"), ("tanpi(0.5f)", INF), ("tanpi(1.5f)", "-INFINITY"),
           ("signbit(tanpi(1.0f))", "1.0f"), ("ilogb(0.0f) == FP_ILOGB0", "1.0f"),
           ("ilogb(NAN) == FP_ILOGBNAN", "1.0f"), ("ilogb(INFINITY) == INT_MAX", "1.0f"),
           ("ilogb(0x1p-140f)", "-140.0f"), ("ldexp(1.0f, -149)", "0x1p-149f"),
           ("nextafter(0.0f, -1.0f)", "-0x1p-149f"), ("as_uint(nan(5u)) == 0x7fc00005", "1.0f"),
           ("(remquo(1000.0f, 3.0f, &n), n)", "77.0f"), ("remquo(1000.0f, 3.0f, &n)", "1.0f"),
           ("(remquo(-7.0f, 2.0f, &n), n)", "-4.0f"), ("(frexp(12.0f, &n), n)", "4.0f"),
           ("(lgamma_r(-0.5f, &n), n)", "-1.0f"), ("(sincos(0.0f, &f), f)", "1.0f"),
           ("(modf(-2.5f, &f), f)", "-2.0f"), ("modf(INFINITY, &f)", "0.0f"),
           ("normalize((float4)(INFINITY, 1.0f, 0.0f, 0.0f)).x", "1.0f"),
           ("normalize((float2)(0.0f)).y", "0.0f"),
           ("length((float3)(3e30f, 4e30f, 0.0f))", "5e30f"),
           ("length((float2)(3e-30f, 4e-30f))", "5e-30f"),
           ("distance((float4)(1.0f), (float4)(2.0f))", "2.0f"),
           ("dot((float4)(1.0f, 2.0f, 3.0f, 4.0f), (float4)(1.0f))", "10.0f"),
           ("cross((float3)(1.0f, 0.0f, 0.0f), (float3)(0.0f, 1.0f, 0.0f)).z", "1.0f"),
           ("fast_length((float2)(3.0f, 4.0f))", "5.0f"), ("mix(1.0f, 3.0f, 0.5f)", "2.0f"),
           ("smoothstep(0.0f, 1.0f, 0.25f)", "0.15625f"), ("sign(NAN)", "0.0f"),
           ("sign(-3.0f)", "-1.0f"), ("mix((float2)(1.0f), (float2)(3.0f), 0.5f).y", "2.0f"),
           ("step(1.0f, (float2)(0.5f)).x", "0.0f"),
           ("fma(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f)", "0x1p-46f"),
           ("fmax(NAN, 1.0f)", "1.0f"), ("fmod(5.0f, INFINITY)", "5.0f"),
           ("convert_float((uint2)(3u).x)", "3.0f"), ("isnan(NAN)", "1.0f"),
           ("isnan((float2)(NAN)).x", "-1.0f")]


def check_special():
    body = "".join(f"\tout[{i}] = (float)({left});\n\tout[{len(SPECIAL) + i}] = {right};\n"
                   for i, (left, right) in enumerate(SPECIAL))
    text = f"__kernel void k(__global float *out)\n{{\n\tint n = 0;\n\tfloat f = 0.0f;\n{body}}}\n"
    result = bytearray(8 * len(SPECIAL))
    host().build(text).run("k", [result], 1)
    values = values_of("float", result)
    wrong = [
        f"{left} = {values[i]!r}, not {right}" for i, (left, right) in enumerate(SPECIAL)
        if not (values[i] == values[len(SPECIAL) + i] or
                (values[i] != values[i] and values[len(SPECIAL) + i] != values[len(SPECIAL) + i]))
    ]
    rows.check(not wrong, "; ".join(wrong))
