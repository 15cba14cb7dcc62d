#include "host/report/roofs_text.h"

#include "common/capability.h"
#include "host/gpu/gpu.h"
#include "host/report/table.h"

#include <math.h>
#include <stdlib.h>

void roofs_text_put_age(FILE *out, double age_s)
{
	fputs("measured", out);
	if (age_s >= 86400)
		fprintf(out, " %.0f days ago", age_s / 86400);
	else if (age_s >= 60)
		fprintf(out, " %.0f min ago", age_s / 60);
	else if (age_s > 0)
		fprintf(out, " %.0f s ago", ceil(age_s));
}

struct line {
	const char *title;
	double value;
	const char *unit;
	bool on_cpu;           /* OpenCL on a CPU has a kernel for this rate */
	unsigned needs;        /* bits of capabilities that the kernel needs; 0 = none */
	const char *otherwise; /* why a device without these capabilities has no rate */
};

/* Why the rate of the line is unknown. */
static const char *reason_of(const struct line *line, const struct device_record *device)
{
	bool cpu = text_equal(device->type, gpu_device_type_name(GPU_TYPE_CPU));
	bool mma = true, opencl = true; /* mma.sync reaches the rate of tensor cores; only OpenCL */
	unsigned capabilities = 0;

	for (size_t i = 0; i < device->views.count; i++) {
		const struct view_record *view = &device->views.items[i];
		capabilities |= (unsigned)view->capabilities;
		mma &= pmpp_mma_reaches_rate(text_or_empty(view->arch));
		opencl &= text_equal(view->backend, "opencl");
	}
	if (cpu && !line->on_cpu)
		return "no kernel for OpenCL on a CPU";
	if (line->needs & ~capabilities)
		return line->otherwise;
	if (line->needs & PMPP_CAP_TENSOR && !mma && !(capabilities & PMPP_CAP_WGMMA))
		return "mma.sync does not reach this rate, and wgmma is not available";
	if (line->needs & PMPP_CAP_FP16 && opencl && capabilities & PMPP_CAP_NVIDIA_PTX)
		return "no kernel reaches this rate through NVIDIA's OpenCL";
	return "not measured: the kernel did not run or its result is wrong";
}

static void add_fact(struct table *table, const char *name, const char *value, const char *more)
{
	table_row(table, STYLE_PLAIN);
	table_text(table, name);
	table_text(table, value);
	table_text(table, more);
}

static void add_rates(struct table *table, const struct device_record *device)
{
	static const char tensor[] = "needs NVIDIA tensor cores, compute capability 8.0 or more";
	const struct roofs_record *roofs = &device->roofs;
	const unsigned mma = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR;
	const struct line lines[] = {
		{"copy (read + write)", roofs->copy_gbps, "GB/s", true, 0, NULL},
		{"read", roofs->read_gbps, "GB/s", true, 0, NULL},
		{"second-level cache", roofs->l2_gbps, "GB/s", false, 0, NULL},
		{"shared memory", roofs->shared_gbps, "GB/s", true, 0, NULL},
		{"fma, f32", roofs->fma_gflops.f32, "GFLOP/s", true, 0, NULL},
		{"fma, f16", roofs->fma_gflops.f16, "GFLOP/s", false, PMPP_CAP_FP16,
			"the device has no f16"},
		{"fma, f64", roofs->fma_gflops.f64, "GFLOP/s", true, PMPP_CAP_FP64,
			"the device has no f64"},
		{"integers, 32 bits", roofs->integer_gops, "GOP/s", false, 0, NULL},
		{"special functions", roofs->special_gops, "GOP/s", false, 0, NULL},
		{"tensor cores, f16", roofs->tensor_gflops.f16, "GFLOP/s", false, mma, tensor},
		{"tensor cores, TF32", roofs->tensor_gflops.tf32, "GFLOP/s", false, mma, tensor},
		{"host to device", roofs->h2d_gbps, "GB/s", true, 0, NULL},
		{"device to host", roofs->d2h_gbps, "GB/s", true, 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		add_fact(table, lines[i].title, as_text(format_number, lines[i].value).text,
			isnan(lines[i].value) ? reason_of(&lines[i], device) : lines[i].unit);
}

void roofs_text_put(FILE *out, const char *label, const struct device_record *device,
	const struct page_style *style)
{
	static const struct table_column columns[] = {{.title = "roof", .width = 20},
		{.title = "value", .align = TABLE_RIGHT, .width = 8},
		{.title = "unit", .align = TABLE_REST}};
	const struct roofs_record *roofs = &device->roofs;
	char *title = device_record_title(device);
	struct table table;

	fprintf(out, "%s%s %s%s\n", style_code(style->colour, STYLE_BOLD), label,
		text_or_empty(title), style_code(style->colour, STYLE_PLAIN));
	free(title);
	table_init(&table, columns, ARRAY_COUNT(columns));
	table.indent = 2;
	table.untitled = true;
	add_rates(&table, device);
	add_fact(&table, "measured resolution",
		as_text(format_ns, device->timer.timer_resolution_ns).text, "");
	add_fact(
		&table, "empty kernel", as_text(format_ns, device->timer.empty_launch_ns).text, "");
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out, "  age: %s", roofs->age_s > 0 ? "the oldest roof was " : "");
	roofs_text_put_age(out, roofs->age_s);
	fputs(roofs->age_s > 0 ? "\n" : " in this run\n", out);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (roofs->flags & 1u << i)
			fprintf(out, "  flag: %s\n", timing_flag_words[i]);
}
