/*
 * Engines: ways to execute a job's kernels. `devices` uses the devices of this machine through
 * their drivers. Other engines replace the devices and add checks.
 */
#ifndef PMPP_HOST_RUN_ENGINE_H
#define PMPP_HOST_RUN_ENGINE_H

#include "common/family.h"
#include "host/run/device_select.h"
#include "host/suite/suite.h"

/* NULL functions are not called. state: the result of create. */
struct engine {
	const char *name; /* the word of --engine */

	/* The only backend to enumerate. NULL: --backend and --device choose. */
	const char *backend;

	bool unguarded; /* the engine checks the bounds of operands itself: no guards */
	bool reopens;   /* suites are closed and opened again for each group of tasks */
	bool renews;    /* after a report a new process continues: a job needs worker processes */

	/* Before the worker starts. PMPP_UNAVAILABLE with what to install. */
	enum pmpp_status (*create)(void **ret_state, struct pmpp_error *error);
	void (*destroy)(void *state);

	/* In the worker, before its first driver call. sharded: other processes use the other
	 * cores. */
	void (*set_environment)(const void *state, bool sharded);

	/* PMPP_UNAVAILABLE if the device does not belong to the engine, or info is NULL. */
	enum pmpp_status (*check_device)(
		const void *state, const struct gpu_device_info *info, struct pmpp_error *error);

	/* Before suites are opened for a group of this variant. ret_note: the checks that are left
	 * out for this variant, with the reason; "" = none. */
	void (*begin_group)(const struct variant *variant, char *ret_note, size_t size);

	/* Keeps some of a variant's check sizes; returns their number. */
	size_t (*choose_sizes)(const struct config *config, const struct problem *problem,
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count);

	/* Makes the outcome of the last run fail if the engine reported a defect in it. Returns
	 * true in that case. */
	bool (*judge)(const void *state, struct outcome *outcome);
};

/* In the order of the words of --engine; the first is the default. */
extern const struct engine *const engines[];

/* Names of the engines, ended by NULL: the words of --engine. */
extern const char *const engine_words[];

#endif
