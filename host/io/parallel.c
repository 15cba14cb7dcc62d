#include "host/io/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "host/io/os.h"

#define PARALLEL_THREADS 64

struct loop {
	void (*body)(void *context, size_t index);
	void *context;
	size_t count;
	atomic_size_t next;
};

size_t parallel_threads(void)
{
	size_t count = os_usable_processors();

	return count > PARALLEL_THREADS ? PARALLEL_THREADS : count;
}

static void *run_loop(void *argument)
{
	struct loop *loop = argument;

	for (;;) {
		size_t index = atomic_fetch_add(&loop->next, 1);
		if (index >= loop->count)
			return NULL;
		loop->body(loop->context, index);
	}
}

void parallel_for(size_t count, void (*body)(void *context, size_t index), void *context)
{
	struct loop loop = {.body = body, .context = context, .count = count};
	pthread_t threads[PARALLEL_THREADS];
	size_t wanted = parallel_threads();
	size_t started = 0;

	/* The calling thread also works, so the loop ends even if no thread can be started. */
	while (started + 1 < wanted && started + 1 < count &&
		pthread_create(&threads[started], NULL, run_loop, &loop) == 0)
		started++;
	run_loop(&loop);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* ---- Copies -------------------------------------------------------------------------------- */

/* The start of a thread takes about as long as a copy of this size. */
#define COPY_BYTES ((size_t)4 << 20)

struct copy {
	char *target;
	const char *source;
	size_t bytes;
};

static void copy_piece(void *context, size_t index)
{
	const struct copy *copy = context;
	size_t first = index * COPY_BYTES;
	size_t left = copy->bytes - first;

	memcpy(copy->target + first, copy->source + first, left < COPY_BYTES ? left : COPY_BYTES);
}

void parallel_copy(void *target, const void *source, size_t bytes)
{
	struct copy copy = {.target = target, .source = source, .bytes = bytes};

	parallel_for((bytes + COPY_BYTES - 1) / COPY_BYTES, copy_piece, &copy);
}
