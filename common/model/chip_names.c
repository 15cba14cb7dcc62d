#include "common/model/chip.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names by which drivers report chips, in the order of the search. `words` are separated by commas.
 * A word matches if it is in the device's name, board or version, without a letter or digit on
 * either side. # is any digit. `vendor` (in the same form) must then be in the vendor or in the name;
 * NULL: the words name chips of one vendor only.
 *
 * Sources:
 *   AMD       targets: LLVM's user guide of AMDGPU, which also lists the cards of each target.
 *             Mesa's names of chips: src/amd/common/amd_family.c
 *   Intel     intel/compute-runtime, shared/source/dll/devices; Mesa, include/pci_ids
 *   NVIDIA    developer.nvidia.com, CUDA GPU compute capability
 *   Arm       names that begin with Mali-T or Mali-L are those of Arm's kernel driver
 *             (mali_kbase_gpu_id.h)
 *   Qualcomm  Mesa, src/freedreno (FD6..: the names of its own driver)
 */
#define AMD "AMD,Radeon,Advanced Micro Devices"
#define INTEL "Intel"
#define NVIDIA "NVIDIA"
static const struct {
	const char *vendor, *words, *chip;
} names[] = {
	{NULL, "gfx900,gfx902,gfx904,gfx909,gfx90c,vega10,vega12,raven,raven2,renoir", "gfx900"},
	{AMD, "Vega 10,RX Vega,Vega 56,Vega 64,MI25,Pro Vega 16,Pro Vega 20", "gfx900"},
	{NULL, "gfx906,vega20", "gfx906"},
	{AMD, "Vega 20,Radeon VII,Pro Vega II,MI50,MI60", "gfx906"},
	{NULL, "gfx908,arcturus,mi100", "gfx908"},
	{NULL, "gfx90a,aldebaran,mi200", "gfx90a"},
	{AMD, "MI210,MI250,MI250X", "gfx90a"},
	{NULL, "gfx940,gfx941,gfx942", "gfx942"},
	{AMD, "MI300A,MI300X,MI325X", "gfx942"},
	{NULL, "gfx950", "gfx950"},
	{AMD, "MI350X,MI355X", "gfx950"},
	{NULL, "gfx1010,gfx1013,navi10", "gfx1010"},
	{AMD, "RX 5600,RX 5600M,RX 5700,RX 5700M,Pro 5700,Pro W5700", "gfx1010"},
	{NULL, "gfx1011,navi12", "gfx1011"},
	{AMD, "Pro 5600M,Pro V520", "gfx1011"},
	{NULL, "gfx1012,navi14", "gfx1012"},
	{AMD, "RX 5300,RX 5300M,RX 5500,RX 5500M,Pro 5300,Pro 5300M,Pro 5500,Pro 5500M", "gfx1012"},
	{NULL, "gfx1030,navi21", "gfx1030"},
	{AMD, "RX 6800,RX 6900,RX 6950,Pro W6800,Pro W6800X,Pro W6900X,Pro V620", "gfx1030"},
	{NULL, "gfx1031,navi22", "gfx1031"},
	{AMD, "RX 6700,RX 6700M,RX 6750,RX 6800M", "gfx1031"},
	{NULL, "gfx1032,navi23", "gfx1032"},
	{AMD, "RX 66##,RX 66##M,Pro W66##", "gfx1032"},
	{NULL, "gfx1034,navi24", "gfx1034"},
	{AMD, "RX 64##,RX 65##,RX 65##M,Pro W64##", "gfx1034"},
	{NULL, "gfx1033,gfx1035,vangogh,rembrandt", "gfx1035"},
	{AMD, "660M,680M", "gfx1035"},
	{NULL, "gfx1036,raphael_mendocino", "gfx1036"},
	{NULL, "gfx1100,navi31", "gfx1100"},
	{AMD, "RX 79##,Pro W7800,Pro W7900", "gfx1100"},
	{NULL, "gfx1101,navi32", "gfx1101"},
	{AMD, "RX 77##,RX 78##,Pro W7700,Pro V710", "gfx1101"},
	{NULL, "gfx1102,navi33", "gfx1102"},
	{AMD, "RX 76##,RX 77##S,RX 76##S,Pro W7500,Pro W7600", "gfx1102"},
	{NULL, "gfx1103,phoenix", "gfx1103"},
	{AMD, "740M,760M,780M", "gfx1103"},
	{NULL, "gfx1150", "gfx1150"},
	{AMD, "880M,890M", "gfx1150"},
	{NULL, "gfx1151", "gfx1151"},
	{AMD, "8050S,8060S", "gfx1151"},
	{NULL, "gfx1152", "gfx1152"},
	{NULL, "gfx1153", "gfx1153"},
	{NULL, "gfx1200", "gfx1200"},
	{AMD, "RX 9060", "gfx1200"},
	{NULL, "gfx1201", "gfx1201"},
	{AMD, "RX 9070,AI PRO R9700", "gfx1201"},
	/* UHD Graphics 7## is Xe-LP; 5## and 6## are Gen9. */
	{INTEL, "Arc(TM) A###,Arc(TM) A###M,Arc(TM) A###E,Arc(TM) Pro A##,Arc(TM) Pro A##M,GPU Flex",
		"xe-hpg"},
	{INTEL, "Arc(TM) B5##,Arc(TM) Pro B##,Arc(TM) 1##V", "xe2"},
	{INTEL, "GPU Max", "xe-hpc"},
	{INTEL, "Iris(R) Xe,Iris Xe,Xe Graphics,UHD Graphics 7##,UHD Graphics P7##", "xe-lp"},
	{INTEL,
		"Gen9,HD Graphics 5##,HD Graphics P5##,UHD Graphics 6##,HD Graphics 6##,"
		"UHD Graphics P630,HD Graphics P630,Iris(R) Plus Graphics 6##,"
		"Iris(TM) Plus Graphics 6##,"
		"Iris(R) Graphics 5##,Iris(R) Pro Graphics 580",
		"gen9"},
	{"Apple", "Apple M1,Apple M2", "apple-m1"},
	{"Apple", "Apple M3,Apple M4", "apple-m3"},
	{NULL, "Mali-G31,Mali-G51,Mali-G71,Mali-G72,Mali-TDVX,Mali-TSIX,Mali-TMIX,Mali-THEX",
		"mali-g71"},
	{NULL, "Mali-G52,Mali-G76,Mali-TGOX,Mali-TNOX", "mali-g76"},
	{NULL,
		"Mali-G57,Mali-G68,Mali-G77,Mali-G78,Mali-G78AE,Mali-G310,Mali-G510,Mali-G610,"
		"Mali-G710,Mali-G615,Mali-G715,Mali-G620,Mali-G720,Immortalis-G###,Mali-TNAX,"
		"Mali-LBEX,Mali-TTRX,Mali-TBEX,Mali-TBAX,Mali-TVAX,Mali-TGRX,Mali-LODX,Mali-TODX,"
		"Mali-LTUX,Mali-TTUX,Mali-LTIX,Mali-TTIX",
		"mali-g77"},
	{NULL, "Adreno(TM) 5##,Adreno (TM) 5##,Adreno 5##,FD5##", "adreno-5xx"},
	{NULL, "Adreno(TM) 6##,Adreno (TM) 6##,Adreno 6##,FD6##", "adreno-6xx"},
	{NULL, "Adreno(TM) 7##,Adreno (TM) 7##,Adreno 7##,FD7##", "adreno-7xx"},
	/* Only for drivers that do not report the compute capability. "RTX 2000 Ada" also matches
	 * RTX 20##, so its row is the first. */
	{NVIDIA, "L4,L20,L40,L40S,RTX 40##,RTX #000 Ada", "sm_89"},
	{NVIDIA, "T4,T400,T600,T1000,RTX 20##,GTX 16##,Quadro RTX", "sm_75"},
	{NVIDIA, "A30,A100,A800", "sm_80"},
	{NVIDIA, "A2,A10,A10G,A16,A40,RTX 30##,RTX A####", "sm_86"},
	{NVIDIA, "H20,H100,H200,H800,GH200", "sm_90"},
	{NVIDIA, "B100,B200,B300,GB200,GB300", "sm_100"},
	{NVIDIA, "RTX 50##,RTX PRO", "sm_120"},
	{NVIDIA, "NVIDIA,GeForce,Quadro,Tesla", "sm"},
};

