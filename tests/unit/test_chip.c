#include "common/model/access_model.h"
#include "common/model/chip.h"
#include "common/model/occupancy.h"
#include "tests/support/test.h"

#define AMD "Advanced Micro Devices, Inc."
#define INTEL "Intel(R) Corporation"
#define NVIDIA "NVIDIA Corporation"

/* Names as drivers report them; chip NULL: not in the table. */
static const struct name_row {
	struct chip_facts facts;
	const char *chip;
} name_rows[] = {
	{{.vendor = AMD, .name = "gfx1100", .board = "Radeon RX 7900 XTX"}, "gfx1100"},
	{{.vendor = AMD, .name = "gfx1030", .board = "AMD Radeon RX 6800 XT"}, "gfx1030"},
	{{.vendor = AMD, .name = "gfx906+sram-ecc", .board = "Vega 20 [Radeon VII]"}, "gfx906"},
	{{.vendor = AMD, .name = "gfx90a:sramecc+:xnack-", .board = ""}, "gfx90a"},
	{{.vendor = AMD, .name = "gfx908:sramecc+:xnack-"}, "gfx908"},
	{{.vendor = AMD, .name = "gfx942:sramecc+:xnack-"}, "gfx942"},
	{{.vendor = AMD, .name = "gfx950:sramecc+:xnack-"}, "gfx950"},
	{{.vendor = AMD, .name = "gfx900"}, "gfx900"},
	{{.vendor = AMD, .name = "gfx1010:xnack-"}, "gfx1010"},
	{{.vendor = AMD, .name = "gfx1201"}, "gfx1201"},
	{{.vendor = AMD, .name = "", .board = "AMD Instinct MI250X/MI250"}, "gfx90a"},
	{{.vendor = AMD, .name = "gfx803"}, NULL},
	{{.vendor = AMD, .name = "gfx10300"}, NULL},
	{{"AMD", .name = "AMD Radeon RX 6700 XT (navi22, LLVM 15.0.7, DRM 3.54, "
			 "6.5.0-1-rt-amd64)"},
		"gfx1031"},
	{{.vendor = "Microsoft", .name = "AMD Radeon RX 6800 XT"}, "gfx1030"},
	{{.vendor = "AMD", .name = "AMD Radeon Pro 5500M Compute Engine"}, "gfx1012"},
	{{.vendor = AMD, .name = "AMD Radeon RX 7700 XT"}, "gfx1101"},
	{{.vendor = AMD, .name = "AMD Radeon RX 7700S"}, "gfx1102"},
	{{.vendor = INTEL, .name = "Intel(R) Arc(TM) A770 Graphics"}, "xe-hpg"},
	{{.vendor = INTEL, .name = "Intel(R) Graphics [0x56a0]"}, "xe-hpg"},
	{{.vendor = INTEL, .name = "Intel(R) Graphics [0x46a6]"}, "xe-lp"},
	{{.vendor = INTEL, .name = "Intel(R) UHD Graphics [0x9bca]"}, "gen9"},
	{{.vendor = INTEL, .name = "Intel(R) Gen9 HD Graphics NEO"}, "gen9"},
	{{.vendor = INTEL, .name = "Intel(R) UHD Graphics 770"}, "xe-lp"},
	{{.vendor = INTEL, .name = "Intel(R) HD Graphics 530"}, "gen9"},
	{{.vendor = "Intel Inc.", .name = "Intel(R) UHD Graphics 630"}, "gen9"},
	{{.vendor = INTEL, .name = "Intel(R) Iris(R) Xe Graphics"}, "xe-lp"},
	{{.vendor = INTEL, .name = "Intel(R) Arc(TM) B580 Graphics"}, "xe2"},
	{{.vendor = INTEL, .name = "Intel(R) Arc(TM) 140V GPU"}, "xe2"},
	{{.vendor = "Intel", .name = "Mesa Intel(R) Xe Graphics (TGL GT2)"}, "xe-lp"},
	{{.vendor = "Intel Inc.", .name = "Intel(R) Iris(TM) Plus Graphics 655"}, "gen9"},
	{{.vendor = AMD, .name = "AMD Radeon Pro Vega 20 Compute Engine"}, "gfx900"},
	{{.vendor = AMD, .name = "AMD Radeon Pro Vega II Compute Engine"}, "gfx906"},
	{{.vendor = AMD, .name = "AMD Radeon Pro W6800X Compute Engine"}, "gfx1030"},
	{{.vendor = "NVIDIA", .name = "NVIDIA RTX 2000 Ada Generation Laptop GPU"}, "sm_89"},
	{{.vendor = "NVIDIA", .name = "NVIDIA GeForce RTX 2080"}, "sm_75"},
	{{.vendor = INTEL, .name = "Intel(R) Data Center GPU Max 1100"}, "xe-hpc"},
	{{.vendor = INTEL, .name = "Intel(R) Data Center GPU Flex 170"}, "xe-hpg"},
	{{.vendor = INTEL, .name = "Intel(R) Graphics", .pci_id = 0x64a0}, "xe2"},
	/* Xe-LPG and Xe3 are not in the table. */
	{{.vendor = INTEL, .name = "Intel(R) Arc(TM) Graphics", .pci_id = 0x7d55}, NULL},
	{{.vendor = INTEL, .name = "Intel(R) Arc(TM) B390 GPU", .pci_id = 0xb080}, NULL},
	{{.vendor = "Intel", .name = "Mesa Intel(R) Arc(tm) A380 Graphics (DG2)"}, "xe-hpg"},
	{{.vendor = "Apple", .name = "Apple M1 Max"}, "apple-m1"},
	{{.vendor = "Apple", .name = "Apple M2"}, "apple-m1"},
	{{.vendor = "Apple", .name = "Apple M4 Pro"}, "apple-m3"},
	{{.vendor = "Apple", .name = "Apple M10"}, NULL},
	{{.vendor = "ARM", .name = "Mali-LODX r0p0"}, "mali-g77"},
	{{.vendor = "ARM", .name = "Mali-G610 r0p0"}, "mali-g77"},
	{{.vendor = "ARM", .name = "Mali-G720-Immortalis r0p0"}, "mali-g77"},
	{{.vendor = "ARM", .name = "Mali-G76"}, "mali-g76"},
	{{.vendor = "ARM", .name = "Mali-G72"}, "mali-g71"},
	{{.vendor = "ARM", .name = "Mali-T880"}, NULL},
	{{"QUALCOMM", .name = "QUALCOMM Adreno(TM)", .version = "OpenCL 2.0 Adreno(TM) 650"},
		"adreno-6xx"},
	{{"QUALCOMM", .name = "QUALCOMM Adreno(TM)", .version = "OpenCL 3.0 Adreno(TM) 730"},
		"adreno-7xx"},
	{{.vendor = "QUALCOMM", .name = "QUALCOMM Adreno(TM) 750", .version = "OpenCL 3.0"},
		"adreno-7xx"},
	{{"QUALCOMM", .name = "QUALCOMM Adreno(TM)", .version = "OpenCL 2.0 Adreno(TM) 530"},
		"adreno-5xx"},
	{{.vendor = "QUALCOMM", .name = "QUALCOMM Adreno(TM)", .version = "OpenCL 2.0"}, NULL},
	{{.vendor = NVIDIA, .name = "NVIDIA H200", .arch = "sm_90"}, "sm_90"},
	{{.vendor = NVIDIA, .name = "NVIDIA GeForce RTX 5090", .arch = "sm_120"}, "sm_120"},
	{{.vendor = NVIDIA, .name = "NVIDIA B300", .arch = "sm_103"}, "sm_100"},
	{{.vendor = NVIDIA, .name = "GeForce GTX 1080", .arch = "sm_61"}, "sm"},
	{{.vendor = NVIDIA, .name = "NVIDIA GeForce RTX 3090"}, "sm_86"},
	{{.vendor = NVIDIA, .name = "NVIDIA A100-SXM4-40GB"}, "sm_80"},
	{{.vendor = NVIDIA, .name = "Tesla T4"}, "sm_75"},
	{{.vendor = NVIDIA, .name = "NVIDIA L40S"}, "sm_89"},
	/* Words of one vendor in the name of another. */
	{{.vendor = "Some Vendor", .name = "A100 accelerator"}, NULL},
	{{.vendor = "Some Vendor", .name = "M1"}, NULL},
	{{.vendor = "Some Vendor", .name = "chip [0x56a0]"}, NULL},
	/* Nothing, and nonsense. */
	{{0}, NULL},
	{{.vendor = "", .name = "", .board = "", .version = "", .arch = ""}, NULL},
	{{.vendor = INTEL, .name = "[0x"}, NULL},
	{{.vendor = INTEL, .name = "[0xffffffffffffffffffff]"}, NULL},
	{{.vendor = "\xff\xfe", .name = "#######", .version = ",,,"}, NULL},
	{{.vendor = NVIDIA, .name = "", .arch = "sm_"}, "sm"},
};

