#include "host/run/death.h"

#include "host/io/signal_name.h"
#include "host/record/record.h"
#include "host/run/driver_text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* This process did not send a SIGKILL. The operating system sends it when memory runs out; other
 * programs can send it too. */
void death_describe(int wait_status, const char *needs, int driver_fd, char *text, size_t size)
{
	size_t length;

	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
		snprintf(text, size,
			"the worker ended with SIGKILL: memory ran out, or another program killed "
			"it%s%s",
			needs ? "; " : "", text_or_empty(needs));
	} else if (WIFSIGNALED(wait_status)) {
		snprintf(text, size, "the worker ended with SIG%s (%s)",
			signal_name(WTERMSIG(wait_status)), strsignal(WTERMSIG(wait_status)));
	} else {
		snprintf(text, size, "the worker ended with exit status %d",
			WEXITSTATUS(wait_status));
	}
	length = strlen(text);
	driver_text_cause(driver_fd, text + length, size - length);
}
