#include "host/run/device_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "common/text.h"
#include "host/record/measurement.h"
#include "host/suite/suite.h"

/* ---- Inventory ------------------------------------------------------------------------------ */

/* The devices of this machine, as all backends list them.
 *
 * inventory_take() calls drivers, and a driver may crash: call it in a worker process. */

static enum pmpp_status add_devices(struct inventory *inventory,
	const struct gpu_device_info *infos, size_t count, struct pmpp_error *error)
{
	if (count == 0)
		return PMPP_OK;
	struct inventory_device *devices =
		realloc(inventory->devices, (inventory->count + count) * sizeof *devices);
	if (!devices)
		return PMPP_NO_MEMORY(error, "the devices");
	inventory->devices = devices;
	for (size_t i = 0; i < count; i++) {
		size_t physical = inventory->physical_count;
		for (size_t j = 0; j < inventory->count; j++)
			if (suite_same_device(&devices[j].info, &infos[i]))
				physical = devices[j].physical;
		inventory->physical_count += physical == inventory->physical_count;
		devices[inventory->count++] = (struct inventory_device){infos[i], physical};
	}
	return PMPP_OK;
}

enum pmpp_status inventory_take(
	unsigned backends, struct inventory *ret_inventory, struct pmpp_error *error)
{
	struct inventory inventory = {.looked = backends};
	enum gpu_backend_id preference[GPU_BACKEND_COUNT];
	enum pmpp_status status = PMPP_OK;

	gpu_backends_by_preference(preference);
	for (size_t i = 0; i < GPU_BACKEND_COUNT && status == PMPP_OK; i++) {
		enum gpu_backend_id id = preference[i];
		struct gpu_device_info *infos = NULL;
		size_t count = 0;
		if (!(backends & BACKEND_BIT(id)))
			continue;
		status = gpu_enumerate(id, &infos, &count, &inventory.states[id], error);
		if (status == PMPP_OK)
			status = add_devices(&inventory, infos, count, error);
		free(infos);
	}
	if (status != PMPP_OK) {
		inventory_finish(&inventory);
		return status;
	}
	*ret_inventory = inventory;
	return PMPP_OK;
}

void inventory_finish(struct inventory *inventory)
{
	free(inventory->devices);
	*inventory = (struct inventory){0};
}

struct device_label device_label(const struct gpu_device_info *info)
{
	struct device_label label;

	snprintf(label.text, sizeof label.text, "%s:%s", gpu_backend_name(info->backend),
		info->index);
	return label;
}

/* The backends whose kernels are in this language. */
static unsigned backends_of(enum gpu_language language)
{
	unsigned mask = 0;

	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
		if (gpu_backend_row(id)->language == language)
			mask |= BACKEND_BIT(id);
	return mask;
}

/* The backends that are used only if the user names them. */
static unsigned backends_on_request(void)
{
	unsigned mask = 0;

	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
		if (gpu_backend_row(id)->on_request)
			mask |= BACKEND_BIT(id);
	return mask;
}

/* ---- Query --------------------------------------------------------------------------------- */

static bool uses_each_backend(const struct device_query *query)
{
	return query->rule == DEVICE_RULE_EACH_BACKEND || device_word_is_all(query->backend);
}

/* The backend of "cuda:0"; false for anything else. */
static bool backend_of_label(
	const char *device, enum gpu_backend_id *ret_id, const char **ret_index)
{
	const char *colon = device ? strchr(device, ':') : NULL;
	char name[32];

	if (!colon || (size_t)(colon - device) >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)(colon - device), device);
	*ret_index = colon + 1;
	return gpu_backend_find(name, ret_id) && *ret_id < GPU_BACKEND_COUNT;
}

static enum pmpp_status find_backend(
	const char *name, const char *from, enum gpu_backend_id *ret_id, struct pmpp_error *error)
{
	const char *names[GPU_BACKEND_COUNT + 1];
	char hint[NAMES_TEXT_BYTES];
	enum gpu_backend_id id;

	if (gpu_backend_find(name, &id) && id < GPU_BACKEND_COUNT) {
		*ret_id = id;
		return PMPP_OK;
	}
	for (id = 0; id < GPU_BACKEND_COUNT; id++)
		names[id] = gpu_backend_name(id);
	names[GPU_BACKEND_COUNT] = "all";
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s=%s: unknown backend%s: use one of " GPU_BACKEND_WORDS "all", from, name,
		nearest_hint(name, names, ARRAY_COUNT(names), hint));
}

