/* Data races in global memory. The answers can be right on an emulator, because one worker runs the
 * blocks and threads one after the other. */
#include "tests/mutants/mutants.h"

#define ON_TRACES (ON_TRACED | ON_CL_TRACED)

const struct mutant mutants_races[] = {
	/* ---- Counters */
	{"global counters without atomics", "histogram", "global-atomic", ON_TRACED, {1000, 256},
		REJECTED, "atomicAdd(&H[value], 1u);", NULL, "H[value] += 1u;"},
	{"global counters without atomics", "histogram", "global-atomic", ON_CL_TRACED, {1000, 256},
		REJECTED, "atomic_add(&H[value], 1u);", "H[value] += 1u;", NULL},
	{"a merge without atomics", "histogram", "private", ON_TRACED, {5000, 256}, REJECTED,
		"atomicAdd(&H[b], counts[b]);", NULL, "H[b] += counts[b];"},
	{"a merge without atomics", "histogram", "private", ON_CL_TRACED, {5000, 256}, REJECTED,
		"atomic_add(&H[b], counts[b]);", "H[b] += counts[b];", NULL},
	{"a merge that loads and stores by atomics", "histogram", "private", ON_TRACED, {5000, 256},
		REJECTED, "atomicAdd(&H[b], counts[b]);", NULL,
		"atomicExch(&H[b], H[b] + counts[b]);"},
	{"a merge that loads and stores by atomics", "histogram", "private", ON_CL_TRACED,
		{5000, 256}, REJECTED, "atomic_add(&H[b], counts[b]);",
		"atomic_xchg(&H[b], H[b] + counts[b]);", NULL},

	/* A compare-and-swap checks the value of the plain load before it. */
	{"compare-and-swap after a plain load", "histogram", "global-atomic", ON_TRACED,
		{1000, 256}, PASSES, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned old = H[value], seen;\n"
		"\t\t\twhile ((seen = atomicCAS(&H[value], old, old + 1)) != old)\n"
		"\t\t\t\told = seen; }"},
	{"compare-and-swap after a plain load", "histogram", "global-atomic", ON_CL_TRACED,
		{1000, 256}, PASSES, "atomic_add(&H[value], 1u);",
		"{ uint old = H[value], seen;\n"
		"\t\t\twhile ((seen = atomic_cmpxchg(&H[value], old, old + 1)) != old)\n"
		"\t\t\t\told = seen; }",
		NULL},
	{"compare-and-swaps after two plain loads", "histogram", "global-atomic", ON_TRACED,
		{1000, 256}, PASSES, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned other = (value + 1) % bins, a = H[value], b = H[other], seen;\n"
		"\t\t\twhile ((seen = atomicCAS(&H[value], a, a + 2)) != a)\n"
		"\t\t\t\ta = seen;\n"
		"\t\t\twhile ((seen = atomicCAS(&H[other], b, b + 1)) != b)\n"
		"\t\t\t\tb = seen;\n"
		"\t\t\tatomicSub(&H[value], 1u), atomicSub(&H[other], 1u); }"},
	{"compare-and-swaps after two plain loads", "histogram", "global-atomic", ON_CL_TRACED,
		{1000, 256}, PASSES, "atomic_add(&H[value], 1u);",
		"{ uint other = (value + 1) % bins, a = H[value], b = H[other], seen;\n"
		"\t\t\twhile ((seen = atomic_cmpxchg(&H[value], a, a + 2)) != a)\n"
		"\t\t\t\ta = seen;\n"
		"\t\t\twhile ((seen = atomic_cmpxchg(&H[other], b, b + 1)) != b)\n"
		"\t\t\t\tb = seen;\n"
		"\t\t\tatomic_sub(&H[value], 1u), atomic_sub(&H[other], 1u); }",
		NULL},
	{"two plain loads, one compare-and-swap", "histogram", "global-atomic", ON_TRACED,
		{1000, 256}, REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned a = H[value], b = H[(value + 1) % bins], seen;\n"
		"\t\t\twhile ((seen = atomicCAS(&H[value], a, a + 1)) != a)\n"
		"\t\t\t\ta = seen;\n"
		"\t\t\tatomicAdd(&H[value], b > 100000 ? 1u : 0u); }"},
	{"two plain loads, one compare-and-swap", "histogram", "global-atomic", ON_CL_TRACED,
		{1000, 256}, REJECTED, "atomic_add(&H[value], 1u);",
		"{ uint a = H[value], b = H[(value + 1) % bins], seen;\n"
		"\t\t\twhile ((seen = atomic_cmpxchg(&H[value], a, a + 1)) != a)\n"
		"\t\t\t\ta = seen;\n"
		"\t\t\tatomic_add(&H[value], b > 100000 ? 1u : 0u); }",
		NULL},
	{"compare-and-swap that is not repeated", "histogram", "global-atomic", ON_TRACED,
		{1000, 256}, REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned old = H[value];\n\t\t\tatomicCAS(&H[value], old, old + 1); }"},
	{"compare-and-swap that is not repeated", "histogram", "global-atomic", ON_CL_TRACED,
		{1000, 256}, REJECTED, "atomic_add(&H[value], 1u);",
		"{ uint old = H[value];\n\t\t\tatomic_cmpxchg(&H[value], old, old + 1); }", NULL},
	{"a plain load beside atomics", "histogram", "global-atomic", ON_TRACED, {1000, 256},
		REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned old = H[value];\n"
		"\t\t\tatomicAdd(&H[value], old > 100000 ? 0u : 1u); }"},
	{"a plain load beside atomics", "histogram", "global-atomic", ON_CL_TRACED, {1000, 256},
		REJECTED, "atomic_add(&H[value], 1u);",
		"{ uint old = H[value];\n\t\t\tatomic_add(&H[value], old > 100000 ? 0u : 1u); }",
		NULL},

	/* ---- The block that finishes last */
	{"no fence before the count", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"__threadfence();", NULL, ";"},
	{"fences for one block only", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"__threadfence();", NULL, "__threadfence_block();"},
	{"no fence before the count", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"memory_order_acq_rel, memory_scope_device",
		"memory_order_relaxed, memory_scope_device", NULL},
	{"fences for one block only", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"memory_order_acq_rel, memory_scope_device",
		"memory_order_acq_rel, memory_scope_work_group", NULL},
	{"a plain counter", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"atomicAdd(finished, 1u)", NULL, "(*finished)++"},
	{"a plain counter", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"count_block(finished) ==", "(*finished)++ ==", NULL},
	{"a barrier without the flag of global memory", "reduce", "single-pass", ON_CL_TRACED,
		{10000}, REJECTED, "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
		"CLK_LOCAL_MEM_FENCE", NULL},

	/* ---- Elements */
	{"two threads write one element", "vecadd", "fine", ON_TRACES, {1000}, REJECTED,
		"STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"{\n\t\tif (i > 0)\n\t\t\tSTORE(C, i - 1, LOAD(B, i));\n"
		"\t\tSTORE(C, i, LOAD(A, i) + LOAD(B, i));\n\t}",
		NULL},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL, 0},
};
