/* Rows that check the ICD loader and the OpenCL implementations of a test. */
#ifndef PMPP_TESTS_SUPPORT_LOADER_H
#define PMPP_TESTS_SUPPORT_LOADER_H

#include "tests/support/test.h"

/*
 * Adds rows that fail unless the process uses the loader and the implementations that these
 * variables name (tests/support/implementations.py sets them). Without the variables no row is
 * added.
 *
 *   PMPP_TEST_LOADER           ocl-icd or khronos: the loader that handles OpenCL calls
 *   PMPP_TEST_IMPLEMENTATIONS  words of engine_list(), separated by commas: each has a device
 */
void loader_add_rows(void);

#endif
