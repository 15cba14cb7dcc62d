/*
 * The fastest times of a probe on one device, in the cache directory: one file per device, driver,
 * compiler, number of compute units, kernel, size and clock.
 *
 * A file has the times of the two fastest sessions; the slower of the two is used. A bad sample or
 * a wrong clock may give one session an impossible time. That session is then the fastest one, so
 * its time is no longer used when the next session has stored its own.
 */
#ifndef PMPP_HOST_SUITE_PROBE_CACHE_H
#define PMPP_HOST_SUITE_PROBE_CACHE_H

#include "host/gpu/gpu.h"

#define PROBE_SESSION_BYTES 48

/* The properties that a time depends on. */
struct probe_cache_key {
	const struct gpu_device_info *info;
	const char *work;    /* kernel, its source and the size, as text */
	bool device_timer;   /* false: the host clock */
	const char *session; /* identity; a session replaces only its own time */
};

/* Writes a unique text, for the member `session` of the key. */
void probe_cache_session(char ret_session[PROBE_SESSION_BYTES]);

/* The second fastest time of the other sessions, in ns; the fastest if there is only one; INFINITY
 * if there is none, or the file is damaged or not trusted (host/io/cache_file.h). */
double probe_cache_load(const struct probe_cache_key *key);

/* Stores the session's time if it is among the two fastest. Failures are ignored. */
void probe_cache_store(const struct probe_cache_key *key, double ns);

#endif
