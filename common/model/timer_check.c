#include "common/model/timer_check.h"

#include <math.h>

#define NEARLY_EQUAL 0.02

void timer_check_add(struct timer_check *check, double device_ns, double host_ns)
{
	double ratio = device_ns / host_ns;

	if (check->batches == 0 || ratio > check->device_to_host) {
		check->device_to_host = ratio;
		check->device_ns = device_ns;
		check->host_ns = host_ns;
	}
	check->batches++;
	check->nearly_equal += fabs(ratio - 1) <= NEARLY_EQUAL;
	check->done = check->batches >= TIMER_CHECK_BATCHES ||
		      (check->nearly_equal >= 2 && check->device_to_host <= 1 + NEARLY_EQUAL);
	check->agrees = fabs(check->device_to_host - 1) <= TIMER_CHECK_TOLERANCE;
}