TEST_ROWS(found, name_rows, "name %zu: %s %s", i, row->facts.name ? row->facts.name : "(none)",
	row->facts.version ? row->facts.version : "")
{
	struct chip chip;

	EQUAL(chip_find(&row->facts, &chip), row->chip != NULL);
	if (row->chip)
		STRING(chip.name, row->chip);
}

TEST(products, "products")
{
	static const char *const products[][2] = {{"h100", "sm_90"}, {"rtx4090", "sm_89"},
		{"RTX 3090", "sm_86"}, {"a100", "sm_80"}, {"mi300x", "gfx942"},
		{"rx7900xtx", "gfx1100"}, {"a770", "xe-hpg"}, {"b580", "xe2"},
		{"apple m2", "apple-m1"}, {"h2000", ""}, {"sm_91", ""}, {"mali-g71", ""}, {"", ""}};

	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		const char *model = chip_model_of_product(products[i][0]);
		STRING(model ? model : "", products[i][1]);
	}
}

/* Figures from the sources of chip.c, written by hand. 0: unknown. */
static const struct figure_row {
	const char *chip;
	int64_t lanes, widths, line, sector, banks, on_chip, unit_threads, unit_kib, parts;
} figure_rows[] = {
	{"sm_75", 32, 1, 128, 32, 32, 1, 1024, 64, 0},
	{"sm_86", 32, 1, 128, 32, 32, 1, 1536, 100, 0},
	{"sm_90", 32, 1, 128, 32, 32, 1, 2048, 228, 0},
	{"sm", 32, 1, 128, 32, 32, 1, 0, 0, 0},
	{"gfx900", 64, 1, 64, 64, 32, 1, 2560, 64, 0},
	{"gfx908", 64, 1, 128, 64, 32, 1, 2560, 64, 0},
	{"gfx90a", 64, 1, 128, 64, 32, 1, 2048, 64, 0},
	{"gfx950", 64, 1, 128, 64, 32, 1, 2048, 160, 0},
	{"gfx1010", 32, 2, 128, 128, 32, 1, 2560, 128, 2},
	{"gfx1030", 32, 2, 128, 128, 32, 1, 2048, 128, 2},
	{"gfx1100", 32, 2, 128, 128, 32, 1, 2048, 128, 2},
	{"gen9", 16, 3, 64, 64, 16, 1, 896, 64, 8},
	{"xe-lp", 16, 3, 64, 64, 16, 1, 1792, 64, 16},
	{"xe-hpg", 16, 3, 64, 64, 16, 1, 2048, 128, 16},
	{"xe-hpc", 16, 2, 64, 64, 0, 1, 1024, 128, 8},
	{"xe2", 16, 2, 64, 64, 0, 1, 1024, 128, 8},
	{"apple-m1", 32, 1, 128, 128, 0, 1, 1024, 60, 0},
	{"apple-m3", 32, 1, 128, 128, 0, 1, 0, 0, 0},
	{"mali-g71", 4, 1, 64, 64, 0, 0, 0, 0, 0},
	{"mali-g76", 8, 1, 64, 64, 0, 0, 0, 0, 0},
	{"mali-g77", 16, 1, 64, 64, 0, 0, 0, 0, 0},
	{"adreno-5xx", 0, 2, 64, 64, 0, 1, 0, 0, 0},
	{"adreno-6xx", 128, 2, 64, 64, 0, 1, 0, 0, 0},
};

