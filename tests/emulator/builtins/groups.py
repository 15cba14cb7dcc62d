"""Functions of several work-items: atomics, work-groups, sub-groups, asynchronous copies."""

import functools
import math
import os
import random
import struct
import tempfile

import rows
from cases import BYTES
from common import bytes_of, host, values_of


# Counts of 100 work-items at the same time. The results of all functions of a kind are the same sum.
ATOMIC_ITEMS = 100
ATOMIC_TOTAL = ATOMIC_ITEMS * (ATOMIC_ITEMS - 1) // 2
ATOMIC_MASK = (1 << 31) - 1

OLD_ATOMICS = """
__kernel void old(__global int *g)
{
	__local int l[8];
	int i = get_local_id(0);
	if (i < 8)
		l[i] = i == 3 ? 1000 : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&l[0], i); atomic_inc(&l[1]); atomic_sub(&l[2], i); atomic_min(&l[3], i - 50); atomic_max(&l[4], i);
	atomic_or(&l[5], 1 << i % 31); atomic_xor(&l[6], 1 << i % 31); atomic_dec(&l[7]);
	atomic_add(&g[8], i); atom_inc(&g[9]);
	atomic_max((volatile __global uint *)&g[10], (uint)i * 40000000u);
	int old = g[11];
	while (atomic_cmpxchg(&g[11], old, old + 2) != old)
		old = atomic_or(&g[11], 0);
	atomic_xchg((volatile __global float *)&g[12], 2.5f);
	atom_add((volatile __global long *)&g[14], 5000000000L);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < 8)
		g[i] = l[i];
}
"""

NEW_ATOMICS = """
__kernel void new(__global int *g)
{
	__local atomic_int l;
	int i = get_local_id(0);
	if (i == 0)
		atomic_init(&l, 7);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_fetch_add(&l, i);
	__global atomic_int *a = (__global atomic_int *)g;
	atomic_fetch_sub_explicit(&a[1], i, memory_order_relaxed);
	atomic_fetch_or_explicit(&a[2], 1 << i % 31, memory_order_relaxed, memory_scope_device);
	atomic_fetch_max((volatile __global atomic_uint *)&a[3], (uint)i * 40000000u);
	atomic_fetch_min(&a[4], -i);
	int expected = atomic_load(&a[5]);
	while (!atomic_compare_exchange_weak_explicit(&a[5], &expected, expected + 3, memory_order_acq_rel,
		       memory_order_acquire, memory_scope_device))
		;
	atomic_store((volatile __global atomic_float *)&a[6], 1.5f);
	atomic_exchange_explicit(&a[7], 9, memory_order_release);
	atomic_fetch_add((volatile __global atomic_long *)&a[8], 5000000000L);
	volatile __global atomic_flag *flag = (volatile __global atomic_flag *)&a[10];
	while (atomic_flag_test_and_set(flag))
		;
	g[11] += 1;
	atomic_flag_clear(flag);
	float old = 0.0f;
	g[13 + i] = atomic_compare_exchange_strong((volatile __global atomic_float *)&a[12], &old, 0.0f) + (old == 0.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i == 0)
		g[0] = atomic_load_explicit(&l, memory_order_relaxed);
}
"""


def check_old_atomics():
    """OpenCL C 1.2"""
    items, total, mask = ATOMIC_ITEMS, ATOMIC_TOTAL, ATOMIC_MASK
    parity = sum(1 << k for k in range(31) if len(range(k, items, 31)) % 2)
    result = bytearray(4 * 16)
    host().build(OLD_ATOMICS).run("old", [result], 1, items, True)
    rows.equal(list(struct.unpack("<12i f i q", result)), [
        total, items, -total, -50, items - 1, mask, parity, -items, total, items,
        (items - 1) * 40000000 - (1 << 32), 2 * items, 2.5, 0, 5000000000 * items
    ])


def check_new_atomics():
    """OpenCL C 2.0"""
    items, total, mask = ATOMIC_ITEMS, ATOMIC_TOTAL, ATOMIC_MASK
    result = bytearray(4 * (13 + items) + 4)
    host().build(NEW_ATOMICS, "CL2.0").run("new", [result], 1, items, True)
    rows.equal(list(struct.unpack_from("<6ifiqii", result)), [
        total + 7, -total, mask, (items - 1) * 40000000 - (1 << 32), -(items - 1), 3 * items, 1.5,
        9, 5000000000 * items, 0, items
    ])
    rows.equal(list(struct.unpack_from(f"<{items}i", result, 52)), [2] * items, "compare_exchange")


GROUP_ITEMS, GROUP_WIDTH = 40, 16
GROUP_KINDS = {
    "reduce": lambda part, k, join, neutral: join(part),
    "scan_inclusive": lambda part, k, join, neutral: join(part[:k + 1]),
    "scan_exclusive": lambda part, k, join, neutral: join(part[:k]) if k else neutral
}
GROUP_LIMITS = {
    "int": (-(1 << 31), (1 << 31) - 1), "ulong": (0, (1 << 64) - 1), "float": (-math.inf, math.inf)
}