/* WORD:VALUE is an address: WORD must be a backend, uuid or pci. Other texts with a colon are parts
 * of device names. */
static enum pmpp_status check_address(
	const char *device, const char *from, struct pmpp_error *error)
{
	static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_";
	const char *names[GPU_BACKEND_COUNT + 2] = {"uuid", "pci"};
	size_t length = device ? strspn(device, word_letters) : 0;
	char word[32], hint[NAMES_TEXT_BYTES];

	if (length == 0 || device[length] != ':' || !device[length + 1] ||
		strchr(device + length, ' '))
		return PMPP_OK;
	snprintf(word, sizeof word, "%.*s", (int)length, device);
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
		names[2 + id] = gpu_backend_name(id);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0)
			return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s=%s: unknown backend '%s'%s: write one of " GPU_BACKEND_WORDS
		"uuid, pci before the colon",
		from, device, word, nearest_hint(word, names, ARRAY_COUNT(names), hint));
}

/* Removes the backends of other languages. PMPP_USAGE: the user named one of them. */
static enum pmpp_status restrict_to_language(
	const struct device_query *query, unsigned *backends, struct pmpp_error *error)
{
	if (!query->one_language)
		return PMPP_OK;
	*backends &= backends_of(query->language);
	if (*backends)
		return PMPP_OK;
	bool by_backend = query->backend && !device_word_is_all(query->backend);
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s=%s has no %s kernels: name another backend, or none",
		by_backend ? query->backend_from : query->device_from,
		by_backend ? query->backend : query->device,
		query->language == GPU_LANGUAGE_CUDA_C ? "CUDA" : "OpenCL");
}

enum pmpp_status device_query_backends(
	const struct device_query *query, unsigned *ret_backends, struct pmpp_error *error)
{
	enum gpu_backend_id backend = GPU_BACKEND_COUNT;
	enum gpu_backend_id labelled = GPU_BACKEND_COUNT;
	const char *index;
	enum pmpp_status status = PMPP_OK;

	if (query->backend && !device_word_is_all(query->backend))
		status = find_backend(query->backend, query->backend_from, &backend, error);
	if (status == PMPP_OK)
		status = check_address(query->device, query->device_from, error);
	if (status != PMPP_OK)
		return status;
	if (backend_of_label(query->device, &labelled, &index)) {
		if (backend != GPU_BACKEND_COUNT && backend != labelled)
			return PMPP_FAIL(error, PMPP_USAGE, "%s=%s and %s=%s contradict each other",
				query->backend_from, query->backend, query->device_from,
				query->device);
		backend = labelled;
	}
	*ret_backends = backend == GPU_BACKEND_COUNT ? EVERY_BACKEND : BACKEND_BIT(backend);
	/* The search for the compiler of such a backend takes time, and the default never uses it.
	 */
	if (query->rule != DEVICE_RULE_EACH_BACKEND && !query->backend && !query->device)
		*ret_backends &= ~backends_on_request();
	return restrict_to_language(query, ret_backends, error);
}

/* ---- Matching ------------------------------------------------------------------------------ */

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* Whether the value of --device matches this device. position: its index in the inventory.
 * one_backend: the inventory has one backend, so a number is a position, and the backend's own
 * index ("1.0") matches too. Otherwise a number counts physical devices. */
static bool device_matches(
	const struct inventory_device *device, const char *spec, size_t position, bool one_backend)
{
	const struct gpu_device_info *info = &device->info;
	enum gpu_backend_id id;
	const char *index;

	if (device_word_is_all(spec))
		return true;
	if (strcmp(spec, "gpu") == 0)
		return info->type == GPU_TYPE_GPU;
	if (strcmp(spec, "cpu") == 0)
		return info->type == GPU_TYPE_CPU;
	if (strncmp(spec, "uuid:", 5) == 0)
		return info->uuid[0] && strcasecmp(info->uuid, spec + 5) == 0;
	if (strncmp(spec, "pci:", 4) == 0)
		return info->pci[0] && strcasecmp(info->pci, spec + 4) == 0;
	if (backend_of_label(spec, &id, &index))
		return info->backend == id && strcmp(info->index, index) == 0;
	if (is_number(spec))
		return (one_backend ? position : device->physical) == strtoul(spec, NULL, 10);
	return (one_backend && strcmp(info->index, spec) == 0) ||
	       strcasestr(info->name, spec) != NULL || strcasestr(info->platform, spec) != NULL;
}

