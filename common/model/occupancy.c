#include "common/model/occupancy.h"

#include <stdio.h>
#include <string.h>

#define KIB 1024

/* Equal for all compute capabilities in the table. */
#define COMMON_FIGURES                                                         \
	.registers = 64 * KIB, .block_threads = 1024, .thread_registers = 255, \
	.thread_unit = WARP_THREADS, .register_unit = 256, .partitions = 4

/* From 8.0 on the driver reserves 1 KiB of each block's shared memory. */
#define FROM_8_0 .shared_unit = 128, .reserved_bytes = 1 * KIB

const struct multiprocessor multiprocessors[] = {
	{"7.5", 1024, 16, .shared_bytes = 64 * KIB, .block_shared_bytes = 64 * KIB,
		.shared_unit = 256, COMMON_FIGURES},
	{"8.0", 2048, 32, .shared_bytes = 164 * KIB, .block_shared_bytes = 163 * KIB, FROM_8_0,
		COMMON_FIGURES},
	{"8.6", 1536, 16, .shared_bytes = 100 * KIB, .block_shared_bytes = 99 * KIB, FROM_8_0,
		COMMON_FIGURES},
	{"8.9", 1536, 24, .shared_bytes = 100 * KIB, .block_shared_bytes = 99 * KIB, FROM_8_0,
		COMMON_FIGURES},
	{"9.0", 2048, 32, .shared_bytes = 228 * KIB, .block_shared_bytes = 227 * KIB, FROM_8_0,
		COMMON_FIGURES},
	{"10.0", 2048, 32, .shared_bytes = 228 * KIB, .block_shared_bytes = 227 * KIB, FROM_8_0,
		COMMON_FIGURES},
	{"12.0", 1536, 24, .shared_bytes = 100 * KIB, .block_shared_bytes = 99 * KIB, FROM_8_0,
		COMMON_FIGURES},
};
const size_t multiprocessor_count = sizeof multiprocessors / sizeof *multiprocessors;

const struct multiprocessor *multiprocessor_find(const char *name)
{
	for (size_t i = 0; i < multiprocessor_count; i++)
		if (strcmp(multiprocessors[i].name, name) == 0)
			return &multiprocessors[i];
	return NULL;
}

void multiprocessor_names(char *ret_text, size_t size)
{
	size_t used = 0;

	*ret_text = '\0';
	for (size_t i = 0; i < multiprocessor_count && used < size; i++)
		used += (size_t)snprintf(ret_text + used, size - used, "%s%s", i ? ", " : "",
			multiprocessors[i].name);
}

struct multiprocessor multiprocessor_given(
	int64_t threads, int64_t blocks, int64_t registers, int64_t shared_bytes)
{
	return (struct multiprocessor){
		.threads = threads,
		.blocks = blocks,
		.registers = registers,
		.shared_bytes = shared_bytes,
		.block_threads = 1024,
		.block_shared_bytes = shared_bytes,
		.thread_registers = 255,
		.thread_unit = 1,
		.register_unit = 1,
		.shared_unit = 1,
		.partitions = 1,
	};
}

const char *const occupancy_limit_words[] = {
	[OCCUPANCY_THREADS] = "threads",
	[OCCUPANCY_BLOCKS] = "blocks",
	[OCCUPANCY_REGISTERS] = "registers",
	[OCCUPANCY_SHARED] = "shared memory",
	[OCCUPANCY_LIMIT_COUNT] = NULL,
};

const char *occupancy_limit_text(enum occupancy_limit limit)
{
	return occupancy_limit_words[limit];
}

/* ---- Limits -------------------------------------------------------------------------------- */

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int64_t by_threads(const struct multiprocessor *sm, const struct kernel_use *use)
{
	return sm->threads / round_up(use->threads, sm->thread_unit);
}

static int64_t by_blocks(const struct multiprocessor *sm, const struct kernel_use *use)
{
	(void)use;
	return sm->blocks ? sm->blocks : INT64_MAX;
}

