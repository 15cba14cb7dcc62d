/*
 * Runs a kernel of test_builtins.py without the emulator: work-items of a group are threads, and
 * the functions that builtins_base.cl declares are those below. A sub-group has WIDTH work-items.
 */
#include "pmpp_kinds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 16
#define MAX_ITEMS 256
#define BUILTIN(symbol) __asm__(symbol)

struct copy {
	struct copy *next;
	char *to;
	unsigned long bytes, group, data[2];
};

static __thread struct item {
	unsigned long global, local;
	struct copy *copies;
	unsigned long groups;
} item;
static unsigned long local_size, group_count;
static pthread_barrier_t whole, *subs;
static unsigned long values[MAX_ITEMS], masks[MAX_ITEMS];

/* Accesses that were reported: a line for each, "kind bytes offset" from the first argument. */
char pmpp_accesses[1 << 16];
static const char *first_argument;

/* A function that answers with a value. */
#define ANSWER(type, name, parameter, symbol, value) \
	type name(parameter) BUILTIN(symbol);        \
	type name(parameter)                         \
	{                                            \
		return value;                        \
	}

ANSWER(unsigned long, id, unsigned d, "_Z13get_global_idj", d ? 0 : item.global)
ANSWER(unsigned long, local_id, unsigned d, "_Z12get_local_idj", d ? 0 : item.local)
ANSWER(unsigned long, group_id, unsigned d, "_Z12get_group_idj", d ? 0 : item.global / local_size)
ANSWER(unsigned long, size_of, unsigned d, "_Z14get_local_sizej", d ? 1 : local_size)
ANSWER(unsigned long, groups, unsigned d, "_Z14get_num_groupsj", d == 0 ? group_count : 1)
ANSWER(unsigned, lane, void, "_Z22get_sub_group_local_idv", item.local % WIDTH)
ANSWER(unsigned, max_lanes, void, "_Z22get_max_sub_group_sizev", WIDTH)

unsigned lanes(void) BUILTIN("_Z18get_sub_group_sizev");
unsigned lanes(void)
{
	unsigned long rest = local_size - item.local / WIDTH * WIDTH;
	return rest < WIDTH ? (unsigned)rest : WIDTH;
}

unsigned long pmpp_emu_state;

void pmpp_emu_barrier(int line, unsigned flags)
{
	(void)line, (void)flags;
	pthread_barrier_wait(&whole);
}
void barrier_function(unsigned flags) BUILTIN("_Z7barrierj");
void barrier_function(unsigned flags)
{
	pmpp_emu_barrier(0, flags);
}

int pmpp_emu_line(const void *pc)
{
	return (int)(unsigned long)pc;
}

/* All lanes call together. */
unsigned long pmpp_emu_warp(int line, int op, unsigned long mask, unsigned long value, int source)
{
	unsigned long first = item.local / WIDTH * WIDTH, result = 0;

	(void)line;
	values[item.local] = value;
	masks[item.local] = mask;
	pthread_barrier_wait(&subs[item.local / WIDTH]);
	for (unsigned k = 0; k < lanes(); k++) {
		if (op != PMPP_EMU_ACTIVE && masks[first + k] != mask) {
			fprintf(stderr, "lanes of a warp operation have different masks\n");
			abort();
		}
		if (op == PMPP_EMU_ACTIVE || (op == PMPP_EMU_VOTE && values[first + k]))
			result |= 1ul << k;
	}
	if (op == PMPP_EMU_SHUFFLE)
		result = values[first + (unsigned)source];
	pthread_barrier_wait(&subs[item.local / WIDTH]);
	return result;
}

void pmpp_emu_access(const void *address, unsigned long bytes, int kind, const void *pc)
{
	size_t used = strlen(pmpp_accesses);

	(void)pc;
	snprintf(pmpp_accesses + used, sizeof pmpp_accesses - used, "%d %lu %ld\n", kind, bytes,
		(long)((const char *)address - first_argument));
}

void pmpp_emu_settle(const void *address, unsigned long bytes)
{
	(void)address, (void)bytes;
}

void pmpp_emu_library_begin(void)
{
}

void pmpp_emu_library_end(const void *pc)
{
	(void)pc;
}

void *pmpp_emu_allocate(unsigned long bytes, const void *pc)
{
	(void)pc;
	return malloc(bytes);
}

void pmpp_emu_release(void *memory, const void *pc)
{
	(void)pc;
	free(memory);
}

void pmpp_emu_copy(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
	unsigned long low, unsigned long high)
{
	struct copy *copy = malloc(sizeof *copy);

	(void)line, (void)from, (void)zeroed;
	*copy = (struct copy){item.copies, to, bytes, item.groups, {low, high}};
	item.copies = copy;
}
unsigned long pmpp_emu_copy_commit(void)
{
	return item.groups++;
}
void pmpp_emu_copy_wait_group(unsigned long group)
{
	for (struct copy **at = &item.copies; *at;) {
		struct copy *copy = *at;
		if (copy->group == group) {
			memcpy(copy->to, copy->data, copy->bytes);
			*at = copy->next;
			free(copy);
		} else {
			at = &copy->next;
		}
	}
}
void pmpp_emu_step(void)
{
}

struct work {
	void (*kernel)(void *, void *, void *);
	void **arguments;
	unsigned long global, local;
};

static void *run_item(void *argument)
{
	struct work *work = argument;

	item = (struct item){.global = work->global, .local = work->local};
	work->kernel(work->arguments[0], work->arguments[1], work->arguments[2]);
	return NULL;
}

/* kernel: has up to three pointers. threads: work-items of a group run at the same time. */
void pmpp_run(void *kernel, void **arguments, unsigned long groups, unsigned long size, int threads)
{
	struct work works[MAX_ITEMS];
	pthread_t ids[MAX_ITEMS];
	pthread_barrier_t sub_barriers[MAX_ITEMS / WIDTH];

	local_size = size;
	group_count = groups;
	first_argument = arguments[0];
	for (unsigned long group = 0; group < groups; group++) {
		pthread_barrier_init(&whole, NULL, (unsigned)size);
		subs = sub_barriers;
		for (unsigned long k = 0; k * WIDTH < size; k++)
			pthread_barrier_init(&subs[k], NULL,
				(unsigned)(size - k * WIDTH < WIDTH ? size - k * WIDTH : WIDTH));
		for (unsigned long k = 0; k < size; k++) {
			works[k] = (struct work){(void (*)(void *, void *, void *))kernel,
				arguments, group * size + k, k};
			if (threads)
				pthread_create(&ids[k], NULL, run_item, &works[k]);
			else
				run_item(&works[k]);
		}
		for (unsigned long k = 0; threads && k < size; k++)
			pthread_join(ids[k], NULL);
	}
}