/* Whether the word selects the first device of a type: several matches are then not ambiguous. */
static bool takes_first(const char *spec)
{
	return strcmp(spec, "gpu") == 0 || strcmp(spec, "cpu") == 0;
}

struct matches {
	bool *match; /* one for each of inventory->devices; owned */
	size_t count;
	bool ambiguous; /* several physical devices */
};

/* Names of CPUs have the word "Intel", and so has a platform. If several devices match a text, and one
 * of them has it in the name of its platform, that device is meant. */
static void prefer_platform(
	const char *spec, const struct inventory *inventory, struct matches *matches)
{
	const struct inventory_device *devices = inventory->devices;
	size_t found = inventory->count;

	for (size_t i = 0; i < inventory->count; i++) {
		if (!matches->match[i] || !strcasestr(devices[i].info.platform, spec))
			continue;
		if (found < i && devices[i].physical != devices[found].physical)
			return;
		found = i;
	}
	for (size_t i = 0; i < inventory->count && found < inventory->count; i++)
		matches->match[i] &= devices[i].physical == devices[found].physical;
	matches->ambiguous = found == inventory->count;
}

static enum pmpp_status find_matches(const struct device_query *query,
	const struct inventory *inventory, struct matches *ret_matches, struct pmpp_error *error)
{
	struct matches matches = {0};
	size_t first = inventory->count;
	bool in_backend = query->backend && !device_word_is_all(query->backend);

	matches.match = calloc(inventory->count + 1, sizeof *matches.match);
	if (!matches.match)
		return PMPP_NO_MEMORY(error, "the devices");
	for (size_t i = 0; i < inventory->count; i++) {
		const struct inventory_device *device = &inventory->devices[i];
		if (query->device && !device_matches(device, query->device, i, in_backend))
			continue;
		if (query->on_host && device->info.type != GPU_TYPE_CPU &&
			device->info.type != GPU_TYPE_EMULATED)
			continue;
		if (first == inventory->count)
			first = i;
		matches.ambiguous |= device->physical != inventory->devices[first].physical;
		matches.match[i] = true;
		matches.count++;
	}
	if (matches.ambiguous && query->device && !device_word_is_all(query->device) &&
		!takes_first(query->device))
		prefer_platform(query->device, inventory, &matches);
	*ret_matches = matches;
	return PMPP_OK;
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void list_devices(
	const struct inventory *inventory, const bool *match, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		char title[DEVICE_TITLE_BYTES];
		if (match && !match[i])
			continue;
		device_title(info->name, info->platform, title, sizeof title);
		text_append(
			text, size, "%s%s %s", *text ? "; " : "", device_label(info).text, title);
	}
}

static void list_reasons(const struct inventory *inventory, char *text, size_t size)
{
	enum gpu_backend_id preference[GPU_BACKEND_COUNT];

	*text = '\0';
	gpu_backends_by_preference(preference);
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		const struct gpu_backend_state *state = &inventory->states[preference[i]];
		if ((inventory->looked & BACKEND_BIT(preference[i])) && !state->usable)
			text_append(text, size, "%s%s: %s", *text ? "; " : "",
				gpu_backend_name(preference[i]), state->reason);
	}
}

static enum pmpp_status nothing_found(const struct device_query *query,
	const struct inventory *inventory, struct pmpp_error *error)
{
	char devices[400];
	char reasons[600];

	list_devices(inventory, NULL, devices, sizeof devices);
	list_reasons(inventory, reasons, sizeof reasons);
	if (query->device && inventory->count)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "no device '%s' among: %s", query->device,
			devices);
	/* Times of an emulator are not performance: it does not replace the device of `run`. */
	bool can_verify = (inventory->looked & BACKEND_BIT(GPU_BACKEND_CUDA)) &&
			  (!(inventory->looked & BACKEND_BIT(GPU_BACKEND_CUDA_EMU)) ||
				  inventory->states[GPU_BACKEND_CUDA_EMU].usable);
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s%s%s",
		inventory->count ? "no GPU and no OpenCL CPU; " : "", reasons,
		can_verify ? "; verify and explain need no GPU: use --backend=cuda-emu there" : "");
}

