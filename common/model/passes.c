#include "common/model/passes.h"

#include "common/integers.h"
#include "common/model/access.h"

#include <math.h>

struct warp_lanes warp_lanes_of_block(int x, int y, int64_t lane_bytes, int64_t row_bytes)
{
	int lanes = (int)min(x, WARP_THREADS);

	return (struct warp_lanes){.lanes = lanes,
		.rows = (int)min(y, WARP_THREADS / lanes),
		.lane_bytes = lane_bytes,
		.row_bytes = row_bytes};
}

/* Passes of a warp in which only the first `in_row` threads of the first `rows` rows are active. */
static double part_passes(const struct warp_lanes *lanes, int64_t in_row, int64_t rows)
{
	struct warp_access access = {.model = access_model_default(),
		.width_bytes = lanes->width_bytes ? lanes->width_bytes : 4};

	for (int i = 0; i < lanes->lanes * lanes->rows; i++) {
		int x = i % lanes->lanes, y = i / lanes->lanes;

		access.address[i] = (uint64_t)(lanes->first_byte + x * lanes->lane_bytes +
					       y * lanes->row_bytes);
		access.lanes |= (uint64_t)(x < in_row && y < rows) << i;
	}
	return access_shared(&access).wavefronts;
}

double passes_of_warp(const struct warp_lanes *lanes)
{
	return part_passes(lanes, lanes->lanes, lanes->rows);
}

double passes_of_grid(const struct warp_lanes *lanes, int64_t columns, int64_t rows)
{
	double across = (double)(columns / lanes->lanes), down = (double)(rows / lanes->rows);
	int64_t last_column = columns % lanes->lanes, last_row = rows % lanes->rows;

	return across * down * passes_of_warp(lanes) +
	       across * part_passes(lanes, lanes->lanes, last_row) +
	       down * part_passes(lanes, last_column, lanes->rows) +
	       part_passes(lanes, last_column, last_row);
}

/* ---- Random addresses ----------------------------------------------------------------------- */

#define MOST_LANES 32
#define CERTAIN (1 - 1e-6) /* larger values of `max` change the result by less than 10^-5 */

/* Coefficients of x^0 to x^32. */
struct series {
	double of[MOST_LANES + 1];
};

static struct series product(const struct series *a, const struct series *b)
{
	struct series result = {{0}};

	for (int i = 0; i <= MOST_LANES; i++)
		for (int j = 0; i + j <= MOST_LANES; j++)
			result.of[i + j] += a->of[i] * b->of[j];
	return result;
}

static struct series power(struct series base, int64_t exponent)
{
	struct series result = {{1}};

	while (exponent > 0) {
		if (exponent % 2)
			result = product(&result, &base);
		exponent /= 2;
		if (exponent > 0)
			base = product(&base, &base);
	}
	return result;
}

/* The series of a bank that has the fraction `part` of all words. Its coefficient c is
 * part^c / c! * P(c lanes choose at most `max` different words of `words`). */
static struct series of_bank(double words, double part, int max)
{
	struct series result = {{1}};
	double chosen[MOST_LANES + 1] = {1}; /* [j]: P(j different words) after c lanes */
	double scale = 1;

	for (int c = 1; c <= MOST_LANES && words > 0; c++) {
		scale *= part / c;
		for (int j = max; j >= 1; j--)
			chosen[j] = chosen[j] * j / words +
				    chosen[j - 1] * fmax(0, words - (j - 1)) / words;
		chosen[0] = 0;
		for (int j = 1; j <= max; j++)
			result.of[c] += chosen[j] * scale;
	}
	return result;
}

/* P(no bank has more than `max` different words). */
static double at_most(int max, int lanes, int banks, int64_t words)
{
	double each = (double)(words / banks); /* words % banks of the banks have one more */
	struct series small =
		power(of_bank(each, each / (double)words, max), banks - words % banks);
	struct series large =
		power(of_bank(each + 1, (each + 1) / (double)words, max), words % banks);

	return product(&small, &large).of[lanes] * tgamma(lanes + 1);
}

double random_passes(int lanes, int banks, int64_t words, int groups)
{
	double expected = 1; /* the sum of P(passes > max); P(passes > 0) = 1 */

	for (int max = 1; max < lanes; max++) {
		double chance = pow(at_most(max, lanes, banks, words), groups);

		if (chance > CERTAIN)
			break;
		expected += 1 - chance;
	}
	return expected;
}
