#include "common/model/dram.h"

#include <math.h>

struct dram_bus dram_bus_of(double ratio, int64_t banks)
{
	int64_t needed = (int64_t)ceil(ratio + 1);

	banks = banks ? banks : needed;
	double different = (double)banks * (1 - pow(1 - 1 / (double)banks, ratio + 1));
	return (struct dram_bus){needed, banks, fmin(1, (double)banks / (ratio + 1)),
		fmin(1, different / (ratio + 1))};
}

/* PMPP_USAGE names the figure that is out of range. */
static enum pmpp_status dram_check(const struct dram *dram, struct pmpp_error *error)
{
	if (dram->burst_bytes < 1)
		return PMPP_FAIL(error, PMPP_USAGE, "a burst has at least 1 byte, not %lld",
			(long long)dram->burst_bytes);
	if (dram->channels < 1 || dram->channels > DRAM_MAX_CHANNELS)
		return PMPP_FAIL(error, PMPP_USAGE, "there are 1 to %d channels, not %lld",
			DRAM_MAX_CHANNELS, (long long)dram->channels);
	if (dram->banks < 1 || dram->banks > DRAM_MAX_BANKS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"interleaving takes 1 to %d banks a channel, not %lld", DRAM_MAX_BANKS,
			(long long)dram->banks);
	return PMPP_OK;
}

/* Adds the bursts of an access of `bytes` >= 1 bytes at an address. Called in ascending order of the
 * addresses. A burst counts once, because coalescing or a cache serves its other bytes. */
static void load_add(
	const struct dram *dram, struct dram_load *load, uint64_t address, uint64_t bytes)
{
	uint64_t width = (uint64_t)dram->burst_bytes;
	int64_t first = (int64_t)(address / width);
	int64_t last = (int64_t)((address + bytes - 1) / width);

	for (int64_t burst = first > load->next_burst ? first : load->next_burst; burst <= last;
		burst++) {
		int64_t channel = burst % dram->channels;
		int64_t *of_bank = &load->of_bank[channel][burst / dram->channels % dram->banks];
		load->channels |= (uint64_t)1 << channel;
		load->bursts++;
		load->banks += *of_bank == 0;
		load->conflicts += *of_bank > 0;
		++*of_bank;
	}
	if (last >= load->next_burst)
		load->next_burst = last + 1;
}

enum pmpp_status dram_tiles(const struct dram *dram, int64_t n, int64_t tile, int64_t phase,
	struct dram_load *ret_left, struct dram_load *ret_right, struct pmpp_error *error)
{
	const uint64_t element = sizeof(float);
	enum pmpp_status status = dram_check(dram, error);

	if (status != PMPP_OK)
		return status;
	if (n < 1 || n > DRAM_MAX_MATRIX)
		return PMPP_FAIL(error, PMPP_USAGE, "the matrix has 1 to %d rows, not %lld",
			DRAM_MAX_MATRIX, (long long)n);
	if (tile < 1 || n % tile != 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"tiles of %lld x %lld do not divide a matrix of %lld x %lld",
			(long long)tile, (long long)tile, (long long)n, (long long)n);
	if (phase < 0 || phase >= n / tile)
		return PMPP_FAIL(error, PMPP_USAGE, "there are phases 0 to %lld, not %lld",
			(long long)(n / tile - 1), (long long)phase);
	*ret_left = (struct dram_load){0};
	*ret_right = (struct dram_load){0};
	for (int64_t row = 0; row < n; row++)
		load_add(dram, ret_left, (uint64_t)(row * n + phase * tile) * element,
			(uint64_t)tile * element);
	for (int64_t row = phase * tile; row < (phase + 1) * tile; row++)
		load_add(dram, ret_right, (uint64_t)(row * n) * element, (uint64_t)n * element);
	return PMPP_OK;
}

enum pmpp_status dram_burst_of(const struct dram *dram, int64_t n, int64_t tile, int64_t index,
	struct dram_burst *ret_burst, struct pmpp_error *error)
{
	int64_t elements = dram->burst_bytes / (int64_t)sizeof(float);
	int64_t first = index * elements;
	int64_t last = first + elements < n * n ? first + elements - 1 : n * n - 1;

	if (n > DRAM_MAX_MAP)
		return PMPP_FAIL(error, PMPP_USAGE, "the map shows at most %d rows, not %lld",
			DRAM_MAX_MAP, (long long)n);
	if (elements < 1 || dram->burst_bytes % (int64_t)sizeof(float))
		return PMPP_FAIL(error, PMPP_USAGE,
			"the map needs a burst size that is a multiple of 4 bytes, not %lld bytes",
			(long long)dram->burst_bytes);
	*ret_burst = (struct dram_burst){
		first, last, index % dram->channels, index / dram->channels % dram->banks, 0, 0};
	for (int64_t i = first; i <= last; i++) {
		ret_burst->tile_rows |= (uint64_t)1 << i / n / tile;
		ret_burst->tile_columns |= (uint64_t)1 << i % n / tile;
	}
	return PMPP_OK;
}
