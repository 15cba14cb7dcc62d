/* A library with the functions of NVIDIA's management library that the program uses. Tests open it
 * by its path, and set what it reports through the symbol fake_nvml. */
#ifndef PMPP_TESTS_SUPPORT_FAKE_NVML_H
#define PMPP_TESTS_SUPPORT_FAKE_NVML_H

#define FAKE_NVML_MAX_PROCESSES 4

struct fake_nvml {
	const char *uuid, *pci; /* of its only device, as NVML expects them; NULL: none */
	int status;             /* result of all functions that read; 0 is success */
	int init_status;
	unsigned sm_mhz, memory_mhz, temperature_c, power_mw;
	unsigned long long reasons;
	unsigned compute[FAKE_NVML_MAX_PROCESSES], graphics[FAKE_NVML_MAX_PROCESSES]; /* pids */
	unsigned compute_count, graphics_count;
	int live; /* calls of nvmlInit_v2() less calls of nvmlShutdown() */
};

#endif
