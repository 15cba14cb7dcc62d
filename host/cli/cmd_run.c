#include "host/run/collector.h"
#include "host/cli/commands.h"
#include "host/run/worker.h"

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct job job = {0};
	struct collector collector;
	struct pmpp_error interrupted = PMPP_ERROR_INIT;
	enum pmpp_status status = job_prepare(action, options, &job, error);

	if (status == PMPP_OK)
		status = collector_check_outputs(options, error);
	if (status == PMPP_OK)
		status = collector_init(&collector, options, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	const struct event_sink sink = {collector_emit, &collector};
	status = worker_run(&job, &sink, error);
	/* What was finished is kept, whatever ended it. */
	if (status == PMPP_INTERRUPTED)
		pmpp_error_move(&interrupted, error);
	collector_close(&collector);
	if (status == PMPP_OK || status == PMPP_INTERRUPTED) {
		enum pmpp_status written = collector_write_outputs(&collector, error);
		if (written != PMPP_OK)
			status = written;
		else if (status == PMPP_INTERRUPTED)
			pmpp_error_move(error, &interrupted);
		*ret_exit = collector_exit_code(&collector);
	} else if (json_array_size(json_object_get(collector.document, "results")) ||
		   json_array_size(json_object_get(collector.document, "explanations"))) {
		struct pmpp_error ignored = PMPP_ERROR_INIT;
		collector_write_outputs(&collector, &ignored);
		pmpp_error_clear(&ignored);
	}
	pmpp_error_clear(&interrupted);
	collector_finish(&collector);
	job_finish(&job);
	return status;
}

enum pmpp_status cmd_run(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return command_job(JOB_RUN, options, ret_exit, error);
}

enum pmpp_status cmd_verify(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return command_job(JOB_VERIFY, options, ret_exit, error);
}
