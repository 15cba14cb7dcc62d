/*
 * Events: reports of a running job, from the worker process to its parent (docs/architecture.md).
 * All kinds of events have one record type. The comment after each kind lists the members that it
 * uses.
 */
#ifndef PMPP_HOST_RECORD_EVENT_H
#define PMPP_HOST_RECORD_EVENT_H

#include "host/record/explanation.h"
#include "host/record/result.h"

/* name, word in the pipe, members */
#define EVENT_MAP(XX)                                                                              \
	XX(NOTE, "note")               /* text: for the user, on stderr */                         \
	XX(OPEN, "open")               /* label, text: name of a device that is opened next */     \
	XX(DEVICE, "device")           /* label, device: a device was opened */                    \
	XX(LOST, "lost")               /* label, text: why the job continues without a device */   \
	XX(GROUP, "group")             /* group: rows that belong together follow */               \
	XX(PREPARE, "prepare")         /* as START, before the device of the task is opened */     \
	XX(START, "start")             /* task, label, fields known before it runs: row, or one  \
					  explanation; text: host memory that it needs */ \
	XX(PROGRESS, "progress")       /* text: stage of the task in progress */                   \
	XX(RESULT, "result")           /* task, label, row; text: of the driver, or NULL */        \
	XX(PARITY, "parity")           /* task, label, rows (two), parity; text as above */        \
	XX(EXPLANATION, "explanation") /* task, label, explanations of one variant; text */        \
	XX(DRIVER, "driver")           /* text: of the driver, where no row follows */             \
	XX(MISFIT, "misfit")           /* task, row, text, error: too large; of `explain` */       \
	XX(FATAL, "fatal")             /* error: the job has ended */                              \
	XX(DONE, "done")               /* the job is complete */

enum event_kind {
#define XX(name, text) EVENT_##name,
	EVENT_MAP(XX)
#undef XX
	EVENT_KIND_COUNT
};

/* What the worker does with the tasks of a group. */
enum group_action {
	GROUP_RUN,
	GROUP_VERIFY,
	GROUP_PARITY
};

#define RECORDS "host/record/event.def"
#include "common/records.inc"

/* Sets the text of an event of the kind EVENT_LOST. Its label must be set. */
void event_set_lost(struct event *event, const char *name, const char *reason);

#endif
