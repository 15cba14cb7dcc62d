#include "tests/support/engine.h"

#include "tests/support/test.h"

static void name_engine(struct engine *engine)
{
	snprintf(engine->name, sizeof engine->name, "%s:%s%s", gpu_backend_name(engine->backend),
		engine->info.index, engine->traced ? " traced" : "");
}

/* Words for engines that are not names of backends. */
static const struct word {
	const char *word, *backend;
	bool traced;
	/* Parts of the texts of a device; NULL: any. A word with such a part has only CPU
	 * devices. */
	const char *name, *vendor, *driver;
	const char *none; /* reason if the backend has other devices only */
} words[] = {
	{"pocl", .backend = "opencl", .driver = "PoCL", .none = "no PoCL (pocl-opencl-icd)"},
	{"rusticl", .backend = "opencl", .name = "llvmpipe",
		.none = "no Mesa rusticl (mesa-opencl-icd; RUSTICL_ENABLE=llvmpipe)"},
	{"intel", .backend = "opencl", .vendor = "Intel(R) Corporation",
		.none = "no Intel OpenCL for CPUs (tools/vendors.sh)"},
	{"cuda-emu-traced", .backend = "cuda-emu", .traced = true},
	{"opencl-emu-traced", .backend = "opencl-emu", .traced = true},
};

/* An OpenCL implementation, not a backend. */
static bool is_implementation(const struct word *word)
{
	return word->name || word->vendor || word->driver;
}

static struct word find_word(const char *text)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i].word, text) == 0)
			return words[i];
	return (struct word){.word = text, .backend = text};
}

static bool has_part(const char *text, const char *part)
{
	return !part || strstr(text, part);
}

bool engine_is_selected(const struct gpu_device_info *info)
{
	const char *list = getenv("PMPP_TEST_DEVICES");
	const char *backend = gpu_backend_name(info->backend);
	size_t length = strlen(backend);

	if (!list || !*list)
		return true;
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strncmp(list, backend, length) == 0 && list[length] == ':' &&
			strcspn(list, ",") == length + 1 + strlen(info->index) &&
			strncmp(list + length + 1, info->index, strlen(info->index)) == 0)
			return true;
	return false;
}

static bool is_wanted(const struct gpu_device_info *info, const struct word *word)
{
	if (is_implementation(word) && info->type != GPU_TYPE_CPU)
		return false;
	if (!has_part(info->name, word->name) || !has_part(info->vendor, word->vendor) ||
		!has_part(info->driver, word->driver))
		return false;
	return engine_is_selected(info);
}

size_t engine_list(const char *word, struct engine ret_engines[MAX_ENGINES])
{
	const struct word row = find_word(word);
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	enum gpu_backend_id id;
	size_t count = 0;

	if (!gpu_backend_find(row.backend, &id))
		return 0;
	if (gpu_enumerate(id, &infos, &count, &state, &test_error) != PMPP_OK)
		snprintf(state.reason, sizeof state.reason, "%.290s", test_error.message);
	pmpp_error_clear(&test_error);
	if (count > MAX_ENGINES)
		count = MAX_ENGINES;
	const struct engine base = {.backend = id,
		.traced = row.traced,
		.required = is_implementation(&row) ? row.word : gpu_backend_name(id)};
	size_t wanted = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(&infos[i], &row))
			continue;
		ret_engines[wanted] = base;
		ret_engines[wanted].usable = true;
		ret_engines[wanted].info = infos[i];
		name_engine(&ret_engines[wanted++]);
	}
	free(infos);
	if (wanted > 0)
		return wanted;

	ret_engines[0] = base;
	snprintf(ret_engines[0].info.index, sizeof ret_engines[0].info.index, "none");
	snprintf(ret_engines[0].reason, sizeof ret_engines[0].reason, "%s",
		count && row.none ? row.none
		: state.reason[0] ? state.reason
				  : "no device, and no reason given");
	name_engine(&ret_engines[0]);
	return 1;
}

struct engine engine_first(const char *word)
{
	struct engine engines[MAX_ENGINES];

	if (!word || engine_list(word, engines) == 0) {
		fprintf(stderr, "no engine '%s'\n", word ? word : "");
		exit(1);
	}
	return engines[0];
}

void engine_skip(const struct engine *engine, const char *reason)
{
	test_skip_missing(engine->required, reason);
}

static void is_missing(const void *context)
{
	const struct engine *engine = context;

	engine_skip(engine, engine->reason);
}

bool engine_add_rows(const struct engine *engine)
{
	if (!engine->usable)
		test_add(is_missing, engine, "%s", engine->name);
	return engine->usable;
}

struct gpu_device *engine_open(const struct engine *engine)
{
	struct gpu_device *device = NULL;

	if (!engine->usable)
		engine_skip(engine, engine->reason);
	test_ok(gpu_open(&engine->info, &device, &test_error));
	return device;
}