TEST_ROWS(figures, figure_rows, "figures of %s", row->chip)
{
	struct device_shape shape = {0};
	struct chip chip;

	IS(chip_of_name(row->chip, &chip));
	chip_fill(&chip, &shape);
	EQUAL(shape_value_or(&shape, SHAPE_LANES, 0), row->lanes);
	EQUAL(shape.width_count, row->widths);
	EQUAL(shape_value_or(&shape, SHAPE_LINE, 0), row->line);
	EQUAL(shape_value_or(&shape, SHAPE_SECTOR, 0), row->sector);
	EQUAL(shape_value_or(&shape, SHAPE_BANKS, 0), row->banks);
	EQUAL(shape_value_or(&shape, SHAPE_SHARED_ON_CHIP, -1), row->on_chip);
	EQUAL(shape_value_or(&shape, SHAPE_UNIT_THREADS, 0), row->unit_threads);
	EQUAL(shape_value_or(&shape, SHAPE_UNIT_SHARED, 0), row->unit_kib * 1024);
	EQUAL(shape.parts, row->parts);
}

/* The chip has a source, and its models exist. The usual width is one of the widths. */
static void must_be_whole(const char *name)
{
	struct device_shape shape = {0};
	struct chip chip;
	bool listed = false;

	CHECK(IS(chip_of_name(name, &chip)), STRING(chip.name, name),
		IS(chip.source && *chip.source), SOME(access_model_find(chip.access)));
	if (chip.model)
		SOME(access_model_find(chip.model));
	NOT(chip.shared_on_chip && chip.shared_in_memory);
	chip_fill(&chip, &shape);
	IS(shape.unit && shape.width_count > 0);
	IS((shape.part != NULL) == (shape.parts > 1));
	for (size_t k = 0; k < shape.width_count; k++)
		listed |= shape.widths[k] == shape_value_or(&shape, SHAPE_LANES, 0);
	IS(listed || shape_value_or(&shape, SHAPE_LANES, 0) == 0);
}

TEST(rows_are_whole, "every row has a source, widths and models")
{
	struct chip chip;

	for (size_t i = 0; i < chip_count; i++)
		must_be_whole(chips[i].name);
	for (size_t i = 0; i < occupancy_unit_count; i++)
		must_be_whole(occupancy_units[i].name);
	CHECK(NOT(chip_of_name("", &chip)), NOT(chip_of_name("gfx", &chip)));
}

/* Each GPU with a model has a row, except the name of the access model for all Adreno. */
TEST(models_have_rows, "every model has a row")
{
	struct chip chip;

	for (size_t i = 0; access_model_words[i]; i++)
		IS(chip_of_name(access_model_words[i], &chip) ||
			strcmp(access_model_words[i], "adreno") == 0);
}
