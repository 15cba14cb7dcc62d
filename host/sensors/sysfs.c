#include "host/sensors/sysfs.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 4096 /* the kernel writes at most one page */

void sysfs_open(struct sysfs_device *device, const char *root, const char *pci)
{
	int length =
		snprintf(device->folder, sizeof device->folder, "%s/bus/pci/devices/%s", root, pci);

	if (!*pci || length < 0 || (size_t)length >= sizeof device->folder)
		device->folder[0] = '\0';
}

/* ---- Files --------------------------------------------------------------------------------- */

/* Returns false if the file cannot be read. */
static bool read_text(const char *path, char ret_text[TEXT_BYTES])
{
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	size_t length = fread(ret_text, 1, TEXT_BYTES - 1, file);
	bool ok = !ferror(file) && length > 0;
	fclose(file);
	ret_text[length] = '\0';
	return ok;
}

/* A line that contains one number. */
static double parse_number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end != text && (*end == '\n' || *end == '\0') && isfinite(value) ? value : NAN;
}

/* The current one of the clock levels "0: 500Mhz\n1: 1800Mhz *\n". */
static double parse_level(const char *text)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		const char *colon = memchr(line, ':', length);
		const char *star = memchr(line, '*', length);
		if (colon && star && colon < star) {
			char *end;
			double value = strtod(colon + 1, &end);
			return end != colon + 1 && isfinite(value) ? value : NAN;
		}
		line += length + (line[length] == '\n');
	}
	return NAN;
}

/* The files of the device that match the pattern, sorted. The caller calls globfree(). */
static bool find_files(const struct sysfs_device *device, const char *pattern, glob_t *ret_found)
{
	char path[2 * SYSFS_PATH_BYTES];

	snprintf(path, sizeof path, "%s/%s", device->folder, pattern);
	*ret_found = (glob_t){0};
	return glob(path, 0, NULL, ret_found) == 0;
}

/* ---- Figures ------------------------------------------------------------------------------- */

static const struct source {
	size_t offset; /* of the member, a double */
	const char *pattern;
	double (*parse)(const char *text);
	double scale;
} sources[] = {
	/* A member takes the first pattern that gives a figure. */
	{offsetof(struct device_state_record, sm_clock_mhz), "pp_dpm_sclk", parse_level, 1},
	{offsetof(struct device_state_record, sm_clock_mhz), "tile*/gt*/freq*/cur_freq",
		parse_number, 1},
	{offsetof(struct device_state_record, sm_clock_mhz), "drm/card*/gt_cur_freq_mhz",
		parse_number, 1},
	{offsetof(struct device_state_record, memory_clock_mhz), "pp_dpm_mclk", parse_level, 1},
	/* temp1, temp2, temp3 are edge, junction, memory in amdgpu; xe has 2: package, 3: memory.
	 * Some GPUs have no temp1. */
	{offsetof(struct device_state_record, temperature_c), "hwmon/hwmon*/temp1_input",
		parse_number, 1e-3},
	{offsetof(struct device_state_record, temperature_c), "hwmon/hwmon*/temp2_input",
		parse_number, 1e-3},
	{offsetof(struct device_state_record, power_limit_w), "hwmon/hwmon*/power1_cap",
		parse_number, 1e-6},
	{offsetof(struct device_state_record, power_limit_w), "hwmon/hwmon*/power1_max",
		parse_number, 1e-6},
	{offsetof(struct device_state_record, power_limit_w), "hwmon/hwmon*/power2_max",
		parse_number, 1e-6},
};

/* The largest figure of the files: a GPU may have several tiles, and idle engines. */
static double read_largest(const struct sysfs_device *device, const struct source *source)
{
	double largest = NAN;
	glob_t found;

	if (find_files(device, source->pattern, &found)) {
		char text[TEXT_BYTES];
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (read_text(found.gl_pathv[i], text))
				largest = fmax(largest, source->scale * source->parse(text));
	}
	globfree(&found);
	return largest;
}

/* ---- Reasons for reduced clocks ------------------------------------------------------------ */

/* Files with 0 or 1: xe, i915. "status" is 1 if any reason is 1, and is not a reason itself. */
static const struct {
	const char *pattern, *before_word;
} reason_files[] = {
	{"tile*/gt*/freq*/throttle/reason_*", "reason_"},
	{"drm/card*/gt/gt*/throttle_reason_*", "throttle_reason_"},
};

static bool has_text(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->items[i], text))
			return true;
	return false;
}

/* Adds the words of the files with 1. Returns true if a file could be read. */
static bool add_reasons(const struct sysfs_device *device, size_t which, struct text_list *reasons)
{
	const char *before = reason_files[which].before_word;
	bool known = false;
	glob_t found;

	if (find_files(device, reason_files[which].pattern, &found)) {
		char text[TEXT_BYTES];
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *word = strrchr(found.gl_pathv[i], '/') + 1 + strlen(before);
			if (!read_text(found.gl_pathv[i], text))
				continue;
			known = true;
			if (parse_number(text) == 1 && strcmp(word, "status") != 0 &&
				!has_text(reasons, word))
				text_list_add(reasons, word);
		}
	}
	globfree(&found);
	return known;
}

void sysfs_read(const struct sysfs_device *device, struct device_state_record *state)
{
	bool known = false;

	if (!device->folder[0])
		return;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		double *member = (double *)((char *)state + sources[i].offset);
		if (isnan(*member))
			*member = read_largest(device, &sources[i]);
	}
	if (state->throttle_reasons.count > 0)
		return;
	for (size_t i = 0; i < sizeof reason_files / sizeof *reason_files; i++)
		known = add_reasons(device, i, &state->throttle_reasons) || known;
	if (known && state->throttle_reasons.count == 0)
		text_list_add(&state->throttle_reasons, DEVICE_STATE_NO_REASON);
}
