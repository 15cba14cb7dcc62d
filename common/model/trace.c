#include "common/model/trace.h"

#include <math.h>
#include <stdlib.h>

const char *trace_space_name(enum trace_space space)
{
	static const char *const names[] = {[TRACE_GLOBAL] = "global", [TRACE_SHARED] = "shared"};

	return names[space];
}

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const names[] = {
		[TRACE_LOAD] = "load", [TRACE_STORE] = "store", [TRACE_ATOMIC] = "atomic"};

	return names[kind];
}

const char *trace_defect_name(enum trace_defect_kind kind)
{
	static const char *const names[] = {[TRACE_NO_DEFECT] = "none",
		[TRACE_RACE] = "race",
		[TRACE_OUT_OF_BOUNDS] = "out-of-bounds",
		[TRACE_UNINITIALISED] = "uninitialised",
		[TRACE_BARRIER] = "barrier",
		[TRACE_DEADLOCK] = "deadlock",
		[TRACE_FAULT] = "fault",
		[TRACE_RUNAWAY] = "runaway"};

	return names[kind];
}

void trace_finish(struct trace *trace)
{
	free(trace->accesses);
	free(trace->lines);
	free(trace->branches);
	*trace = (struct trace){0};
}

double trace_estimate(const struct trace *trace, uint64_t count)
{
	if (!trace->estimated || trace->sampled_blocks == 0)
		return (double)count;
	return (double)count * (double)trace->total_blocks / (double)trace->sampled_blocks;
}

uint64_t trace_bytes_requested(
	const struct trace *trace, enum trace_space space, enum trace_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->access_count; i++)
		if (trace->accesses[i].space == space && trace->accesses[i].kind == kind)
			bytes += trace->accesses[i].bytes_requested;
	return bytes;
}

uint64_t trace_bytes_moved(const struct trace *trace, enum trace_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->access_count; i++)
		if (trace->accesses[i].kind == kind)
			bytes += trace->accesses[i].sectors * SECTOR_BYTES;
	return bytes;
}

double trace_simt_efficiency(const struct trace *trace)
{
	uint64_t executions = 0;
	uint64_t lanes = 0;

	for (size_t i = 0; i < trace->line_count; i++) {
		executions += trace->lines[i].warp_executions;
		lanes += trace->lines[i].lanes;
	}
	return executions ? (double)lanes / ((double)executions * WARP_THREADS) : NAN;
}
