#include "common/model/lanes.h"

static void thread_index(const int64_t block[LANES_DIMS], int64_t thread, int64_t index[LANES_DIMS])
{
	for (int i = 0; i < LANES_DIMS; thread /= block[i++])
		index[i] = thread % block[i];
}

struct lanes_warp lanes_warp_of(const int64_t block[LANES_DIMS], int64_t width, int64_t warp)
{
	int64_t all = block[0] * block[1] * block[2];
	int64_t first = warp * width;
	struct lanes_warp found = {.threads = all - first < width ? all - first : width};

	thread_index(block, first, found.first);
	thread_index(block, first + found.threads - 1, found.last);
	return found;
}

int64_t tree_rounds(int64_t n)
{
	int64_t rounds = 0;

	while ((int64_t)1 << rounds < n)
		rounds++;
	return rounds;
}

/* Whether the partner of a thread may be missing, because n need not be a power of two. */
static int adds(enum tree_order order, int64_t n, int64_t round, int64_t thread)
{
	int64_t distance = (int64_t)1
			   << (order == TREE_INTERLEAVED ? round : tree_rounds(n) - 1 - round);
	int first = order == TREE_INTERLEAVED ? thread % (2 * distance) == 0 : thread < distance;

	return first && thread + distance < n;
}

struct tree_round tree_round_of(enum tree_order order, int64_t n, int64_t width, int64_t round)
{
	struct tree_round found = {0};

	for (int64_t first = 0; first < n; first += width) {
		int64_t lanes = n - first < width ? n - first : width;
		int64_t adding = 0;
		for (int64_t thread = first; thread < first + lanes; thread++)
			adding += adds(order, n, round, thread);
		found.threads += adding;
		found.warps += adding > 0;
		found.diverging += adding > 0 && adding < lanes;
	}
	return found;
}
