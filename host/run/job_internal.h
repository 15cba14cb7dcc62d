/*
 * What the files of a job share: job.c (devices, running), job_tasks.c (what is to be run),
 * job_explain.c and job_prepare.c.
 */
#ifndef PMPP_HOST_RUN_JOB_INTERNAL_H
#define PMPP_HOST_RUN_JOB_INTERNAL_H

#include "host/run/job.h"

struct task {
	struct config config;
	struct problem problem;
	char reason[160]; /* why this point of a sweep cannot be; "" = it can */
	char label[96];
};

struct task_list {
	struct task *items; /* owned */
	size_t count;
};

struct runner {
	const struct job *job;
	const struct event_sink *sink;
	const volatile sig_atomic_t *stop;
	struct pmpp_error *error;
	size_t skip;

	size_t task, group; /* the next ones' numbers */
	struct inventory inventory;
	/* Of what runs the tasks; NULL for explain, which traces. other: parity's CUDA side. */
	const struct gpu_device_info *info, *other_info;
	bool same_device;
	struct suite *suite, *other; /* opened when the first task needs them */
};

/* ---- job.c --------------------------------------------------------------------------------- */

/* Takes the event. */
void job_emit(struct runner *runner, json_t *event);
void job_emit_note(struct runner *runner, const char *message);

/* A suite_progress_fn; context is the runner. */
void job_emit_progress(void *context, const char *text);

/* timed: its roofs and its timer are measured, unless it is emulated. */
enum pmpp_status job_open_suite(struct runner *runner, const struct gpu_device_info *info,
	bool timed, struct suite **ret_suite);

/* Runs the group's tasks from number skip on; takes the list. */
enum pmpp_status job_run_group(struct runner *runner, struct task_list *tasks);

/* ---- job_tasks.c --------------------------------------------------------------------------- */

/* Every variant of a target and every point of a sweep, at the index-th size asked for, or at the
 * default where none is. Adds to *tasks, whose items the caller frees. */
enum pmpp_status job_ladder_tasks(
	struct runner *runner, const struct target *target, size_t index, struct task_list *tasks);

/* Runs a target: its ladder at each size; each variant at every size that is to be checked. */
enum pmpp_status job_run_ladders(struct runner *runner, const struct target *target);
enum pmpp_status job_verify_target(struct runner *runner, const struct target *target);

/* ---- job_explain.c ------------------------------------------------------------------------- */

/* What can be refused of JOB_EXPLAIN before a driver is touched; targets are parsed. */
enum pmpp_status job_explain_check(const struct job *job, struct pmpp_error *error);

/* The whole of JOB_EXPLAIN. runner->inventory has the backends that --backend and --device name;
 * cuda-emu, which traces, is looked for here. */
enum pmpp_status job_explain(struct runner *runner);

#endif
