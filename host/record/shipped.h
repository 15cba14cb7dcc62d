/*
 * Shipped devices: devices with a result file that ships with the program. All these files are in
 * one folder. The name of a device is the name of its file without ".json".
 */
#ifndef PMPP_HOST_RECORD_SHIPPED_H
#define PMPP_HOST_RECORD_SHIPPED_H

#include "host/record/record.h"

/* Environment variable with the path of another folder. */
#define SHIPPED_VARIABLE "PMPP_DEVICES_DIR"

/* Zero-initialise. */
struct shipped_list {
	char *folder;           /* owned */
	struct text_list names; /* sorted; owned */
};

/* Finds the folder and its files. The folder is the first of: SHIPPED_VARIABLE; the folder of the
 * installation; the folder in the source tree, if the program is in its build folder. Ignores a
 * file if its name has characters other than ASCII letters, digits, '.', '_' and '-'. PMPP_USAGE:
 * there is no such folder, or it cannot be read; the message names the folders. */
enum pmpp_status shipped_find(struct shipped_list *ret_list, struct pmpp_error *error);
void shipped_finish(struct shipped_list *list);

/* Returns the path of the file of a device; malloc'ed, NULL if there is no memory. */
char *shipped_path(const struct shipped_list *list, const char *name);

/* Returns the names as a text like "h100, h200"; "" if there is no folder or no file. malloc'ed;
 * NULL if there is no memory. */
char *shipped_names_text(void);

#endif
