#include "host/run/fleet_seat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/model/fleet.h"
#include "host/run/guard.h"
#include "host/suite/suite.h"

/* Longest wait for the list of devices: a driver that needs longer hangs. */
#define PROBE_LIMIT_S 120
/* A process that has not ended this long after SIGKILL waits in its driver. */
#define KILL_LIMIT_S 10
#define PROBE_BYTES ((size_t)64 << 10)
#define ID_BYTES 17

/* ---- Devices of this rank ------------------------------------------------------------------ */

/* Keys of devices without a UUID and a PCI address: devices on the cores of the host share one key;
 * other devices have their label. */
#define HOST_KEY "host"
#define LABEL_KEY "label:"

/* A line: key of the physical device, --device, name; separated by tabs. Names have no control
 * characters (common/clean_text.h). */
static void put_line(FILE *out, const struct gpu_device_info *info)
{
	char label[32];

	device_label(info, label, sizeof label);
	/* A label is not an identity: another rank may see another device with this label. */
	if (info->uuid[0])
		fprintf(out, "uuid:%s\tuuid:%s", info->uuid, info->uuid);
	else if (info->pci[0])
		fprintf(out, "pci:%s\tpci:%s", info->pci, info->pci);
	else if (info->type == GPU_TYPE_CPU || info->type == GPU_TYPE_EMULATED)
		fprintf(out, HOST_KEY "\t%s", label);
	else
		fprintf(out, LABEL_KEY "%s\t%s", label, label);
	fprintf(out, "\t%s\n", info->name);
}

/* In the forked process: the lines of the devices, or "!" and a message. */
static _Noreturn void list_devices(const struct device_query *query, int fd)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct inventory inventory = {0};
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;
	unsigned backends = 0;
	FILE *out = fdopen(fd, "w");

	if (!out)
		_exit(1);
	suite_set_environment();
	enum pmpp_status status = device_query_backends(query, &backends, &error);
	if (status == PMPP_OK)
		status = inventory_take(backends, &inventory, &error);
	if (status == PMPP_OK)
		status = device_select_each(query, &inventory, &devices, &count, &error);
	if (status != PMPP_OK)
		fprintf(out, "!%s\n", error.message);
	for (size_t i = 0; i < count && i < FLEET_MAX_DEVICES; i++)
		put_line(out, devices[i]);
	fflush(out);
	_exit(0);
}