/* Numbers by which Intel's drivers name a device, "[0x56a0]", and CL_DEVICE_ID_INTEL. */
static const struct {
	uint32_t first, last;
	const char *chip;
} intel_ids[] = {
	{0x1902, 0x193d, "gen9"},                            /* Skylake */
	{0x5902, 0x593b, "gen9"},                            /* Kaby Lake */
	{0x5a84, 0x5a85, "gen9"},                            /* Apollo Lake */
	{0x3184, 0x3185, "gen9"},                            /* Gemini Lake */
	{0x3e90, 0x3ea9, "gen9"},                            /* Coffee Lake */
	{0x87c0, 0x87ca, "gen9"},                            /* Amber Lake */
	{0x9b21, 0x9bf6, "gen9"},                            /* Comet Lake */
	{0x9a40, 0x9af8, "xe-lp"},                           /* Tiger Lake */
	{0x4905, 0x4909, "xe-lp"},                           /* DG1 */
	{0x4c80, 0x4c9a, "xe-lp"},                           /* Rocket Lake */
	{0x4626, 0x46d4, "xe-lp"},                           /* Alder Lake */
	{0xa720, 0xa7ad, "xe-lp"},                           /* Raptor Lake */
	{0x4f80, 0x4f88, "xe-hpg"},                          /* DG2 */
	{0x5690, 0x56c2, "xe-hpg"},                          /* DG2: Arc A, Flex */
	{0x0b69, 0x0b6e, "xe-hpc"},                          /* Ponte Vecchio */
	{0x0bd0, 0x0bdb, "xe-hpc"}, {0xe202, 0xe223, "xe2"}, /* Battlemage: Arc B */
	{0x6420, 0x64b0, "xe2"},                             /* Lunar Lake */
};

