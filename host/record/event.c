#include "host/record/event.h"

static const char *const kind_words[] = {
#define XX(name, text) [EVENT_##name] = text,
	EVENT_MAP(XX)
#undef XX
		NULL};

static const char *const action_words[] = {
	[GROUP_RUN] = "run", [GROUP_VERIFY] = "verify", [GROUP_PARITY] = "parity", NULL};

#define RECORD_TYPES
#define RECORDS "host/record/event.def"
#include "common/records.inc"

/* ---- Events -------------------------------------------------------------------------------- */

void event_set_lost(struct event *event, const char *name, const char *reason)
{
	text_format(&event->text, "%s %s is skipped: it cannot be opened: %s",
		text_or_empty(event->label), text_or_empty(name), reason);
}
