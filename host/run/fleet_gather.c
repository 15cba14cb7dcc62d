#include "host/run/fleet_gather.h"

#include "host/io/signal_name.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/record/document.h"
#include "host/record/json.h"

#define PATH_BYTES (PATH_MAX + 32)

/* ---- Files of the folder ------------------------------------------------------------------- */

static void path_of(const struct fleet *fleet, int64_t rank, const char *what, char *ret_path)
{
	snprintf(ret_path, PATH_BYTES, "%s/%lld.%s", fleet->folder, (long long)rank, what);
}

static bool exists(const struct fleet *fleet, int64_t rank, const char *what)
{
	char path[PATH_BYTES];

	path_of(fleet, rank, what, path);
	return access(path, F_OK) == 0;
}

/* ---- Reports ------------------------------------------------------------------------------- */

static void describe_end(int wait_status, char *text, size_t size)
{
	if (WIFSIGNALED(wait_status))
		snprintf(text, size, "killed by SIG%s", signal_name(WTERMSIG(wait_status)));
	else
		snprintf(text, size, "ended without a report, exit status %d",
			WEXITSTATUS(wait_status));
}

/* Appends a report: parsed from text, or with the reason in `message` if text is NULL. */
static enum pmpp_status add_report(struct fleet_report_list *list, const char *text,
	const char *message, struct pmpp_error *error)
{
	struct fleet_report *report = record_list_add(&fleet_report_type, list);
	struct fleet_report parsed;

	if (!report)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the ranks");
	report->rank = (int64_t)list->count - 1;
	report->exit_code = -1;
	text_set(&report->message, message);
	if (!text)
		return PMPP_OK;
	if (record_read(&fleet_report_type, text, strlen(text), "report of a rank", &parsed,
		    error) == PMPP_OK) {
		record_finish(&fleet_report_type, report);
		record_move(&fleet_report_type, &parsed, report);
	} else {
		text_set(&report->message, error->message);
		pmpp_error_clear(error);
	}
	return PMPP_OK;
}

/* ---- Through MPI --------------------------------------------------------------------------- */

static enum pmpp_status take_texts(
	const struct fleet_texts *texts, struct fleet_report_list *list, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < texts->count && status == PMPP_OK; i++) {
		char end[100];
		describe_end(fleet_wire_status(texts->lengths[i]), end, sizeof end);
		status = add_report(list, texts->items[i], end, error);
	}
	return status;
}

/* The lowest rank, of this host or of all hosts, that has not ended. -1: none. */
static int64_t first_of(
	const struct fleet *fleet, const struct fleet_texts *texts, bool only_this_host)
{
	for (size_t i = 0; i < texts->count; i++)
		if (texts->lengths[i] >= 0 &&
			(!only_this_host || exists(fleet, (int64_t)i, "lock")))
			return (int64_t)i;
	return -1;
}

/* ---- Through the folder -------------------------------------------------------------------- */