def reductions(name, values):
    """Pairs of an expression of v, the work-item's value, and its result for each work-item."""
    low, high = GROUP_LIMITS[name]
    joins = {"add": (sum, 0), "min": (min, high), "max": (max, low)}
    for scope, size in (("work_group", GROUP_ITEMS), ("sub_group", GROUP_WIDTH),
                        ("sub_group_non_uniform", GROUP_WIDTH)):
        for kind, compute in GROUP_KINDS.items():
            for operation, (join, neutral) in joins.items():
                yield f"{scope}_{kind}_{operation}(v)", [
                    compute(values[k // size * size:][:size], k % size, join, neutral)
                    for k in range(GROUP_ITEMS)
                ]


def exchanges(name, values):
    """As reductions()."""
    items, width = GROUP_ITEMS, GROUP_WIDTH
    results = {
        "work_group_broadcast(v, 3)": lambda k: values[3],
        "sub_group_broadcast(v, 2)": lambda k: values[k // width * width + 2],
        "sub_group_shuffle(v, get_sub_group_local_id() / 2)": lambda k: values[
            k // width * width + k % width // 2],
        "sub_group_shuffle_xor(v, 5)": lambda k: values[k ^ 5],
        "sub_group_clustered_reduce_add(v, 4)": lambda k: sum(values[k // 4 * 4:][:4]),
        "sub_group_clustered_reduce_max(v, 8)": lambda k: max(values[k // 8 * 8:][:8]),
        f"({name})(sub_group_any(i == 20) * 2 + sub_group_all(i < 32))": lambda k:
        (16 <= k < 32) * 2 + (k < 32),
        f"({name})(work_group_any(i == 20) * 2 + work_group_all(i < 32))": lambda k: 2,
        f"({name})sub_group_ballot_bit_count(sub_group_ballot(i % 3 == 0))": lambda k: sum(
            j % 3 == 0 for j in range(items)
            if j // width == k // width), f"({name})sub_group_elect()": lambda k: k % width == 0
    }
    for expression, compute in results.items():
        yield expression, [compute(k) for k in range(items)]


def reductions_of_bits(values):
    """As reductions(), for integers."""
    width = GROUP_WIDTH
    for operation, join in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                            ("xor", lambda a, b: a ^ b)):
        yield f"sub_group_non_uniform_scan_inclusive_{operation}(v)", [
            functools.reduce(join, values[k // width * width:k + 1]) for k in range(GROUP_ITEMS)
        ]
        yield f"sub_group_clustered_reduce_{operation}(v, 2)", [
            functools.reduce(join, values[k // 2 * 2:][:2]) for k in range(GROUP_ITEMS)
        ]


def check_groups(name):
    """Functions of a work-group of 40, whose sub-groups have 16, 16 and 8 work-items."""
    items, width = GROUP_ITEMS, GROUP_WIDTH
    values = [(k * 7919) % 101 - (0 if name == "ulong" else 50) for k in range(items)]
    calls = [*reductions(name, values), *exchanges(name, values)]
    if name != "float":
        calls += reductions_of_bits(values)
    # Some lanes of these have no partner: they get any value.
    expressions = [call for call, _ in calls] + ["sub_group_shuffle_up(v, 3)",
                                                 "sub_group_shuffle_down(v, 3)"]
    body = "".join(f"\tout[{number} * 40 + i] = {expression};\n"
                   for number, expression in enumerate(expressions))
    text = (f"__kernel void k(__global const {name} *in, __global {name} *out)\n{{\n"
            f"\tsize_t i = get_local_id(0);\n\t{name} v = in[i];\n{body}}}\n")
    result = bytearray(len(expressions) * items * BYTES[name])
    host().build(text, "CL2.0").run("k", [bytes_of(name, values), result], 1, items, True)
    got = values_of(name, result)
    for number, (expression, want) in enumerate(calls):
        rows.equal(got[number * items:][:items], want, f"{name}: {expression}")
    up, down = got[len(calls) * items:][:items], got[(len(calls) + 1) * items:]
    for k in range(items):
        if k % width >= 3:
            rows.equal(up[k], values[k - 3], "shuffle_up")
        if k % width < 13 and k + 3 < items:
            rows.equal(down[k], values[k + 3], "shuffle_down")


def check_intel():
    """Shuffles with two values, and blocks, in a sub-group of 16."""
    items = 16
    text = """
__kernel void k(__global uint *in, __global uint *out)
{
	uint i = get_local_id(0);
	out[i] = intel_sub_group_shuffle_down(i, 100 + i, 3u);
	out[16 + i] = intel_sub_group_shuffle_up(100 + i, i, 3u);
	out[32 + i] = intel_sub_group_shuffle_xor(i, 1u);
	uint4 block = intel_sub_group_block_read4(in);
	intel_sub_group_block_write2(out + 48, block.yw);
	float4 moved = intel_sub_group_shuffle((float4)(i, i + 1, i + 2, i + 3), 15u - i);
	out[80 + i] = (uint)(moved.x * 1000 + moved.w);
	out[96 + i] = sub_group_broadcast((ushort3)(i, 7, 9 * i), 4u).z;
}
"""
    data = list(range(1000, 1064))
    result = bytearray(4 * 112)
    host().build(text).run("k", [bytes_of("uint", data), result], 1, items, True)
    lanes = range(items)
    want = [[k + 3 if k < 13 else 100 + k - 13 for k in lanes],
            [k - 3 if k >= 3 else 113 + k for k in lanes], [k ^ 1 for k in lanes], data[16:32],
            data[48:64], [(15 - k) * 1000 + 18 - k for k in lanes], [36] * items]
    rows.equal(values_of("uint", result), sum(want, []))


def check_copies(name):
    """async_work_group_copy of elements of 1 to 64 bytes, in both directions and with a stride."""
    items, count = 10, 37
    size = BYTES[name.rstrip("48")] * int(name[-1] if name[-1].isdigit() else 1)
    text = f"""
__kernel void k(__global const {name} *in, __global {name} *out)
{{
	__local {name} a[{count}], b[{count}];
	event_t first = async_work_group_copy(a, in, {count}, 0);
	event_t second = async_work_group_strided_copy(b, in, {count}, 2, 0);
	wait_group_events(1, &first);
	event_t third = async_work_group_copy(out, a, {count}, 0);
	wait_group_events(1, &second);
	third = async_work_group_strided_copy(out + {count}, b, {count}, 3, third);
	wait_group_events(1, &third);
}}
"""
    data = bytearray(random.Random(2).randbytes(2 * count * size))
    result = bytearray(4 * count * size)
    host().build(text, "CL2.0").run("k", [data, result], 1, items, True)

    def element(array, k):
        return array[k * size:(k + 1) * size]

    for k in range(count):
        rows.equal(element(result, k), element(data, k), f"{name} {k}")
        rows.equal(element(result, count + 3 * k), element(data, 2 * k), f"{name} {k}, strided")


def check_accesses():
    """The traced build reports each access once, with all its bytes."""
    text = """
__kernel void k(__global uchar *in, __global uchar *out)
{
	__global float *f = (__global float *)in;
	float q;
	vstore4(vload4(1, f), 2, f);
	vstore3(vload3(1, f), 2, f);
	vstore_half8(vload_half8(1, (__global half *)in), 2, (__global half *)in);
	vstorea_half3(vloada_half3(1, (__global half *)in), 2, (__global half *)in);
	atomic_add((__global int *)in, 1);
	atomic_xchg((__global int *)in + 1, 1);
	f[100] = fract(1.5f, f + 3);
	vstore16(vload16(0, in), 1, in);
}
"""
    READ, WRITE, ATOMIC, EXCHANGE = range(4)
    program = host(True).build(text)
    program.run("k", [bytearray(1024), bytearray(16)], 1)
    rows.equal(program.accesses(),
               [(READ, 16, 16), (WRITE, 16, 32), (READ, 12, 12), (WRITE, 12, 24), (READ, 16, 16),
                (WRITE, 16, 32), (READ, 6, 8), (WRITE, 6, 16), (ATOMIC, 4, 0), (EXCHANGE, 4, 4),
                (WRITE, 4, 12), (READ, 16, 0), (WRITE, 16, 16)])


PRINTED = [
    ('"plain\\n"', "plain"),
    ('"%d|%5.2f|%-4d|%x|%c|%%|%s|%hhd\\n", 3, 1.5f, 7, 255, \'q\', "text", (uchar)200',
     "3| 1.50|7   |ff|q|%|text|-56"),
    ('"%ld %lu\\n", -5000000000L, 5UL', "-5000000000 5"),
    ('"%v4hlf %v2lf\\n", (float4)(1.0f, 2.0f, 3.0f, 4.0f), (double2)(0.5)',
     "1.000000,2.000000,3.000000,4.000000 0.500000,0.500000"),
    ('"%v3hhu %v4hhd %v2hd\\n", (uchar3)(250), (char4)(1, -2, 3, 4), (short2)(-1, 5)',
     "250,250,250 1,-2,3,4 -1,5"),
    ('"%.1v8hlf %#v2hlx %d\\n", (float8)(2.0f), (int2)(16), 77',
     "2.0,2.0,2.0,2.0,2.0,2.0,2.0,2.0 0x10,0x10 77"),
    ('"%v16ld\\n", (long16)(7)', ",".join(["7"] * 16)),
    ('"%f %f %f %f %f %f %f %f %v2hlf %d\\n", ' + "1.0, " * 8 + "(float2)(9.0f), 5",
     "1.000000 " * 8 + "9.000000,9.000000 5"),
]


def check_print():
    """printf writes to stdout, which is a file here."""
    body = "".join(f"\tprintf({arguments});\n" for arguments, _ in PRINTED)
    program = host().build(f"__kernel void k(__global int *out)\n{{\n{body}}}\n")
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            program.run("k", [bytearray(4)], 1)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        lines = file.read().decode().splitlines()
    rows.equal(lines, [line for _, line in PRINTED])
