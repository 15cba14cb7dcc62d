#include "common/model/last_level_cache.h"

#include <ctype.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)
#define ASSUMED_BYTES (64 * MIB)
#define ASSUMED_SHARE 64       /* of the memory */
#define REPORTED_MIN_BYTES MIB /* of a second-level cache */

/* The first matching row applies. A row matches if the device's name has its word, and the vendor's
 * or the device's name contains its vendor. vendor NULL: any vendor, because the word names one
 * chip.
 *
 * Sources:
 *   AMD     ROCm documentation, "GPU architecture hardware specifications" (L3 or Infinity Cache,
 *           else L2; with an L3 also the L2; on MI300 the L2 of one die). ROCm reports the
 *           compiler's target. The cards of one target have caches of different sizes; the table
 *           has the largest.
 *   NVIDIA  white papers of the architectures: Ampere (A100 40 MB, RTX 3090 6 MB), Hopper (H100 50
 *           MB), Ada (RTX 4090 72 MB, RTX 4080 64 MB, complete AD102 96 MB), RTX Blackwell (RTX
 *           5090 96 MB, RTX 5060 Ti 32 MB). The CUDA driver reports 60 MiB for the H200, 126.5 MiB
 *           for the B200 (Blackwell Tuning Guide: 126 MB). The GB200 has the same chip.
 *   Intel   its OpenCL driver reports 16 MiB for the Arc A770 and 18 MiB for the Arc B580. */
static const struct row {
	const char *vendor, *word;
	uint64_t bytes;
	uint64_t second_bytes; /* one second-level cache, if there is a third level; else 0 */
	bool overfetches;
} rows[] = {
	{"NVIDIA", "B200", 127 * MIB},
	{"NVIDIA", "GB200", 127 * MIB},
	{"NVIDIA", "H200", 60 * MIB, .overfetches = true},
	{"NVIDIA", "H100 PCIe", 50 * MIB},
	{"NVIDIA", "H100", 50 * MIB, .overfetches = true},
	{"NVIDIA", "A100", 40 * MIB},
	{"NVIDIA", "RTX 4090", 72 * MIB},
	{"NVIDIA", "RTX 4080", 64 * MIB},
	{"NVIDIA", "RTX 6000 Ada", 96 * MIB},
	{"NVIDIA", "L40", 96 * MIB},
	{"NVIDIA", "L40S", 96 * MIB},
	{"NVIDIA", "RTX 5090", 96 * MIB},
	{"NVIDIA", "RTX 5060 Ti", 32 * MIB},
	{"NVIDIA", "RTX 3090", 6 * MIB},
	{NULL, "gfx950", 256 * MIB, 4 * MIB},  /* MI350X, MI355X */
	{NULL, "gfx942", 256 * MIB, 4 * MIB},  /* MI300A, MI300X, MI325X */
	{NULL, "gfx941", 256 * MIB, 4 * MIB},  /* early MI300X */
	{NULL, "gfx940", 256 * MIB, 4 * MIB},  /* early MI300A */
	{NULL, "gfx90a", 8 * MIB},             /* MI210, and each die of MI250 and MI250X */
	{NULL, "gfx908", 8 * MIB},             /* MI100 */
	{NULL, "gfx906", 4 * MIB},             /* MI50, MI60, Radeon VII */
	{NULL, "gfx900", 4 * MIB},             /* MI25 */
	{NULL, "gfx1030", 128 * MIB, 4 * MIB}, /* RX 6800 to RX 6950 XT */
	{NULL, "gfx1031", 96 * MIB, 3 * MIB},  /* RX 6700 to RX 6750 XT */
	{NULL, "gfx1032", 32 * MIB, 2 * MIB},  /* RX 6600 to RX 6650 XT */
	{NULL, "gfx1100", 96 * MIB, 6 * MIB},  /* RX 7900 GRE (64), XT (80) and XTX */
	{NULL, "gfx1101", 64 * MIB, 4 * MIB},  /* RX 7700 XT (48) and RX 7800 XT */
	{NULL, "gfx1102", 32 * MIB, 2 * MIB},  /* RX 7600 */
	/* The same chips by the names of Mesa and of drivers that report the card. */
	{NULL, "navi21", 128 * MIB, 4 * MIB},
	{NULL, "navi22", 96 * MIB, 3 * MIB},
	{NULL, "navi23", 32 * MIB, 2 * MIB},
	{NULL, "navi31", 96 * MIB, 6 * MIB},
	{NULL, "navi32", 64 * MIB, 4 * MIB},
	{NULL, "navi33", 32 * MIB, 2 * MIB},
	{"AMD", "RX 6800", 128 * MIB, 4 * MIB},
	{"AMD", "RX 6900", 128 * MIB, 4 * MIB},
	{"AMD", "RX 6950", 128 * MIB, 4 * MIB},
	{"AMD", "RX 6700", 96 * MIB, 3 * MIB},
	{"AMD", "RX 6750", 96 * MIB, 3 * MIB},
	{"AMD", "RX 7900", 96 * MIB, 6 * MIB},
	{"AMD", "RX 7800", 64 * MIB, 4 * MIB},
	{"AMD", "MI300X", 256 * MIB, 4 * MIB},
	{"AMD", "MI300A", 256 * MIB, 4 * MIB},
	{"AMD", "MI325X", 256 * MIB, 4 * MIB},
	{"AMD", "MI250X", 8 * MIB},
	{"AMD", "MI250", 8 * MIB},
	{"AMD", "MI210", 8 * MIB},
	{"Intel", "A770", 16 * MIB},
	{"Intel", "0x56a0", 16 * MIB}, /* the A770 on older drivers */
	{"Intel", "B580", 18 * MIB},
};

