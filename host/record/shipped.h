/*
 * Devices that ship with the program: result files of one folder. The name of a device is the name
 * of its file without ".json".
 */
#ifndef PMPP_HOST_RECORD_SHIPPED_H
#define PMPP_HOST_RECORD_SHIPPED_H

#include "host/record/record.h"

/* Names another folder. */
#define SHIPPED_VARIABLE "PMPP_DEVICES_DIR"

/* Zero-initialise. */
struct shipped_list {
	char *folder;           /* owned */
	struct text_list names; /* sorted; owned */
};

/* Finds the folder: SHIPPED_VARIABLE, else beside the installed program, else in the source tree if
 * the program lies in its build folder. Files whose name has other characters than ASCII letters,
 * digits, '.', '_' and '-' are left out. PMPP_USAGE: there is no such folder, or it cannot be read;
 * the message names the folders. */
enum pmpp_status shipped_find(struct shipped_list *ret_list, struct pmpp_error *error);
void shipped_finish(struct shipped_list *list);

/* Path of a device's file; malloc'ed, NULL for lack of memory. */
char *shipped_path(const struct shipped_list *list, const char *name);

/* Parses the value of --with: names separated by commas, or "all". Each name is added once.
 * PMPP_USAGE for an unknown name lists the names. */
enum pmpp_status shipped_choose(const struct shipped_list *list, const char *with,
	struct text_list *ret_names, struct pmpp_error *error);

/* "h100, h200"; "" if there is no folder, or no file. malloc'ed; NULL for lack of memory. */
char *shipped_names_text(void);

#endif
