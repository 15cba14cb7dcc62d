/*
 * Tasks: one variant with the macro values of one build, at one problem.
 */
#ifndef PMPP_HOST_RUN_TASK_H
#define PMPP_HOST_RUN_TASK_H

#include "host/run/job.h"
#include "host/suite/suite.h"

struct task {
	struct config config;
	struct problem problem;
	char reason[160]; /* why this point of a sweep cannot run; "" = it can */
	char label[160];  /* "tiled16 TILE=8"; of `selftest`: "matmul/naive: zero output" */
	size_t group;     /* number of its group: tasks of one table */
};

/* Tasks in the order of their numbers, which begin at 0. Zero-initialise. */
struct task_list {
	struct task *items; /* owned */
	size_t count;
	size_t capacity;
	size_t group_count;
};

void task_list_finish(struct task_list *tasks);

/* The devices that run the tasks. Default sizes, work budgets and configs depend on them. */
struct task_devices {
	const struct gpu_device_info *info;  /* NULL: an emulator, for a trace */
	const struct gpu_device_info *other; /* parity's second device; NULL = none */
	struct kernel_shape shape;           /* of the configs */
};

/* Appends the tasks of the job's targets. Groups of `verify`: one variant and point of a sweep, at
 * its check sizes, with every choice of type, operation and data. A point that cannot run is one
 * task with the reason. Groups of other jobs: a ladder at one size. It begins with the peers. */
enum pmpp_status tasks_add(const struct job *job, const struct task_devices *devices,
	struct task_list *tasks, struct pmpp_error *error);

#define FIT_NOTE_BYTES 300

/* Reduces the problem until all tasks fit in free memory. suites: those that run the tasks: one, or
 * two for parity; NULL = none. Returns true if the problem changed; the
 * note then has both sizes. If no smaller problem fits, the problem is unchanged. */
bool fit_problem(const struct suite *const suites[2], const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES]);

#endif