/* Waits for a lock. false: the file is gone, or cannot be locked. */
static bool wait_for_lock(int fd, int type)
{
	struct flock lock = {.l_type = (short)type, .l_whence = SEEK_SET};

	while (fcntl(fd, F_SETLKW, &lock) != 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* Waits until all other ranks of this host have ended. */
static void wait_for_others(const struct fleet *fleet)
{
	char path[PATH_BYTES];

	for (int64_t rank = 0; rank < fleet->hello.ranks; rank++) {
		path_of(fleet, rank, "lock", path);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue; /* a rank of another host, or the folder is gone */
		wait_for_lock(fd, F_RDLCK);
		close(fd);
	}
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t capacity = 0;

	if (file && getdelim(&text, &capacity, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static enum pmpp_status read_reports(
	const struct fleet *fleet, struct fleet_report_list *list, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	char path[PATH_BYTES];

	for (int64_t rank = 0; rank < fleet->hello.ranks && status == PMPP_OK; rank++) {
		bool here = exists(fleet, rank, "lock");
		path_of(fleet, rank, "json", path);
		char *text = read_text(path);
		status = add_report(list, text,
			here ? "killed"
			     : "unknown, because MPI has ended: see the summary of its host",
			error);
		free(text);
	}
	return status;
}

/* Renames the folder, and removes it. Other ranks then find no folder, instead of a folder with a
 * part of the reports. */
static void remove_folder(struct fleet *fleet)
{
	static const char *const files[] = {"lock", "json"};
	char old[PATH_MAX], path[PATH_BYTES];

	memcpy(old, fleet->folder, sizeof old);
	if (snprintf(path, sizeof path, "%s.end", old) >= PATH_MAX || rename(old, path) != 0)
		return;
	memcpy(fleet->folder, path, sizeof fleet->folder);
	for (int64_t rank = 0; rank < fleet->hello.ranks; rank++)
		for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
			path_of(fleet, rank, files[i], path);
			unlink(path);
		}
	snprintf(path, sizeof path, "%s/reader", fleet->folder);
	unlink(path);
	rmdir(fleet->folder);
	fleet->folder[0] = '\0';
}

static bool has_folder(const struct fleet *fleet)
{
	return *fleet->folder && access(fleet->folder, F_OK) == 0;
}

/* Writes the report of this rank, so that other ranks can read it if MPI ends. It is not an error
 * if another rank has already read the reports and removed the folder. */
static enum pmpp_status write_report(
	const struct fleet *fleet, const char *text, struct pmpp_error *error)
{
	char path[PATH_BYTES];

	if (!has_folder(fleet))
		return PMPP_OK;
	path_of(fleet, fleet->hello.rank, "json", path);
	enum pmpp_status status = document_save_text(path, text, error);
	if (status != PMPP_OK && !has_folder(fleet)) {
		pmpp_error_clear(error);
		status = PMPP_OK;
	}
	return status;
}

static enum pmpp_status read_folder_once(struct fleet *fleet, struct fleet_report_list *list,
	bool *ret_prints, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	char path[PATH_BYTES];

	snprintf(path, sizeof path, "%s/reader", fleet->folder);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	/* If the file is missing, another rank has read the reports and removed the folder. */
	if (fd >= 0 && wait_for_lock(fd, F_WRLCK) && access(path, F_OK) == 0) {
		status = read_reports(fleet, list, error);
		*ret_prints = true;
		remove_folder(fleet);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

static enum pmpp_status gather_in_folder(struct fleet *fleet, const char *text,
	struct fleet_report_list *list, bool *ret_prints, struct pmpp_error *error)
{
	struct pmpp_error later = PMPP_ERROR_INIT;

	*ret_prints = false;
	if (!*fleet->folder) /* MPI ended at the start, or there is no folder */
		return PMPP_OK;
	enum pmpp_status status = write_report(fleet, text, error);
	close(fleet->lock);
	fleet->lock = -1;
	wait_for_others(fleet);
	enum pmpp_status read_status = read_folder_once(fleet, list, ret_prints, &later);
	if (status == PMPP_OK && read_status != PMPP_OK) {
		pmpp_error_move(error, &later);
		status = read_status;
	}
	pmpp_error_clear(&later);
	return status;
}

/* ---- Public -------------------------------------------------------------------------------- */

/* The lowest rank of each host removes the folder of the host. This rank still holds its lock:
 * ranks that lost their MPI process wait for the lock before they take the reports. */
static enum pmpp_status gather_through_mpi(struct fleet *fleet, const struct fleet_texts *texts,
	struct fleet_report_list *list, bool *ret_prints, struct pmpp_error *error)
{
	*ret_prints = first_of(fleet, texts, false) == fleet->hello.rank;
	if (*fleet->folder && first_of(fleet, texts, true) == fleet->hello.rank)
		remove_folder(fleet);
	return *ret_prints ? take_texts(texts, list, error) : PMPP_OK;
}

enum pmpp_status fleet_gather(struct fleet *fleet, struct fleet_report *report,
	struct fleet_report_list *ret_reports, bool *ret_prints, struct pmpp_error *error)
{
	struct fleet_report_list list = {0};
	struct fleet_texts texts = {0};
	struct pmpp_error ended = PMPP_ERROR_INIT;
	bool prints = false;
	char *text = NULL;
	enum pmpp_status status =
		record_write(&fleet_report_type, report, RECORD_ONE_LINE, &text, error);

	/* Without a file the report is lost only if MPI ends too. */
	if (status == PMPP_OK && write_report(fleet, text, &ended) != PMPP_OK)
		pmpp_error_clear(&ended);
	if (status == PMPP_OK && fleet_exchange(fleet, text, &texts, &ended) == PMPP_OK) {
		status = gather_through_mpi(fleet, &texts, &list, &prints, error);
	} else if (status == PMPP_OK) {
		free(text);
		text = NULL;
		if (!fleet->noticed && !report->message)
			text_set(&report->message,
				"its MPI process was killed; the job ran to its end");
		status = record_write(&fleet_report_type, report, RECORD_ONE_LINE, &text, error);
		if (status == PMPP_OK)
			status = gather_in_folder(fleet, text, &list, &prints, error);
	}
	pmpp_error_clear(&ended);
	fleet_texts_finish(&texts);
	free(text);
	if (status != PMPP_OK) {
		fleet_report_list_finish(&list);
		return status;
	}
	*ret_reports = list;
	*ret_prints = prints;
	return PMPP_OK;
}
