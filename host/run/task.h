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
	char label[96];   /* "tiled16 TILE=8" */
};

/* Zero-initialise. */
struct task_list {
	struct task *items; /* owned */
	size_t count;
};

void task_list_finish(struct task_list *tasks);

/* The devices that run the tasks. Default sizes, work budgets and configs depend on them. */
struct task_devices {
	const struct gpu_device_info *info;  /* NULL: an emulator, for a trace */
	const struct gpu_device_info *other; /* parity's second device; NULL = none */
	struct kernel_shape shape;           /* of the configs */
};

/* Number of the problems of a family: those of --like, the sizes of --size, or the default size. */
size_t tasks_problem_count(const struct job *job, const struct family *family);

/* Appends the peers of a target, then each variant and each point of a sweep. index: number of the
 * problem. */
enum pmpp_status tasks_add_ladder(const struct job *job, const struct task_devices *devices,
	const struct target *target, size_t index, struct task_list *tasks,
	struct pmpp_error *error);

/* Appends one point of a sweep of one variant: a task for every check size, with every choice of
 * type, operation and data. A point that cannot run gives one task with the reason. */
enum pmpp_status tasks_add_checks(const struct job *job, const struct task_devices *devices,
	const struct family *family, const struct tuned_config *point, struct task_list *tasks,
	struct pmpp_error *error);

#define FIT_NOTE_BYTES 300

/* Reduces the problem until all tasks fit in free memory. suites: those that run the tasks: one, or
 * two for parity; NULL = none. Returns true if the problem changed; the
 * note then has both sizes. If no smaller problem fits, the problem is unchanged. */
bool fit_problem(const struct suite *const suites[2], const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES]);

#endif
