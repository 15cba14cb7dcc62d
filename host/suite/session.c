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
	derive_figures(outcome, &suite->bench.device->info, &suite->roofs.roofs,
		&suite->bench.calibrator.timer);
}
