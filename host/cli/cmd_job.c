#include "host/cli/cmd.h"
#include "host/cli/command_fleet.h"
#include "host/cli/command_job.h"
#include "host/cli/write_page.h"

enum pmpp_status cmd_job(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	enum job_action action = options->command->action;
	struct result_document document;
	struct command_task task;

	if (options->fleet)
		return command_fleet(action, options, ret_exit, error);
	enum pmpp_status status = command_task_prepare(action, options, &task, error);

	record_init(&result_document_type, &document);
	if (status == PMPP_OK && options->report)
		status = run_page_check(options, &task.job, error);
	if (status == PMPP_OK)
		status = command_task_run(&task, &document, ret_exit, error);
	if (status == PMPP_OK && options->report)
		status = run_page_write(options, &document, error);
	else if (status == PMPP_INTERRUPTED && options->report && !options->terminal.quiet)
		run_page_put_none(options);
	record_finish(&result_document_type, &document);
	command_task_finish(&task);
	return status;
}
