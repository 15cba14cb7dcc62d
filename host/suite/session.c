#include "host/suite/session.h"

#include "host/suite/derive.h"
#include "host/suite/variant.h"

enum pmpp_status session_prepare_timing(struct suite *suite, const struct family *family,
	char *ret_untimed, size_t size, struct pmpp_error *error)
{
	enum pmpp_status status = bench_calibrate(&suite->bench, suite->options.math, error);

	if (status == PMPP_OK && !family->internal)
		status = device_roofs_get(
			&suite->roofs, &suite->bench, &suite->options, false, error);
	return variant_absorb_calibration(status, ret_untimed, size, error);
}

void session_derive(const struct suite *suite, struct outcome *outcome)
{
	const struct gpu_device_info *info = &suite->bench.device->info;
	const struct timer_record *timer = &suite->bench.calibrator.timer;

	if (!outcome->row.timing.record.present || outcome->row.status != OUTCOME_OK)
		return;
	if (derive_suspect(outcome, info, &suite->roofs.roofs, timer)) {
		bench_drop_times(outcome); /* only rows that passed have times */
		outcome_leave_untimed(outcome, "the time is too short");
		return;
	}
	derive_figures(outcome, info, &suite->roofs.roofs, timer);
}
