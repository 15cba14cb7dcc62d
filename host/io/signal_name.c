#include "host/io/signal_name.h"

#include <signal.h>
#include <stddef.h>

/* The signals that end a process. Not every C library has a function for their names. */
static const struct {
	int number;
	const char *name;
} rows[] = {
	{SIGABRT, "ABRT"},
	{SIGALRM, "ALRM"},
	{SIGBUS, "BUS"},
	{SIGFPE, "FPE"},
	{SIGHUP, "HUP"},
	{SIGILL, "ILL"},
	{SIGINT, "INT"},
	{SIGKILL, "KILL"},
	{SIGPIPE, "PIPE"},
	{SIGPROF, "PROF"},
	{SIGQUIT, "QUIT"},
	{SIGSEGV, "SEGV"},
	{SIGSYS, "SYS"},
	{SIGTERM, "TERM"},
	{SIGTRAP, "TRAP"},
	{SIGUSR1, "USR1"},
	{SIGUSR2, "USR2"},
	{SIGVTALRM, "VTALRM"},
	{SIGXCPU, "XCPU"},
	{SIGXFSZ, "XFSZ"},
#ifdef SIGPOLL
	{SIGPOLL, "POLL"},
#endif
#ifdef SIGPWR
	{SIGPWR, "PWR"},
#endif
#ifdef SIGSTKFLT
	{SIGSTKFLT, "STKFLT"},
#endif
};

const char *signal_name(int number)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number)
			return rows[i].name;
	return "?";
}