static enum pmpp_status ambiguous(const struct device_query *query,
	const struct inventory *inventory, const bool *match, struct pmpp_error *error)
{
	char devices[400];

	list_devices(inventory, match, devices, sizeof devices);
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s=%s is ambiguous: %s", query->device_from,
		query->device, devices);
}

/* ---- Choosing ------------------------------------------------------------------------------ */

/* The first match of the type, or of any type for GPU_TYPE_OTHER; inventory->count: none. The
 * inventory is in the order of preference. */
static size_t first_of(const struct inventory *inventory, const bool *match, unsigned backends,
	enum gpu_device_type type)
{
	size_t i = 0;

	for (; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (match[i] && (backends & BACKEND_BIT(info->backend)) &&
			(type == GPU_TYPE_OTHER || info->type == type))
			break;
	}
	return i;
}

static size_t best_of(const struct inventory *inventory, const bool *match, unsigned backends)
{
	static const enum gpu_device_type types[] = {GPU_TYPE_GPU, GPU_TYPE_CPU, GPU_TYPE_OTHER};
	size_t best = inventory->count;

	for (size_t i = 0; i < ARRAY_COUNT(types) && best == inventory->count; i++)
		best = first_of(inventory, match, backends, types[i]);
	return best;
}

/* Whether an earlier view of the same physical device is among the matches. match NULL: all views match.
 * same_backend: of the same backend. */
static bool has_earlier_view(
	const struct inventory *inventory, const bool *match, size_t view, bool same_backend)
{
	const struct inventory_device *devices = inventory->devices;

	for (size_t i = 0; i < view; i++)
		if ((!match || match[i]) && devices[i].physical == devices[view].physical &&
			(!same_backend || devices[i].info.backend == devices[view].info.backend))
			return true;
	return false;
}

/* What device_select() selects of the matches. */
enum selection {
	SELECT_BEST,
	SELECT_BEST_OF_BACKENDS,
	SELECT_VIEWS,     /* of the best device, one for each backend */
	SELECT_TYPE,      /* the preferred view of each device of the type of the best one */
	SELECT_DEVICES,   /* the preferred view of each device */
	SELECT_ALL_VIEWS, /* all views of all devices */
};

static enum selection selection_of(const struct device_query *query, bool for_ranks)
{
	if (!for_ranks && query->rule == DEVICE_RULE_EVERY_VIEW)
		return SELECT_VIEWS;
	if (device_word_is_all(query->device))
		return for_ranks || !uses_each_backend(query) ? SELECT_DEVICES : SELECT_ALL_VIEWS;
	if (for_ranks)
		return SELECT_TYPE;
	return uses_each_backend(query) ? SELECT_BEST_OF_BACKENDS : SELECT_BEST;
}

/* Emulators are not devices of the host: they are selected only if the user named them, or if all
 * backends are used. */
static unsigned backends_to_select(const struct device_query *query, enum selection selection)
{
	bool by_device = query->device && selection != SELECT_DEVICES && selection != SELECT_VIEWS;
	bool every = selection == SELECT_ALL_VIEWS || selection == SELECT_BEST_OF_BACKENDS;

	return EVERY_BACKEND & ~(query->backend || by_device || every ? 0 : backends_on_request());
}

/* best: index of the best match */
static bool is_selected(enum selection selection, const struct inventory *inventory,
	const bool *match, size_t best, size_t view)
{
	const struct inventory_device *devices = inventory->devices;
	unsigned own = BACKEND_BIT(devices[view].info.backend);

	switch (selection) {
	case SELECT_BEST:
		return view == best;
	case SELECT_BEST_OF_BACKENDS:
		return view == best_of(inventory, match, own);
	case SELECT_VIEWS:
		return devices[view].physical == devices[best].physical &&
		       !has_earlier_view(inventory, NULL, view, true);
	case SELECT_TYPE:
		return devices[view].info.type == devices[best].info.type &&
		       !has_earlier_view(inventory, match, view, false);
	case SELECT_DEVICES:
		return !has_earlier_view(inventory, match, view, false);
	case SELECT_ALL_VIEWS:
		break;
	}
	return true;
}

