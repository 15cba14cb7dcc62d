#include "common/model/last_level_cache.h"
#include "host/io/os_linux.c"
#include "tests/support/test.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* Vendors as drivers of OpenCL report them. */
#define AMD "Advanced Micro Devices, Inc."
#define NVIDIA "NVIDIA Corporation"
#define INTEL "Intel(R) Corporation"

/* Names, vendors, caches and memory as drivers report them. */
struct cache_row {
	const char *driver, *vendor, *name;
	uint64_t reported, memory, bytes;
};

static struct cache_facts facts_of(const struct cache_row *row, bool is_gpu)
{
	return (struct cache_facts){.vendor = row->vendor,
		.name = row->name,
		.is_gpu = is_gpu,
		.reported_bytes = row->reported,
		.memory_bytes = row->memory};
}

static const struct cache_row gpu_rows[] = {
	/* The driver reports an L1. */
	{"ROCm", AMD, "gfx1100", 32 * KIB, 25753026560, 96 * MIB},
	{"ROCm", AMD, "gfx1030", 16 * KIB, 17163091968, 128 * MIB},
	{"ROCm", AMD, "gfx906", 16 * KIB, 17163091968, 4 * MIB},
	{"ROCm", AMD, "gfx906+sram-ecc", 16 * KIB, 17163091968, 4 * MIB},
	{"ROCm", AMD, "gfx90a:sramecc+:xnack-", 16 * KIB, 68702699520, 8 * MIB},
	{"ROCm", AMD, "gfx908:sramecc+:xnack-", 16 * KIB, 32 * GIB, 8 * MIB},
	{"ROCm", AMD, "gfx942:sramecc+:xnack-", 32 * KIB, 192 * GIB, 256 * MIB},
	{"ROCm", AMD, "gfx950:sramecc+:xnack-", 32 * KIB, 288 * GIB, 256 * MIB},
	{"a target without an entry", AMD, "gfx1201", 32 * KIB, 16 * GIB, 64 * MIB},
	{"a longer target", AMD, "gfx10300", 16 * KIB, 16 * GIB, 64 * MIB},

	/* The driver reports no cache. */
	{"rusticl", "AMD",
		"AMD Radeon RX 6700 XT (navi22, LLVM 15.0.7, DRM 3.54, 6.5.0-1-rt-amd64)", 0,
		12884901888, 96 * MIB},
	{"CLOn12", "Microsoft", "AMD Radeon RX 6800 XT", 0, 16 * GIB, 128 * MIB},
	{"Apple", "Apple", "Apple M1 Max", 0, 51539607552, 64 * MIB},
	{"Apple", "Apple", "Apple M1", 0, 5726623061, 64 * MIB},
	{"Adreno", "QUALCOMM", "QUALCOMM Adreno(TM)", 128 * KIB, 3992293376, 3992293376 / 64},
	{"Mali", "ARM", "Mali-LODX r0p0", MIB, 8055664640, 64 * MIB},

	/* The OpenCL backend passes 0 for NVIDIA's devices. */
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA GeForce RTX 4090", 0, 24 * GIB, 72 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA A100-SXM4-40GB", 0, 40 * GIB, 40 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA H100 80GB HBM3", 0, 80 * GIB, 50 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA H200", 0, 141 * GIB, 60 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA B200", 0, 178 * GIB, 127 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA GB200", 0, 186 * GIB, 127 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA L40S", 0, 48 * GIB, 96 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "GeForce GTX 1080", 0, 8510701568, 64 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA L4", 0, 24 * GIB, 64 * MIB},

	/* The larger of the reported size and the size in the table is used. */
	{"CUDA", "NVIDIA", "NVIDIA H100 PCIe", 50 * MIB, 80 * GIB, 50 * MIB},
	{"CUDA", "NVIDIA", "NVIDIA H200", 62914560, 141 * GIB, 60 * MIB},
	{"CUDA", "NVIDIA", "NVIDIA B200", 132644864, 178 * GIB, 127 * MIB},
	{"CUDA, a larger chip with the same name", "NVIDIA", "NVIDIA A100-SXM4-80GB", 80 * MIB,
		80 * GIB, 80 * MIB},
	{"CUDA, no entry", "NVIDIA", "NVIDIA GeForce RTX 3060", 3 * MIB, 12 * GIB, 64 * MIB},
	{"CUDA, no entry, large", "NVIDIA", "NVIDIA X1", 100 * MIB, 128 * GIB, 200 * MIB},

	/* Intel's driver reports the last-level cache. */
	{"NEO", INTEL, "Intel(R) Arc(TM) A770 Graphics", 16 * MIB, 16 * GIB, 16 * MIB},
	{"NEO", INTEL, "Intel(R) Graphics [0x56a0]", 16 * MIB, 16 * GIB, 16 * MIB},
	{"NEO", INTEL, "Intel(R) Arc(TM) B580 Graphics", 18 * MIB, 12 * GIB, 18 * MIB},
	{"NEO", INTEL, "Intel(R) Graphics [0x46a6]", 2949120, 13062381568, 64 * MIB},
	{"NEO", INTEL, "Intel(R) Data Center GPU Max 1100", 192 * MIB, 48 * GIB, 384 * MIB},

	/* Devices of other vendors with a name from the table. */
	{"another vendor", "Some Vendor", "A100 accelerator", 0, 64 * GIB, 64 * MIB},
	{"a small device", "Some Vendor", "chip", 0, 256 * MIB, 4 * MIB},
	{"no memory size", "Some Vendor", "chip", 3 * KIB, 0, 6 * KIB},
	{"an impossible report", "Some Vendor", "chip", UINT64_MAX - 1, 24 * GIB, UINT64_MAX - 1},
};