/* Reads until the end of the pipe. A text that does not fit is cut. */
static void read_all(int fd, char *text, size_t size)
{
	struct pollfd source = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used + 1 < size && poll(&source, 1, PROBE_LIMIT_S * 1000) > 0) {
		ssize_t got = read(fd, text + used, size - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
}

/* Sets text to the lines of list_devices(). No driver is called in this process. */
static void probe_devices(const struct device_query *query, char *text, size_t size)
{
	int ends[2];
	pid_t probe = -1;

	*text = '\0';
	if (pipe(ends) == 0) {
		fflush(NULL);
		probe = fork();
		if (probe == 0) {
			close(ends[0]);
			list_devices(query, ends[1]);
		}
		close(ends[1]);
		if (probe > 0)
			read_all(ends[0], text, size);
		close(ends[0]);
	}
	if (probe > 0 && guard_end(probe, 1, KILL_LIMIT_S))
		waitpid(probe, NULL, 0);
	if (!*text)
		snprintf(text, size,
			"!the devices cannot be listed: a driver crashed or hangs; "
			"see pmpp-run doctor\n");
}

/* ---- Messages of the ranks ----------------------------------------------------------------- */

static void make_id(char ret_id[ID_BYTES])
{
	unsigned char bytes[(ID_BYTES - 1) / 2] = {0};

	if (getentropy(bytes, sizeof bytes) != 0)
		memset(bytes, 0, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(ret_id + 2 * i, 3, "%02x", bytes[i]);
}

/* "ID HOST\n" and the lines of the devices. */
static char *make_message(const struct fleet *fleet, const char *id, const char *devices)
{
	char *text = NULL;

	return asprintf(&text, "%s %lld\n%s", id, (long long)fleet->hello.host, devices) < 0 ? NULL
											     : text;
}

/* The ranks of this host, and the keys of their devices. */
struct host_ranks {
	size_t *ranks;            /* owned */
	struct fleet_seat *seats; /* one for each element of ranks; owned */
	size_t count;
	char keys[FLEET_MAX_DEVICES][100];
	size_t key_count;
};

static void host_ranks_finish(struct host_ranks *host)
{
	free(host->ranks);
	free(host->seats);
}

/* The index of the key, which is added if it is new; FLEET_MAX_DEVICES if there is no space. */
static size_t number_of_key(struct host_ranks *host, const char *line)
{
	char key[sizeof host->keys[0]];
	size_t i = 0;

	snprintf(key, sizeof key, "%.*s", (int)strcspn(line, "\t"), line);
	while (i < host->key_count && strcmp(host->keys[i], key) != 0)
		i++;
	if (i == host->key_count && i < FLEET_MAX_DEVICES)
		memcpy(host->keys[host->key_count++], key, sizeof key);
	return i;
}

static void add_rank(struct host_ranks *host, size_t rank, const char *devices)
{
	struct fleet_seat *seat = &host->seats[host->count];

	host->ranks[host->count++] = rank;
	for (const char *line = devices; *line && *line != '!'; line = strchr(line, '\n') + 1) {
		size_t number = number_of_key(host, line);
		if (number == FLEET_MAX_DEVICES || seat->device_count == FLEET_MAX_DEVICES ||
			!strchr(line, '\n'))
			break;
		seat->devices[seat->device_count++] = number;
	}
}

static enum pmpp_status host_ranks_fill(struct host_ranks *host, const struct fleet *fleet,
	const struct fleet_texts *texts, struct pmpp_error *error)
{
	host->ranks = calloc(texts->count, sizeof *host->ranks);
	host->seats = calloc(texts->count, sizeof *host->seats);
	if (!host->ranks || !host->seats)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the ranks");
	for (size_t i = 0; i < texts->count; i++) {
		const char *text = texts->items[i];
		const char *place = text ? strchr(text, ' ') : NULL;
		const char *devices = place ? strchr(place, '\n') : NULL;
		if (devices && strtoll(place, NULL, 10) == fleet->hello.host)
			add_rank(host, i, devices + 1);
	}
	fleet_assign(host->seats, host->count);
	return PMPP_OK;
}

/* ---- Place --------------------------------------------------------------------------------- */

static size_t device_of(const struct fleet_seat *seat)
{
	return seat->devices[seat->choice];
}

/* "ranks 0, 2 share this device: verified, not timed" */
static void describe_sharing(
	const struct host_ranks *host, const struct fleet_seat *mine, char *ret_text, size_t size)
{
	const char *key = host->keys[device_of(mine)];
	bool known = strncmp(key, LABEL_KEY, strlen(LABEL_KEY)) != 0;
	size_t used = (size_t)snprintf(ret_text, size, "ranks");
	const char *separator = " ";

	for (size_t i = 0; i < host->count && used < size / 2; i++) {
		const struct fleet_seat *seat = &host->seats[i];
		if (seat->device_count == 0 || device_of(seat) != device_of(mine))
			continue;
		used += (size_t)snprintf(
			ret_text + used, size - used, "%s%zu", separator, host->ranks[i]);
		separator = ", ";
	}
	snprintf(ret_text + used, size - used, "%s %s: verified, not timed",
		used < size / 2 ? "" : " ...",
		known ? "share this device"
		      : "may share this device, which has no UUID and no PCI address");
}

/* Reads the fields of line `index` of this rank's devices. */
static void read_line(const char *line, size_t index, struct fleet_place *place)
{
	for (; index > 0; index--)
		line = strchr(line, '\n') + 1;
	place->on_host = strncmp(line, HOST_KEY "\t", strlen(HOST_KEY "\t")) == 0;
	const char *spec = strchr(line, '\t') + 1;
	const char *name = strchr(spec, '\t') + 1;
	snprintf(place->spec, sizeof place->spec, "%.*s", (int)strcspn(spec, "\t"), spec);
	snprintf(place->name, sizeof place->name, "%.*s", (int)strcspn(name, "\n"), name);
}

static enum pmpp_status choose_place(const struct fleet *fleet, const struct fleet_texts *texts,
	const char *devices, struct fleet_place *place, struct pmpp_error *error)
{
	struct host_ranks host = {0};
	enum pmpp_status status = host_ranks_fill(&host, fleet, texts, error);

	for (size_t i = 0; i < host.count && status == PMPP_OK; i++) {
		const struct fleet_seat *seat = &host.seats[i];
		if (host.ranks[i] != (size_t)fleet->hello.rank)
			continue;
		if (seat->device_count == 0)
			status = PMPP_FAIL(error, PMPP_UNAVAILABLE, "%.*s",
				(int)strcspn(devices + 1, "\n"), devices + 1);
		else
			read_line(devices, seat->choice, place);
		if (seat->rank_count > 1)
			describe_sharing(&host, seat, place->untimed, sizeof place->untimed);
	}
	host_ranks_finish(&host);
	return status;
}

enum pmpp_status fleet_take_place(struct fleet *fleet, const struct device_query *query,
	struct fleet_place *ret_place, struct pmpp_error *error)
{
	struct fleet_place place = {.spec = ""};
	struct fleet_texts texts = {0}, ready = {0};
	struct pmpp_error later = PMPP_ERROR_INIT;
	char id[ID_BYTES];
	char *devices = malloc(PROBE_BYTES);
	char *message = NULL;

	make_id(id);
	if (devices) {
		probe_devices(query, devices, PROBE_BYTES);
		message = make_message(fleet, id, devices);
	}
	enum pmpp_status status =
		message ? fleet_exchange(fleet, message, &texts, error)
			: PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	/* The id of the fleet is that of the lowest rank that has not ended. */
	for (size_t i = 0; i < texts.count; i++)
		if (texts.items[i]) {
			snprintf(id, sizeof id, "%.16s", texts.items[i]);
			break;
		}
	if (status == PMPP_OK) {
		if (fleet_join(fleet, id, &later) != PMPP_OK)
			snprintf(place.warning, sizeof place.warning,
				"%s. If MPI ends early, this rank is missing in the summary",
				later.message);
		pmpp_error_clear(&later);
		status = fleet_exchange(fleet, "", &ready, error);
	}
	if (status == PMPP_OK)
		status = choose_place(fleet, &texts, devices, &place, error);
	if (status == PMPP_OK)
		*ret_place = place;
	pmpp_error_clear(&later);
	fleet_texts_finish(&texts);
	fleet_texts_finish(&ready);
	free(message);
	free(devices);
	return status;
}
