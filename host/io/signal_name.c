#include "host/io/signal_name.h"

#include <signal.h>
#include <stddef.h>

/* Not every C library has a function for this. */
static const struct {
	int number;
	const char *name;
} rows[] = {
	{SIGABRT, "ABRT"},
	{SIGALRM, "ALRM"},
	{SIGBUS, "BUS"},
	{SIGCHLD, "CHLD"},
	{SIGCONT, "CONT"},
	{SIGFPE, "FPE"},
	{SIGHUP, "HUP"},
	{SIGILL, "ILL"},
	{SIGINT, "INT"},
	{SIGKILL, "KILL"},
	{SIGPIPE, "PIPE"},
	{SIGPROF, "PROF"},
	{SIGQUIT, "QUIT"},
	{SIGSEGV, "SEGV"},
	{SIGSTOP, "STOP"},
	{SIGSYS, "SYS"},
	{SIGTERM, "TERM"},
	{SIGTRAP, "TRAP"},
	{SIGTSTP, "TSTP"},
	{SIGTTIN, "TTIN"},
	{SIGTTOU, "TTOU"},
	{SIGURG, "URG"},
	{SIGUSR1, "USR1"},
	{SIGUSR2, "USR2"},
	{SIGVTALRM, "VTALRM"},
	{SIGWINCH, "WINCH"},
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