/* Compute capabilities that share the row of another one: the same figures in all tables. */
static const struct {
	const char *arch, *chip;
} arches[] = {{"sm_103", "sm_100"}, {"sm_121", "sm_120"}};

/* ---- Words --------------------------------------------------------------------------------- */

static bool same_letter(char pattern, char letter)
{
	if (pattern == '#')
		return isdigit((unsigned char)letter);
	return tolower((unsigned char)pattern) == tolower((unsigned char)letter);
}

static bool begins_with(const char *text, const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!same_letter(word[i], text[i]))
			return false;
	return !isalnum((unsigned char)text[length]) ||
	       !(word[length - 1] == '#' || isalnum((unsigned char)word[length - 1]));
}

static bool has_word(const char *text, const char *word, size_t length)
{
	for (size_t i = 0; text[i]; i++)
		if ((i == 0 || !isalnum((unsigned char)text[i - 1])) &&
			begins_with(text + i, word, length))
			return true;
	return false;
}

/* Whether a text has one of the words, which are separated by commas. */
static bool has_a_word(const char *text, const char *words)
{
	while (text && *words) {
		size_t length = strcspn(words, ",");

		if (has_word(text, words, length))
			return true;
		words += length + (words[length] == ',');
	}
	return false;
}

/* ---- Search -------------------------------------------------------------------------------- */

static bool chip_of_arch(const char *arch, struct chip *ret_chip)
{
	if (!arch || strncmp(arch, "sm_", 3) != 0)
		return false;
	for (size_t i = 0; i < sizeof arches / sizeof *arches; i++)
		if (strcmp(arches[i].arch, arch) == 0)
			return chip_of_name(arches[i].chip, ret_chip);
	return chip_of_name(arch, ret_chip) || chip_of_name("sm", ret_chip);
}

static bool chip_of_intel_id(const struct chip_facts *facts, struct chip *ret_chip)
{
	const char *text = facts->name ? strstr(facts->name, "[0x") : NULL;
	unsigned long id = facts->pci_id;

	if (id == 0 && text && facts->vendor && has_a_word(facts->vendor, INTEL))
		id = strtoul(text + 1, NULL, 16);
	for (size_t i = 0; id && i < sizeof intel_ids / sizeof *intel_ids; i++)
		if (id >= intel_ids[i].first && id <= intel_ids[i].last)
			return chip_of_name(intel_ids[i].chip, ret_chip);
	return false;
}

bool chip_find(const struct chip_facts *facts, struct chip *ret_chip)
{
	if (chip_of_arch(facts->arch, ret_chip) || chip_of_intel_id(facts, ret_chip))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *vendor = names[i].vendor;

		if (vendor && !has_a_word(facts->vendor, vendor) &&
			!has_a_word(facts->name, vendor))
			continue;
		if (has_a_word(facts->name, names[i].words) ||
			has_a_word(facts->board, names[i].words) ||
			has_a_word(facts->version, names[i].words))
			return chip_of_name(names[i].chip, ret_chip);
	}
	return false;
}

const char *chip_model_of_product(const char *product)
{
	char spaced[64] = "", candidates[3][80];
	size_t length = 0;
	struct chip chip;

	/* "rx7900xtx" becomes "rx 7900 xtx". */
	for (size_t i = 0; product[i] && length + 2 < sizeof spaced; i++) {
		bool changes = i && isalnum((unsigned char)product[i]) &&
			       isalnum((unsigned char)product[i - 1]) &&
			       !isdigit((unsigned char)product[i]) !=
				       !isdigit((unsigned char)product[i - 1]);
		if (changes)
			spaced[length++] = ' ';
		spaced[length++] = product[i];
	}
	snprintf(candidates[0], sizeof candidates[0], "%s", product);
	snprintf(candidates[1], sizeof candidates[1], "%s", spaced);
	snprintf(candidates[2], sizeof candidates[2], "Arc(TM) %s", product);
	for (size_t i = 0; i < 3; i++) {
		const struct chip_facts facts = {
			.vendor = AMD "," INTEL "," NVIDIA ",Apple", .name = candidates[i]};
		if (chip_find(&facts, &chip) && chip.model)
			return chip.model;
	}
	return NULL;
}
