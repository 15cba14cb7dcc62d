/*
 * A document of `explain` for tests.
 */
#ifndef PMPP_TESTS_EXPLAIN_EXAMPLE_H
#define PMPP_TESTS_EXPLAIN_EXAMPLE_H

#include "host/record/explanation.h"

/* One launch of transpose/tiled with an open item, measured on a GPU. The caller finishes the
 * document with record_finish(). */
struct explain_document explain_example(void);

#endif
