#include "host/cli/cmd.h"

#include <stdio.h>

#include "common/model/exit_code.h"
#include "host/io/cache_file.h"
#include "host/record/provenance.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/run/device_select.h"
#include "host/run/fleet.h"

static void put_mark(bool good, bool colour)
{
	printf("%s%-4s%s ", style_code(colour, good ? STYLE_GREEN : STYLE_YELLOW),
		good ? "ok" : "no", style_code(colour, STYLE_PLAIN));
}

/* Opens the device, and compares its timer with the host's clock. */
static void put_timer(const struct gpu_device_info *info, bool colour)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct suite *suite = NULL;
	const struct timer_record *timer = NULL;
	char resolution[32];
	char empty[32];
	enum pmpp_status status = suite_open(info, &options, &suite, &error);

	if (status == PMPP_OK)
		status = suite_calibration(suite, &timer, &error);
	fputs("     ", stdout);
	put_mark(status == PMPP_OK && timer->device_timer_ok, colour);
	if (status != PMPP_OK) {
		printf("timer: %s\n", error.message);
	} else if (!timer->device_timer_ok) {
		printf("timer: %s\n", text_or_empty(timer->reason));
	} else {
		format_ns(timer->timer_resolution_ns, resolution, sizeof resolution);
		format_ns(timer->empty_launch_ns, empty, sizeof empty);
		printf("timer: resolution %s, empty kernel %s\n", resolution, empty);
	}
	pmpp_error_clear(&error);
	suite_close(&suite);
}

static void put_device(const struct gpu_device_info *info, bool colour)
{
	char label[32];

	device_label(info, label, sizeof label);
	printf("     %s %s: %s\n", label, info->name, info->driver);
	printf("          compiler: %s\n", info->compiler);
	if (info->type == GPU_TYPE_EMULATED)
		puts("          timer: none (times of an emulator are not performance)");
	else
		put_timer(info, colour);
}

static void put_backend(const struct inventory *inventory, enum gpu_backend_id id, bool colour)
{
	const struct gpu_backend_state *state = &inventory->states[id];

	put_mark(state->usable, colour);
	printf("%s%s%s%s%s\n", gpu_backend_name(id), state->usable ? "" : ": ",
		state->usable ? "" : state->reason, state->library[0] ? "; uses " : "",
		state->library);
	for (size_t i = 0; i < inventory->count; i++)
		if (inventory->devices[i].info.backend == id)
			put_device(&inventory->devices[i].info, colour);
}

static void put_cache(const char *name, bool colour)
{
	char text[CACHE_TEXT_BYTES];
	bool usable = cache_file_folder(name, text);

	put_mark(usable, colour);
	printf("cache of %s: %s%s\n", name, usable ? "" : "none: ", text);
}

static void put_fleet(bool colour)
{
	char text[PATH_MAX + 200];

	put_mark(fleet_find_agent(text, sizeof text), colour);
	printf("--fleet: %s\n", text);
}

enum pmpp_status cmd_doctor(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	bool colour = terminal_wants_colour(options->terminal.colour, stdout);
	struct inventory inventory = {0};
	size_t usable = 0;

	suite_set_environment();
	enum pmpp_status status = inventory_take(EVERY_BACKEND, &inventory, error);
	if (status != PMPP_OK)
		return status;
	puts(tool_version_text());
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++) {
		put_backend(&inventory, id, colour);
		usable += inventory.states[id].usable;
	}
	put_cache("programs", colour);
	put_cache("roofs", colour);
	put_cache("probes", colour);
	put_fleet(colour);
	inventory_finish(&inventory);
	*ret_exit = usable ? EXIT_CODE_OK : EXIT_CODE_UNAVAILABLE;
	return PMPP_OK;
}
