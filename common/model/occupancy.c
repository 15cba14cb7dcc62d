#include "common/model/occupancy.h"

#include "common/integers.h"

const char *const occupancy_limit_words[] = {
	[OCCUPANCY_THREADS] = "threads",
	[OCCUPANCY_BLOCKS] = "blocks",
	[OCCUPANCY_REGISTERS] = "registers",
	[OCCUPANCY_SHARED] = "shared memory",
	[OCCUPANCY_SCALARS] = "scalar registers",
	[OCCUPANCY_BARRIERS] = "barriers",
	[OCCUPANCY_LIMIT_COUNT] = NULL,
};

/* ---- Limits -------------------------------------------------------------------------------- */

static int64_t warps_of(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return ceil_div(use->threads, unit->lanes);
}

static int64_t by_threads(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return unit->simds * unit->simd_warps / warps_of(unit, use);
}

static int64_t by_blocks(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	(void)use;
	return unit->blocks ? unit->blocks : INT64_MAX;
}

static int64_t by_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	int64_t occupied = unit->rules->warp_registers(unit, use);

	if (occupied == 0)
		return INT64_MAX;
	return unit->registers / occupied * unit->simds / warps_of(unit, use);
}

static int64_t by_shared(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	int64_t bytes = unit->rules->block_shared(unit, use);

	return bytes ? unit->shared_bytes / bytes : INT64_MAX;
}

static int64_t by_scalars(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	if (unit->scalars == 0 || use->scalars == 0)
		return INT64_MAX;
	int64_t units = ceil_div(use->scalars + unit->scalar_reserved, unit->scalar_unit);
	return unit->scalars / (units * unit->scalar_unit) * unit->simds / warps_of(unit, use);
}

static int64_t by_barriers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	if (unit->barriers == 0 || !unit->rules->barrier(use, warps_of(unit, use)))
		return INT64_MAX;
	return unit->barriers;
}

static int64_t (*const limits[OCCUPANCY_LIMIT_COUNT])(
	const struct occupancy_unit *unit, const struct kernel_use *use) = {
	[OCCUPANCY_THREADS] = by_threads,
	[OCCUPANCY_BLOCKS] = by_blocks,
	[OCCUPANCY_REGISTERS] = by_registers,
	[OCCUPANCY_SHARED] = by_shared,
	[OCCUPANCY_SCALARS] = by_scalars,
	[OCCUPANCY_BARRIERS] = by_barriers,
};

/* ---- Range of the input -------------------------------------------------------------------- */

static enum pmpp_status check_amd(
	const struct occupancy_unit *unit, const struct kernel_use *use, struct pmpp_error *error)
{
	int64_t acc_limit = unit->acc == ACC_NONE ? 0 : 256;

	if (use->scalars < 0 || use->scalars > unit->thread_scalars)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a %s has at most %lld scalar registers, not %lld", unit->rules->warp,
			(long long)unit->thread_scalars, (long long)use->scalars);
	if (use->acc_registers < 0 || use->acc_registers > acc_limit)
		return PMPP_FAIL(error, PMPP_USAGE, "a thread has at most %lld AccVGPRs, not %lld",
			(long long)acc_limit, (long long)use->acc_registers);
	if (use->registers + use->acc_registers > unit->thread_registers &&
		unit->acc == ACC_UNIFIED)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a thread has at most %lld registers with its AccVGPRs, not %lld",
			(long long)unit->thread_registers,
			(long long)(use->registers + use->acc_registers));
	return PMPP_OK;
}

static enum pmpp_status check_use(
	const struct occupancy_unit *unit, const struct kernel_use *use, struct pmpp_error *error)
{
	if (use->threads < 1 || use->threads > unit->block_threads)
		return PMPP_FAIL(error, PMPP_USAGE, "a block has 1 to %lld threads, not %lld",
			(long long)unit->block_threads, (long long)use->threads);
	if (use->registers < 0 || use->registers > unit->thread_registers)
		return PMPP_FAIL(error, PMPP_USAGE, "a thread has at most %lld registers, not %lld",
			(long long)unit->thread_registers, (long long)use->registers);
	if (use->registers > 0 && unit->registers == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a thread has %lld registers, but the registers of the %s are not known: "
			"give both, or none",
			(long long)use->registers, unit->unit);
	if (use->shared_bytes > 0 && unit->shared_bytes == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has %lld bytes of shared memory, but those of the %s are not "
			"known: give both, or none",
			(long long)use->shared_bytes, unit->unit);
	if (use->shared_bytes < 0 || use->shared_bytes > unit->block_shared_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has at most %lld bytes of shared memory, not %lld",
			(long long)unit->block_shared_bytes, (long long)use->shared_bytes);
	return check_amd(unit, use, error);
}

/* ---- Result -------------------------------------------------------------------------------- */

static int64_t resident(const struct occupancy_unit *unit, const struct kernel_use *use,
	int64_t ret_allowed[OCCUPANCY_LIMIT_COUNT])
{
	int64_t blocks = INT64_MAX;

	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
		ret_allowed[i] = limits[i](unit, use);
		if (ret_allowed[i] < blocks)
			blocks = ret_allowed[i];
	}
	return blocks;
}

static void find_cliff(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *occupancy)
{
	struct kernel_use more = *use;
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];
	int64_t acc = unit->acc == ACC_UNIFIED ? use->acc_registers : 0;

	if (use->registers == 0)
		return;
	while (++more.registers + acc <= unit->thread_registers) {
		int64_t blocks = resident(unit, &more, allowed);
		if (blocks < occupancy->blocks) {
			occupancy->cliff_registers = more.registers;
			occupancy->cliff_blocks = blocks;
			return;
		}
	}
}

enum pmpp_status occupancy_of(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error)
{
	struct occupancy occupancy = {.record = {.present = true},
		.block_threads = use->threads,
		.simd_warps = -1,
		.compiler_warps = -1,
		.cliff_registers = -1,
		.cliff_blocks = -1};
	const struct occupancy_rules *rules = unit->rules;
	enum pmpp_status status = check_use(unit, use, error);

	if (status != PMPP_OK)
		return status;
	occupancy.blocks = resident(unit, use, occupancy.allowed);
	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (occupancy.allowed[i] == occupancy.blocks)
			occupancy.limited_by |= 1u << i;
	int64_t slots = occupancy.blocks * warps_of(unit, use);
	int64_t reported = rules->warp_lanes ? rules->warp_lanes : unit->lanes;
	occupancy.threads = occupancy.blocks * use->threads;
	occupancy.warps = occupancy.blocks * ceil_div(use->threads, reported);
	if (unit->lanes > 1)
		occupancy.simd_warps = ceil_div(slots, unit->simds);
	occupancy.occupancy = (double)slots / (double)(unit->simds * unit->simd_warps);
	if (rules->compiler_warps)
		occupancy.compiler_warps = rules->compiler_warps(unit, use);
	find_cliff(unit, use, &occupancy);
	*ret_occupancy = occupancy;
	return PMPP_OK;
}
