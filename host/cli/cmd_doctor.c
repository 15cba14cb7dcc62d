#include "host/cli/cmd.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/model/exit_code.h"
#include "host/io/cache_file.h"
#include "host/record/provenance.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"
#include "host/run/device_select.h"

#define INDENT 5 /* of checks of a device, in columns */

/* A line with "ok" or "no". indent: in columns */
static void __attribute__((format(printf, 5, 6)))
put_check(FILE *out, int indent, bool good, bool colour, const char *format, ...)
{
	va_list arguments;

	fprintf(out, "%*s%s%-4s%s ", indent, "",
		style_code(colour, good ? STYLE_GREEN : STYLE_YELLOW), good ? "ok" : "no",
		style_code(colour, STYLE_PLAIN));
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
}

/* Compares the device's timer with the host's clock. */
static void put_timer(FILE *out, struct suite *suite, bool colour)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	const struct timer_record *timer = NULL;
	char resolution[32];
	char empty[32];
	enum pmpp_status status = suite_calibration(suite, &timer, &error);

	if (status != PMPP_OK || !timer->device_timer_ok) {
		put_check(out, INDENT, false, colour, "timer: %s\n",
			status != PMPP_OK ? error.message : text_or_empty(timer->reason));
	} else {
		format_ns(timer->timer_resolution_ns, resolution, sizeof resolution);
		format_ns(timer->empty_launch_ns, empty, sizeof empty);
		put_check(out, INDENT, true, colour,
			"timer: measured resolution %s, empty kernel %s\n", resolution, empty);
	}
	pmpp_error_clear(&error);
}

/* The libraries that --peers times on this device. */
static void put_libraries(
	FILE *out, struct suite *suite, const struct gpu_device_info *info, bool colour)
{
	for (enum peer_library id = PEER_NONE + 1; id < PEER_LIBRARY_COUNT; id++) {
		struct pmpp_error error = PMPP_ERROR_INIT;
		char text[GPU_LIBRARY_TEXT_BYTES];

		if (!gpu_takes_library(info, id))
			continue;
		bool usable = bench_library(&suite->bench, id, text, &error) == PMPP_OK;
		put_check(out, INDENT, usable, colour, "--peers: %s\n",
			usable ? text : error.message);
		pmpp_error_clear(&error);
	}
}

/* Opens the device, and checks its timer and its libraries. */
static void put_checks(FILE *out, const struct gpu_device_info *info, bool colour)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct suite *suite = NULL;

	if (suite_open(info, &options, &suite, &error) == PMPP_OK) {
		put_timer(out, suite, colour);
		put_libraries(out, suite, info, colour);
	} else {
		put_check(out, INDENT, false, colour, "device: %s\n", error.message);
	}
	pmpp_error_clear(&error);
	suite_close(&suite);
}

static void put_device(FILE *out, const struct gpu_device_info *info, bool colour)
{
	char title[DEVICE_TITLE_BYTES];

	device_title(info->name, info->platform, title, sizeof title);
	fprintf(out, "     %s %s: %s\n", device_label(info).text, title, info->driver);
	fprintf(out, "          compiler: %s\n", info->compiler);
	if (info->type == GPU_TYPE_EMULATED)
		fputs("          timer: none (times of an emulator are not performance)\n", out);
	else
		put_checks(out, info, colour);
}

static void put_backend(
	FILE *out, const struct inventory *inventory, enum gpu_backend_id id, bool colour)
{
	const struct gpu_backend_state *state = &inventory->states[id];

	put_check(out, 0, state->usable, colour, "%s%s%s%s%s\n", gpu_backend_name(id),
		state->usable ? "" : ": ", state->usable ? "" : state->reason,
		state->library[0] ? "; uses " : "", state->library);
	if (state->detail[0])
		fprintf(out, "     %s\n", state->detail);
	if (state->advice[0])
		put_check(out, INDENT, false, colour, "%s\n", state->advice);
	for (size_t i = 0; i < inventory->count; i++)
		if (inventory->devices[i].info.backend == id)
			put_device(out, &inventory->devices[i].info, colour);
}

static void put_cache(FILE *out, const char *name, bool colour)
{
	char text[CACHE_TEXT_BYTES];
	bool usable = cache_file_folder(name, text);

	put_check(
		out, 0, usable, colour, "cache of %s: %s%s\n", name, usable ? "" : "none: ", text);
}

enum pmpp_status cmd_doctor(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	bool colour = terminal_wants_colour(options->terminal.colour, stdout);
	struct inventory inventory = {0};
	struct wrap wrap;
	size_t usable = 0;
	FILE *out;

	suite_set_environment();
	enum pmpp_status status = inventory_take(EVERY_BACKEND, &inventory, error);
	if (status != PMPP_OK)
		return status;
	out = wrap_begin(&wrap, stdout, terminal_width(stdout));
	fprintf(out, "%s\n", tool_version_text());
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++) {
		put_backend(out, &inventory, id, colour);
		usable += inventory.states[id].usable;
	}
	put_cache(out, "programs", colour);
	put_cache(out, "roofs", colour);
	put_cache(out, "probes", colour);
	wrap_end(&wrap);
	inventory_finish(&inventory);
	*ret_exit = usable ? EXIT_CODE_OK : EXIT_CODE_UNAVAILABLE;
	return PMPP_OK;
}
