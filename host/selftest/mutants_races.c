/* Data races in global memory, and reads of global memory that no thread has written. The answers can be right on
 * an emulator, because one worker runs the blocks and threads one after the other. */
#include "host/selftest/mutants.h"

#define ON_TRACES (ON_TRACED | ON_CL_TRACED)

/* A lock around the addition of one thread. `take` is 0 when the lock is free; acquire and release: fences. */
#define LOCKED(lock, take, acquire, release, leave)                  \
	"{" lock " for (bool done = false; !done;)\n"                \
	"\t\t\tif (" take " == 0) {\n"                               \
	"\t\t\t\t" acquire " H[value] = H[value] + 1; " release "\n" \
	"\t\t\t\t" leave " done = true; } }"
#define CU_LOCKED(acquire, release)                                                              \
	LOCKED("static __device__ unsigned lock;", "atomicCAS(&lock, 0u, 1u)", acquire, release, \
		"atomicExch(&lock, 0u);")
/* The highest bit of the counter of 0 is the lock of the other counters. */
#define CU_BIT(acquire, release)                                              \
	"if (value == 0)\n\t\t\tatomicAdd(&H[0], 1u);\n\t\telse\n" LOCKED("", \
		"atomicOr(&H[0], 1u << 31) >> 31", acquire, release,          \
		"atomicAnd(&H[0], ~0u >> 1);")
#define CL_BIT(acquire, release)                                               \
	"if (value == 0)\n\t\t\tatomic_add(&H[0], 1u);\n\t\telse\n" LOCKED("", \
		"atomic_or(&H[0], 1u << 31) >> 31", acquire, release,          \
		"atomic_and(&H[0], ~0u >> 1);")
#define CU_FENCE "__threadfence();"
#define CU_BLOCK_FENCE "__threadfence_block();"
#define CL_FENCE "mem_fence(CLK_GLOBAL_MEM_FENCE);"
#define CU_COUNT "histogram", "global-atomic", ON_TRACED
#define CL_COUNT "histogram", "global-atomic", ON_CL_TRACED

