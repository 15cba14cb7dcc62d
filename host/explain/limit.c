#include "common/number_text.h"
#include "host/explain/internal.h"

#include <math.h>
#include <stdio.h>

/* ---- Intensities --------------------------------------------------------------------------- */

/* NAN: a kernel of the user. */
static double issued_bytes(const struct explanation *explanation, const struct problem *problem)
{
	return explanation->own_kernel ? NAN : config_bytes_issued(&explanation->config, problem);
}

/* Whether all traced blocks were watched to their end. */
static bool has_totals(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.unwatched_steps > 0)
			return false;
	return !explain_no_trace(explanation);
}

void explain_intensities(struct explanation *explanation)
{
	const struct problem *problem = &explanation->problem;
	double flops = explanation->own_kernel ? problem_flops(problem)
					       : config_flops(&explanation->config, problem);

	struct intensity_record *intensity = &explanation->record.intensity;

	*intensity = (struct intensity_record){.record = {.present = true},
		.compulsory = flops / problem_bytes_compulsory(problem),
		.issued = flops / issued_bytes(explanation, problem),
		.requested = NAN,
		.loads = NAN,
		.moved = NAN};
	if (!has_totals(explanation))
		return;
	intensity->requested = flops / explain_sum(explanation, TRACE_COUNT(bytes_requested),
					       TRACE_GLOBAL, TRACE_ALL_KINDS);
	intensity->loads = flops / explain_sum(explanation, TRACE_COUNT(bytes_requested),
					   TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD));
	intensity->moved = flops / (explain_sum(explanation, TRACE_COUNT(sectors), TRACE_GLOBAL,
					    TRACE_ALL_KINDS) *
					   explanation->model->sector_bytes);
}

/* ---- The limit ----------------------------------------------------------------------------- */

static void set_measured_limit(struct explanation *explanation)
{
	const struct result_row *row = &explanation->outcome.row;
	char text[120], size[160], time[32];

	problem_text(&explanation->measured_problem, size, sizeof size);
	format_ns(result_row_median_ns(row), time, sizeof time);
	floors_text(&explanation->outcome.floors, text, sizeof text);
	explanation->record.limited_by = row->derived.limited_by;
	text_format(&explanation->record.limit_text, "floors at %s on %s: %s; measured %s", size,
		explanation->device.name, text, time);
}

/* Predicts the limit at the default size of `run` on a GPU. */
static void set_predicted_limit(struct explanation *explanation)
{
	const struct launch_explanation *launch = explain_main_launch(explanation);
	struct problem problem = explanation->problem;
	const struct explain_target *target = &explanation->target;
	char size[160], where[250], text[480];
	struct plan plan;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config_plan(&explanation->config, &problem, &plan);
	problem_text(&problem, size, sizeof size);
	snprintf(where, sizeof where, "%s on %s%s", size, target->hardware.name,
		target->roofs_measured ? "" : " (for reference)");
	const struct roofline_work work = {.floor = config_traffic(&explanation->config, &problem),
		.threads = explain_max_threads(&plan),
		.resident_threads =
			launch->occupancy_known ? (double)launch->occupancy.threads : NAN,
		.one_each =
			target->has_unit ? (double)(target->unit.simds * target->unit.lanes) : NAN,
		.unit = target->has_unit ? target->unit.unit : "multiprocessor",
		.where = where};

	explanation->record.limited_by =
		(int)roofline_limit(&target->hardware, &work, text, sizeof text);
	text_set_known(&explanation->record.limit_text, text);
}

void explain_limit(struct explanation *explanation)
{
	struct explanation_record *record = &explanation->record;
	const struct check_record *contention = &record->checklist.items[CHECK_PRIVATISATION];

	record->limited_by = LIMITED_BY_UNKNOWN;
	if (explanation->own_kernel) {
		text_set(&record->limit_text, "there is no model of the work of your kernel");
		return;
	}
	if (explanation->measured &&
		explanation->outcome.row.derived.limited_by != LIMITED_BY_UNKNOWN &&
		explain_on_device(explanation)) {
		set_measured_limit(explanation);
		return;
	}
	if (contention->state == CHECK_OPEN) {
		/* Atomic operations on one address run one after the other, far below every roof. */
		record->limited_by = LIMITED_BY_LATENCY;
		text_set_known(&record->limit_text, contention->text);
	} else if (explain_has_roofs(explanation)) {
		set_predicted_limit(explanation);
	}
	record->limit_predicted = record->limit_text != NULL;
}