/* Whether the text has the word, with no letter or digit on either side: "L4" is not in "L40". */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++) {
		bool begins = at == text || !isalnum((unsigned char)at[-1]);
		if (begins && !isalnum((unsigned char)at[length]))
			return true;
	}
	return false;
}

static const struct row *find_row(const struct cache_facts *facts)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];

		if (has_word(facts->name, row->word) &&
			(!row->vendor || strstr(facts->vendor, row->vendor) ||
				strstr(facts->name, row->vendor)))
			return row;
	}
	return NULL;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t last_level_cache_bytes(const struct cache_facts *facts)
{
	uint64_t share = facts->memory_bytes / ASSUMED_SHARE;
	const struct row *known = facts->is_gpu ? find_row(facts) : NULL;

	if (known)
		return larger(known->bytes, facts->reported_bytes);
	if (facts->reported_bytes && (!facts->is_gpu || facts->reported_bytes > UINT64_MAX / 2))
		return facts->reported_bytes;
	return larger(2 * facts->reported_bytes, share < ASSUMED_BYTES ? share : ASSUMED_BYTES);
}

uint64_t last_level_cache_l2_bytes(const struct cache_facts *facts)
{
	const struct row *known = facts->is_gpu ? find_row(facts) : NULL;

	if (known && known->second_bytes)
		return known->second_bytes;
	if (known)
		return larger(known->bytes, facts->reported_bytes);
	return facts->reported_bytes < REPORTED_MIN_BYTES ? 0 : facts->reported_bytes;
}

static const char *source_of(const struct row *row)
{
	if (row->vendor && strcmp(row->vendor, "NVIDIA") == 0)
		return "NVIDIA's white papers";
	if (row->vendor && strcmp(row->vendor, "Intel") == 0)
		return "reports of Intel's OpenCL";
	return "ROCm hardware specifications";
}

void last_level_cache_fill(
	const struct cache_facts *facts, const char *query, struct device_shape *shape)
{
	const struct row *known = facts->is_gpu ? find_row(facts) : NULL;
	uint64_t second = last_level_cache_l2_bytes(facts);
	uint64_t last = known ? last_level_cache_bytes(facts) : second;
	bool reported = facts->reported_bytes >= REPORTED_MIN_BYTES;
	const struct {
		enum shape_id id;
		uint64_t bytes;
	} values[] = {{SHAPE_L2, second}, {SHAPE_LAST_CACHE, last}};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		uint64_t bytes = values[i].bytes;
		bool by_query = reported && bytes == facts->reported_bytes;

		if (bytes > 0 && bytes <= INT64_MAX)
			shape_set(shape, values[i].id, (int64_t)bytes,
				by_query ? SHAPE_QUERY : SHAPE_TABLE,
				by_query ? query : source_of(known));
	}
}

bool last_level_cache_overfetches(const struct cache_facts *facts)
{
	const struct row *known = facts->is_gpu ? find_row(facts) : NULL;

	return known && known->overfetches;
}