TEST_ROWS(gpu_cache, gpu_rows, "%s: %s, %llu reported", row->driver, row->name,
	(unsigned long long)row->reported)
{
	const struct cache_facts facts = facts_of(row, true);

	EQUAL(last_level_cache_bytes(&facts), row->bytes);
}

/* The second level, as drivers report the device. 0: unknown. */
static const struct cache_row second_rows[] = {
	{"ROCm, three levels", AMD, "gfx1100", 32 * KIB, 25753026560, 6 * MIB},
	{"ROCm, dies with a cache each", AMD, "gfx942:sramecc+:xnack-", 32 * KIB, 192 * GIB,
		4 * MIB},
	{"ROCm, two levels", AMD, "gfx90a:sramecc+:xnack-", 16 * KIB, 68702699520, 8 * MIB},
	{"a first level, no entry", AMD, "gfx1201", 32 * KIB, 16 * GIB, 0},
	{"rusticl", "AMD", "AMD Radeon RX 6700 XT (navi22, LLVM 15.0.7)", 0, 12884901888, 3 * MIB},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA H200", 0, 141 * GIB, 60 * MIB},
	{"NVIDIA OpenCL, no entry", NVIDIA, "NVIDIA L4", 0, 24 * GIB, 0},
	{"CUDA", "NVIDIA", "NVIDIA H200", 62914560, 141 * GIB, 60 * MIB},
	{"CUDA, no entry", "NVIDIA", "NVIDIA GeForce RTX 3060", 3 * MIB, 12 * GIB, 3 * MIB},
	{"NEO", INTEL, "Intel(R) Arc(TM) A770 Graphics", 16 * MIB, 16 * GIB, 16 * MIB},
};

TEST_ROWS(second_cache, second_rows, "second level: %s, %s", row->driver, row->name)
{
	const struct cache_facts facts = facts_of(row, true);

	EQUAL(last_level_cache_l2_bytes(&facts), row->bytes);
}

/* CPUs are not in the table: "gfx942" in the name of a CPU has no effect. */
static const struct cache_row cpu_rows[] = {
	{"PoCL", "GenuineIntel", "pthread-cascadelake-Intel(R) Xeon(R) Processor @ 2.50GHz",
		37486592, 16 * GIB, 37486592},
	{"PoCL, a large cache", "AuthenticAMD", "cpu-znver4-AMD EPYC", 260 * MIB, 64 * GIB,
		260 * MIB},
	{"a name from the table", "GenuineIntel", "cpu-gfx942", 8 * MIB, 64 * GIB, 8 * MIB},
	{"no cache reported", "Mesa", "llvmpipe (LLVM 15.0.6, 256 bits)", 0, 16 * GIB, 64 * MIB},
};

/* bytes: 1 if the memory is known to overfetch, else 0. */
static const struct cache_row overfetch_rows[] = {
	{"CUDA", "NVIDIA", "NVIDIA H200", 62914560, 141 * GIB, 1},
	{"NVIDIA OpenCL", NVIDIA, "NVIDIA H100 80GB HBM3", 0, 80 * GIB, 1},
	{"CUDA, other memory", "NVIDIA", "NVIDIA H100 PCIe", 50 * MIB, 80 * GIB, 0},
	{"CUDA", "NVIDIA", "NVIDIA A100-SXM4-80GB", 80 * MIB, 80 * GIB, 0},
	{"CUDA, no entry", "NVIDIA", "NVIDIA GeForce RTX 3060", 3 * MIB, 12 * GIB, 0},
	{"ROCm", AMD, "gfx1100", 32 * KIB, 25753026560, 0},
};

