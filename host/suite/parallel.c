#include "host/suite/parallel.h"

#include "host/io/os_machine.h"

#include <pthread.h>
#include <stdatomic.h>

#define MAX_THREADS 64

struct loop {
	parallel_fn *body;
	void *context;
	size_t count;
	atomic_size_t next;
};

size_t parallel_threads(void)
{
	size_t count = os_usable_processors();

	return count > MAX_THREADS ? MAX_THREADS : count;
}

static void *work(void *argument)
{
	struct loop *loop = argument;

	for (;;) {
		size_t index = atomic_fetch_add(&loop->next, 1);
		if (index >= loop->count)
			return NULL;
		loop->body(loop->context, index);
	}
}

void parallel_for(size_t count, parallel_fn *body, void *context)
{
	struct loop loop = {.body = body, .context = context, .count = count};
	pthread_t threads[MAX_THREADS];
	size_t wanted = parallel_threads();
	size_t started = 0;

	/* The calling thread also works, so the loop ends even if no thread can be started. */
	while (started + 1 < wanted && started + 1 < count &&
		pthread_create(&threads[started], NULL, work, &loop) == 0)
		started++;
	work(&loop);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
