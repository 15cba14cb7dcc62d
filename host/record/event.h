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

/* A row of a group, before it runs. */
struct group_row {
	struct record record;
	char *label, *technique;
};

struct group_row_list {
	struct group_row *items;
	size_t count;
};

/* Rows of one family, problem and device (for parity: two devices). */
struct group_record {
	struct record record;
	int64_t number;
	int action; /* enum group_action */
	char *family;
	char *problem;                       /* "m=n=k=512" */
	char *choices;                       /* "f32", "i32 max" */
	char *device, *device_name, *driver; /* label, name, driver */
	char *platform;                      /* of OpenCL; NULL = another backend */
	char *other;       /* parity: label and name of the second device; NULL: no parity */
	bool gpu;          /* the device is a GPU: claims apply */
	bool peers;        /* the rows are compared with libraries */
	bool results_only; /* parity: the sides are different devices, so there are no times */
	struct group_row_list rows;
};

struct event {
	struct record record;
	int kind;     /* enum event_kind */
	int64_t task; /* number of the task; -1 = none */
	char *label;
	char *text;
	int64_t position, total; /* of a started task in the job, from 1; 0 = unknown */
	bool fenced;             /* a task begins with buffers between unmapped pages */
	struct device_record device;
	struct group_record group;
	struct result_row row;
	struct result_list rows;
	struct parity_row parity;
	struct explanation_list explanations;
	struct error_record error;
};

/* Sets the text of an event of the kind EVENT_LOST. Its label must be set. */
void event_set_lost(struct event *event, const char *name, const char *reason);

extern const struct record_type event_type, group_type, group_row_type;

#endif
