/*
 * Engines: what runs a job's kernels. `devices` are the devices of this machine through their
 * drivers; other engines stand in for them, with checks of their own.
 */
#ifndef PMPP_HOST_RUN_ENGINE_H
#define PMPP_HOST_RUN_ENGINE_H

#include "host/run/device_select.h"
#include "host/suite/suite.h"

/* A function that is NULL has nothing to do. state: what create made. */
struct engine {
	const char *name; /* the word of --engine */

	/* Its device is the only one: the backend to enumerate. NULL: --backend and --device
	 * choose. */
	const char *backend;

	bool unguarded; /* the engine itself knows the ends of operands: no guards beside them */
	bool reopens;   /* suites are opened anew for each group of tasks */
	bool renews;    /* a report ends the process: a job needs worker processes */

	/* Before the worker starts. PMPP_UNAVAILABLE with what to install. */
	enum pmpp_status (*create)(void **ret_state, struct pmpp_error *error);
	void (*destroy)(void *state);

	/* In the worker, before its first driver call. sharded: other processes use the other
	 * cores. */
	void (*set_environment)(const void *state, bool sharded);

	/* PMPP_UNAVAILABLE where the device is not the engine's, or there is none (NULL). */
	enum pmpp_status (*check_device)(
		const void *state, const struct gpu_device_info *info, struct pmpp_error *error);

	/* Before suites are opened for a group of this variant. ret_note: what the variant is not
	 * checked for, and why; "" = nothing. */
	void (*begin_group)(
		const void *state, const struct variant *variant, char *ret_note, size_t size);

	/* Of a variant's check sizes keeps some, and returns how many. */
	size_t (*choose_sizes)(const struct config *config, const struct problem *problem,
		int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count);

	/* Fails the outcome of what has just run if the engine reports something about it: then
	 * true. */
	bool (*judge)(const void *state, struct outcome *outcome);
};

extern const struct engine engine_devices, engine_oclgrind;

/* In the order of the words of --engine; the first is the default. */
extern const struct engine *const engines[];
extern const size_t engine_count;

/* Names of the engines, ended by NULL: the words of --engine. */
extern const char *const engine_words[];

#endif