const struct mutant mutants_races[] = {
	/* ---- Counters */
	{"global counters without atomics", "histogram", "global-atomic", ON_TRACED, {1000, 256},
		REJECTED, "atomicAdd(&H[value], 1u);", NULL, "H[value] += 1u;"},
	{"global counters without atomics", "histogram", "global-atomic", ON_CL_TRACED, {1000, 256},
		REJECTED, "atomic_add(&H[value], 1u);", "H[value] += 1u;"},
	{"a merge without atomics", "histogram", "private", ON_TRACED, {5000, 256}, REJECTED,
		"atomicAdd(&H[b], counts[b]);", NULL, "H[b] += counts[b];"},
	{"a merge without atomics", "histogram", "private", ON_CL_TRACED, {5000, 256}, REJECTED,
		"atomic_add(&H[b], counts[b]);", "H[b] += counts[b];"},
	{"a merge that loads and stores by atomics", "histogram", "private", ON_TRACED, {5000, 256},
		REJECTED, "atomicAdd(&H[b], counts[b]);", NULL,
		"atomicExch(&H[b], H[b] + counts[b]);"},
	{"a merge that loads and stores by atomics", "histogram", "private", ON_CL_TRACED,
		{5000, 256}, REJECTED, "atomic_add(&H[b], counts[b]);",
		"atomic_xchg(&H[b], H[b] + counts[b]);"},

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
		"\t\t\t\told = seen; }"},
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
		"\t\t\tatomic_sub(&H[value], 1u), atomic_sub(&H[other], 1u); }"},
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
		"\t\t\tatomic_add(&H[value], b > 100000 ? 1u : 0u); }"},
	{"compare-and-swap that is not repeated", "histogram", "global-atomic", ON_TRACED,
		{1000, 256}, REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned old = H[value];\n\t\t\tatomicCAS(&H[value], old, old + 1); }"},
	{"compare-and-swap that is not repeated", "histogram", "global-atomic", ON_CL_TRACED,
		{1000, 256}, REJECTED, "atomic_add(&H[value], 1u);",
		"{ uint old = H[value];\n\t\t\tatomic_cmpxchg(&H[value], old, old + 1); }"},
	{"a plain load beside atomics", "histogram", "global-atomic", ON_TRACED, {1000, 256},
		REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		"{ unsigned old = H[value];\n"
		"\t\t\tatomicAdd(&H[value], old > 100000 ? 0u : 1u); }"},
	{"a plain load beside atomics", "histogram", "global-atomic", ON_CL_TRACED, {1000, 256},
		REJECTED, "atomic_add(&H[value], 1u);",
		"{ uint old = H[value];\n\t\t\tatomic_add(&H[value], old > 100000 ? 0u : 1u); }"},

	/* ---- Locks: 4099 values need several blocks, 200 values one block */
	{"a lock in a variable of the device", CU_COUNT, {4099, 256}, PASSES,
		"atomicAdd(&H[value], 1u);", NULL, CU_LOCKED(CU_FENCE, CU_FENCE)},
	{"a lock in an operand", CU_COUNT, {4099, 256}, PASSES, "atomicAdd(&H[value], 1u);", NULL,
		CU_BIT(CU_FENCE, CU_FENCE)},
	{"a lock in an operand", CL_COUNT, {4099, 256}, PASSES, "atomic_add(&H[value], 1u);",
		CL_BIT(CL_FENCE, CL_FENCE)},
	{"a lock for one block", CU_COUNT, {200, 256}, PASSES, "atomicAdd(&H[value], 1u);", NULL,
		CU_BIT(CU_BLOCK_FENCE, CU_BLOCK_FENCE)},
	{"a lock for one block in several", CU_COUNT, {4099, 256}, REJECTED,
		"atomicAdd(&H[value], 1u);", NULL, CU_BIT(CU_BLOCK_FENCE, CU_BLOCK_FENCE)},
	{"a lock without a fence before its release", CU_COUNT, {200, 256}, REJECTED,
		"atomicAdd(&H[value], 1u);", NULL, CU_BIT(CU_FENCE, "")},
	{"a lock without a fence before its release", CL_COUNT, {200, 256}, REJECTED,
		"atomic_add(&H[value], 1u);", CL_BIT(CL_FENCE, "")},
	{"a lock of each thread", CU_COUNT, {200, 256}, REJECTED, "atomicAdd(&H[value], 1u);", NULL,
		LOCKED("static __device__ unsigned locks[2 * BLOCK];",
			"atomicCAS(&locks[2 * threadIdx.x], 0u, 1u)", CU_FENCE, CU_FENCE,
			"atomicExch(&locks[2 * threadIdx.x], 0u);")},

	/* ---- The block that finishes last */
	{"no fence before the count", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"__threadfence();", NULL, ";"},
	{"fences for one block only", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"__threadfence();", NULL, "__threadfence_block();"},
	{"no fence before the count", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"memory_order_acq_rel, memory_scope_device",
		"memory_order_relaxed, memory_scope_device"},
	{"fences for one block only", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"memory_order_acq_rel, memory_scope_device",
		"memory_order_acq_rel, memory_scope_work_group"},
	{"no acquire at the count", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"memory_order_acq_rel, memory_scope_device",
		"memory_order_release, memory_scope_device"},
	{"a fence behind the count", "reduce", "single-pass", ON_CL_TRACED, {10000}, PASSES,
		"memory_order_acq_rel, memory_scope_device);",
		"memory_order_release, memory_scope_device);\n"
		"\tatomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire,\n"
		"\t\tmemory_scope_device);"},
	{"a plain counter", "reduce", "single-pass", ON_TRACED, {10000}, REJECTED,
		"atomicAdd(finished, 1u)", NULL, "(*finished)++"},
	{"a plain counter", "reduce", "single-pass", ON_CL_TRACED, {10000}, REJECTED,
		"count_block(finished) ==", "(*finished)++ =="},
	{"a barrier without the flag of global memory", "reduce", "single-pass", ON_CL_TRACED,
		{10000}, REJECTED, "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
		"CLK_LOCAL_MEM_FENCE"},

	/* ---- Elements */
	{"two threads write one element", "vecadd", "fine", ON_TRACES, {1000}, REJECTED,
		"STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"{\n\t\tif (i > 0)\n\t\t\tSTORE(C, i - 1, LOAD(B, i));\n"
		"\t\tSTORE(C, i, LOAD(A, i) + LOAD(B, i));\n\t}"},
	/* ---- Reads of memory that no thread has written */
	{"an element that is right is not stored", "coalesce", "contiguous", ON_TRACES, {1000},
		REJECTED, "B[i] = A[i];", "if (B[i] != A[i])\n\t\t\tB[i] = A[i];"},
	{"an element is stored and read again", "coalesce", "contiguous", ON_TRACES, {1000}, PASSES,
		"B[i] = A[i];", "{ B[i] = A[i]; B[i] = B[i]; }"},
	{"the value of an earlier run stays", "reduce", "single-pass", ON_TRACES, {5000}, REJECTED,
		"values[group] = partial[0];",
		"if (!(values[group] > -1e20f && values[group] < 1e20f))\n"
		"\t\t\tvalues[group] = partial[0];"},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL, 0},
};