static int64_t by_registers(const struct multiprocessor *sm, const struct kernel_use *use)
{
	if (use->registers == 0)
		return INT64_MAX;
	int64_t warps = round_up(use->threads, sm->thread_unit) / sm->thread_unit;
	int64_t per_warp = round_up(use->registers * sm->thread_unit, sm->register_unit);
	return sm->registers / sm->partitions / per_warp * sm->partitions / warps;
}

static int64_t by_shared(const struct multiprocessor *sm, const struct kernel_use *use)
{
	int64_t bytes = round_up(use->shared_bytes + sm->reserved_bytes, sm->shared_unit);

	return bytes ? sm->shared_bytes / bytes : INT64_MAX;
}

static int64_t (*const limits[OCCUPANCY_LIMIT_COUNT])(
	const struct multiprocessor *sm, const struct kernel_use *use) = {
	[OCCUPANCY_THREADS] = by_threads,
	[OCCUPANCY_BLOCKS] = by_blocks,
	[OCCUPANCY_REGISTERS] = by_registers,
	[OCCUPANCY_SHARED] = by_shared,
};

/* ---- Result -------------------------------------------------------------------------------- */

static enum pmpp_status check_use(
	const struct multiprocessor *sm, const struct kernel_use *use, struct pmpp_error *error)
{
	if (use->threads < 1 || use->threads > sm->block_threads)
		return PMPP_FAIL(error, PMPP_USAGE, "a block has 1 to %lld threads, not %lld",
			(long long)sm->block_threads, (long long)use->threads);
	if (use->registers < 0 || use->registers > sm->thread_registers)
		return PMPP_FAIL(error, PMPP_USAGE, "a thread has at most %lld registers, not %lld",
			(long long)sm->thread_registers, (long long)use->registers);
	if (use->registers > 0 && sm->registers == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a thread has %lld registers, but the registers of the multiprocessor are "
			"not known: give both, or none",
			(long long)use->registers);
	if (use->shared_bytes > 0 && sm->shared_bytes == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has %lld bytes of shared memory, but those of the multiprocessor "
			"are not known: give both, or none",
			(long long)use->shared_bytes);
	if (use->shared_bytes < 0 || use->shared_bytes > sm->block_shared_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has at most %lld bytes of shared memory, not %lld",
			(long long)sm->block_shared_bytes, (long long)use->shared_bytes);
	return PMPP_OK;
}

static int64_t resident(const struct multiprocessor *sm, const struct kernel_use *use,
	int64_t ret_allowed[OCCUPANCY_LIMIT_COUNT])
{
	int64_t blocks = INT64_MAX;

	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
		ret_allowed[i] = limits[i](sm, use);
		if (ret_allowed[i] < blocks)
			blocks = ret_allowed[i];
	}
	return blocks;
}

static void find_cliff(
	const struct multiprocessor *sm, const struct kernel_use *use, struct occupancy *occupancy)
{
	struct kernel_use more = *use;
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];

	if (use->registers == 0)
		return;
	while (++more.registers <= sm->thread_registers) {
		int64_t blocks = resident(sm, &more, allowed);
		if (blocks < occupancy->blocks) {
			occupancy->cliff_registers = more.registers;
			occupancy->cliff_blocks = blocks;
			return;
		}
	}
}

enum pmpp_status occupancy_of(const struct multiprocessor *sm, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error)
{
	struct occupancy occupancy = {0};
	enum pmpp_status status = check_use(sm, use, error);

	if (status != PMPP_OK)
		return status;
	occupancy.blocks = resident(sm, use, occupancy.allowed);
	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (occupancy.allowed[i] == occupancy.blocks)
			occupancy.limited_by |= 1u << i;
	occupancy.threads = occupancy.blocks * use->threads;
	occupancy.warps = occupancy.blocks * round_up(use->threads, WARP_THREADS) / WARP_THREADS;
	occupancy.ratio = (double)(occupancy.blocks * round_up(use->threads, sm->thread_unit)) /
			  (double)sm->threads;
	find_cliff(sm, use, &occupancy);
	*ret_occupancy = occupancy;
	return PMPP_OK;
}
