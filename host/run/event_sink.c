#include "host/run/event_sink.h"

struct event event_new(enum event_kind kind, int64_t task, const char *label)
{
	struct event event;

	record_init(&event_type, &event);
	event.kind = (int)kind;
	event.task = task;
	text_set(&event.label, label);
	return event;
}

void event_emit(const struct event_sink *sink, struct event *event)
{
	sink->emit(sink->context, event);
	record_finish(&event_type, event);
}