static size_t choose(const struct device_query *query, enum selection selection,
	const struct inventory *inventory, const bool *match, const struct gpu_device_info **chosen)
{
	unsigned backends = backends_to_select(query, selection);
	size_t best = best_of(inventory, match, backends);
	size_t count = 0;

	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (match[i] && (backends & BACKEND_BIT(info->backend)) &&
			is_selected(selection, inventory, match, best, i))
			chosen[count++] = info;
	}
	return count;
}

enum pmpp_status device_select(const struct device_query *query, bool for_ranks,
	const struct inventory *inventory, const struct gpu_device_info ***ret_devices,
	size_t *ret_count, struct pmpp_error *error)
{
	bool several = for_ranks || device_word_is_all(query->device) ||
		       (query->device && takes_first(query->device));
	struct matches matches = {0};
	const struct gpu_device_info **chosen = calloc(inventory->count + 1, sizeof *chosen);
	size_t count = 0;
	enum pmpp_status status = chosen ? find_matches(query, inventory, &matches, error)
					 : PMPP_NO_MEMORY(error, "the devices");

	if (status == PMPP_OK && query->device && matches.ambiguous && !several)
		status = ambiguous(query, inventory, matches.match, error);
	if (status == PMPP_OK) {
		count = choose(
			query, selection_of(query, for_ranks), inventory, matches.match, chosen);
		if (count == 0)
			status = nothing_found(query, inventory, error);
	}
	free(matches.match);
	if (status != PMPP_OK) {
		free(chosen);
		return status;
	}
	*ret_devices = chosen;
	*ret_count = count;
	return PMPP_OK;
}

void device_query_take_place(struct device_query *query, const char *device, bool on_host)
{
	if (on_host && uses_each_backend(query) &&
		(!query->device || device_word_is_all(query->device))) {
		query->on_host = true;
		return;
	}
	query->device = device;
	query->device_from = "--fleet";
}

/* ---- Pairs --------------------------------------------------------------------------------- */

enum pmpp_status device_select_pair(const struct device_query *query,
	const struct inventory *inventory, struct device_pair *ret_pair, struct pmpp_error *error)
{
	struct matches matches = {0};
	struct matches any = {0};
	const struct inventory_device *devices = inventory->devices;
	struct device_query everything = {.rule = query->rule};
	unsigned opencl = backends_of(GPU_LANGUAGE_OPENCL_C);
	unsigned cuda = backends_of(GPU_LANGUAGE_CUDA_C);
	enum gpu_backend_id id;
	enum pmpp_status status = find_matches(query, inventory, &matches, error);

	if (status == PMPP_OK)
		status = find_matches(&everything, inventory, &any, error);
	if (status != PMPP_OK)
		goto out;
	if (query->device && matches.count == 0) {
		status = nothing_found(query, inventory, error);
		goto out;
	}
	if (query->backend && gpu_backend_find(query->backend, &id)) {
		bool is_opencl = gpu_backend_row(id)->language == GPU_LANGUAGE_OPENCL_C;
		*(is_opencl ? &opencl : &cuda) = BACKEND_BIT(id);
	}
	for (size_t i = 0; i < inventory->count; i++)
		for (size_t j = 0; j < inventory->count; j++)
			if ((opencl & BACKEND_BIT(devices[i].info.backend)) &&
				(cuda & BACKEND_BIT(devices[j].info.backend)) &&
				devices[i].physical == devices[j].physical &&
				(matches.match[i] || matches.match[j])) {
				*ret_pair = (struct device_pair){
					&devices[i].info, &devices[j].info, true};
				goto out;
			}
	/* Each side takes the named device if it has that device, else its best device. */
	size_t a = best_of(inventory, matches.match, opencl);
	if (a == inventory->count)
		a = best_of(inventory, any.match, opencl);
	size_t b = best_of(inventory, matches.match, cuda);
	if (b == inventory->count)
		b = best_of(inventory, any.match, cuda);
	if (a == inventory->count || b == inventory->count) {
		char reasons[600];
		list_reasons(inventory, reasons, sizeof reasons);
		status = PMPP_FAIL(
			error, PMPP_UNAVAILABLE, "parity needs OpenCL and CUDA: %s", reasons);
		goto out;
	}
	*ret_pair = (struct device_pair){&devices[a].info, &devices[b].info, false};
out:
	free(matches.match);
	free(any.match);
	return status;
}