TEST_ROWS(overfetches, overfetch_rows, "overfetches: %s", row->name)
{
	struct cache_facts facts = facts_of(row, true);

	EQUAL(last_level_cache_overfetches(&facts), row->bytes);
	facts.is_gpu = false;
	NOT(last_level_cache_overfetches(&facts));
}

TEST_ROWS(cpu_cache, cpu_rows, "CPU, %s", row->driver)
{
	const struct cache_facts facts = facts_of(row, false);

	EQUAL(last_level_cache_bytes(&facts), row->bytes);
}

/* Made-up files of Linux. A cache of a CPU is a folder "cpuN/cache/indexM". */
static const struct system_row {
	const char *name;
	const char *used; /* a letter for each CPU: 'x' is used */
	struct cache {
		const char *folder, *level, *type, *size, *shared;
	} caches[9]; /* ended by NULL */
	uint64_t bytes;
} system_rows[] = {
	{"one cache for all", "xx",
		{{"cpu0/cache/index0", "1", "Data", "32K", "0"},
			{"cpu0/cache/index1", "1", "Instruction", "32K", "0"},
			{"cpu0/cache/index2", "2", "Unified", "512K", "0"},
			{"cpu0/cache/index3", "3", "Unified", "32768K", "0-1"},
			{"cpu1/cache/index0", "1", "Data", "32K", "1"},
			{"cpu1/cache/index1", "3", "Unified", "32768K", "0-1"}},
		32 * MIB},
	{"a cache for each pair of cores, with two threads each", "xxxxxxxx",
		{{"cpu0/cache/index0", "3", "Unified", "16M", "0-1,4-5"},
			{"cpu1/cache/index0", "3", "Unified", "16M", "0-1,4-5"},
			{"cpu2/cache/index0", "3", "Unified", "16M", "2-3,6-7"},
			{"cpu3/cache/index0", "3", "Unified", "16M", "2-3,6-7"}},
		32 * MIB},
	{"only the CPUs of one cache are used", "..x...x.",
		{{"cpu0/cache/index0", "3", "Unified", "16M", "0-1,4-5"},
			{"cpu2/cache/index0", "3", "Unified", "8M", "2-3,6-7"},
			{"cpu6/cache/index0", "3", "Unified", "8M", "2-3,6-7"}},
		8 * MIB},
	{"no third level", "x",
		{{"cpu0/cache/index0", "1", "Data", "32K", "0"},
			{"cpu0/cache/index1", "2", "Unified", "1024K", "0"}},
		MIB},
	{"a large instruction cache", "x",
		{{"cpu0/cache/index0", "1", "Data", "64K", "0"},
			{"cpu0/cache/index1", "2", "Instruction", "1024K", "0"}},
		64 * KIB},
	{"other texts", "xx",
		{{"cpu0/cache/index0", "3", "Unified", "large", "all"},
			{"cpu1/cache/index0", "none", "Unified", "1K", "1"}}},
	{"no files", "xx", {{NULL}}},
};

TEST_ROWS(system_cache, system_rows, "files: %s", row->name)
{
	const char *root = test_folder();
	bool used[8] = {false};
	size_t count = strlen(row->used);

	for (size_t i = 0; row->caches[i].folder; i++) {
		const struct cache *cache = &row->caches[i];

		const char *folder = test_text("%s/devices/system/cpu/%s", root, cache->folder);
		test_write_text(cache->level, "%s/level", folder);
		test_write_text(cache->type, "%s/type", folder);
		test_write_text(cache->size, "%s/size", folder);
		test_write_text(cache->shared, "%s/shared_cpu_list", folder);
	}
	for (size_t i = 0; i < count; i++)
		used[i] = row->used[i] == 'x';
	EQUAL(cpu_caches_last_bytes(root, used, count), row->bytes);
}

/* The caches of the used CPUs are at most those of all CPUs. */
TEST(this_system, "files: this machine")
{
	bool all[CPU_CACHES_MAX_CPUS];

	memset(all, 1, sizeof all);
	uint64_t most = cpu_caches_last_bytes("/sys", all, CPU_CACHES_MAX_CPUS);
	if (most == 0)
		test_skip("no files about caches on this machine");
	assert_in_range(os_last_cache_bytes(), 1, most);
}
