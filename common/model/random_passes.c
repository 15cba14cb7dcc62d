#include "common/model/random_passes.h"

#include <math.h>

#define LANES_MAX 32
#define CERTAIN (1 - 1e-6) /* more words change no digit that counts */

/* Coefficients of x^0 to x^32. */
struct series {
	double of[LANES_MAX + 1];
};

static struct series product(const struct series *a, const struct series *b)
{
	struct series result = {{0}};

	for (int i = 0; i <= LANES_MAX; i++)
		for (int j = 0; i + j <= LANES_MAX; j++)
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
 * part^c / c! * P(c lanes choose at most `most` different words of `words`). */
static struct series of_bank(double words, double part, int most)
{
	struct series result = {{1}};
	double chosen[LANES_MAX + 1] = {1}; /* P(so many different words) after c lanes */
	double scale = 1;

	for (int c = 1; c <= LANES_MAX && words > 0; c++) {
		scale *= part / c;
		for (int j = most; j >= 1; j--)
			chosen[j] = chosen[j] * j / words +
				    chosen[j - 1] * fmax(0, words - (j - 1)) / words;
		chosen[0] = 0;
		for (int j = 1; j <= most; j++)
			result.of[c] += chosen[j] * scale;
	}
	return result;
}

/* P(no bank has more than `most` different words). */
static double at_most(int most, int lanes, int banks, int64_t words)
{
	double each = (double)(words / banks); /* words % banks of the banks have one more */
	struct series small =
		power(of_bank(each, each / (double)words, most), banks - words % banks);
	struct series large =
		power(of_bank(each + 1, (each + 1) / (double)words, most), words % banks);

	return product(&small, &large).of[lanes] * tgamma(lanes + 1);
}

double random_passes(int lanes, int banks, int64_t words, int groups)
{
	double expected = 1; /* P(more than 0) */

	for (int most = 1; most < lanes; most++) {
		double chance = pow(at_most(most, lanes, banks, words), groups);

		if (chance > CERTAIN)
			break;
		expected += 1 - chance;
	}
	return expected;
}
