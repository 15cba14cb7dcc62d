/*
 * Inside the worker: the mutants of `selftest` (host/selftest), each verified on one device.
 */
#ifndef PMPP_HOST_RUN_SELFTEST_JOB_H
#define PMPP_HOST_RUN_SELFTEST_JOB_H

#include "host/run/runner.h"
#include "host/selftest/choice.h"

/* No mutant begins later than this after job.begun_ns, and each mutant ends within the other limit.
 * The selftest therefore takes at most two minutes. */
#define SELFTEST_BEGIN_S 100
#define SELFTEST_MUTANT_S 20

/* The mutant and the round of a task. */
const struct mutant *selftest_mutant(int64_t task);
enum selftest_round selftest_round_of(int64_t task);

/* Writes "matmul/naive: zero output". */
#define SELFTEST_LABEL_BYTES 160

/* Sends a row for each chosen mutant of the job's variants, also for those that are not run. */
enum pmpp_status selftest_job(struct runner *runner);

#endif
