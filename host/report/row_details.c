#include "host/report/row_details.h"

#include "host/report/format.h"

#include <math.h>

/* ---- Build and samples --------------------------------------------------------------------- */

static void put_build(FILE *out, const struct result_row *row)
{
	const struct resources_record *resources = &row->resources;
	const struct {
		int64_t value;
		const char *what;
	} counts[] = {{resources->registers, "registers"},
		{resources->shared_bytes, "bytes shared"},
		{resources->spill_bytes, "bytes spilled"}};

	fprintf(out, "    build: %s; %.0f ms, cache %s\n", text_or_empty(row->build.options),
		row->build.compile_ms, text_or_empty(row->build.cache));
	for (size_t i = 0; i < ARRAY_COUNT(counts); i++)
		if (counts[i].value >= 0)
			fprintf(out, "%s%lld %s", i ? ", " : "    ", (long long)counts[i].value,
				counts[i].what);
		else
			fprintf(out, "%s%s unknown", i ? ", " : "    ", counts[i].what);
	fprintf(out, "; checked: %s", text_or_empty(row->verify.coverage));
}

static void put_samples(FILE *out, const struct timing_record *timing)
{
	const struct samples_record *samples = timing_record_primary(timing);
	const char *separator = "; flags: ";

	fprintf(out, "; %lld sample%s (%s)", (long long)samples->n, samples->n == 1 ? "" : "s",
		timing_primary_words[timing->primary]);
	if (timing->flushed_bytes > 0)
		fprintf(out, "; flushed %s",
			as_text(format_bytes, (double)timing->flushed_bytes).text);
	else if (timing->flushed_bytes == 0)
		fputs("; not flushed", out);
	for (unsigned i = 0; timing_flag_words[i]; i++) {
		if (!(timing->flags >> i & 1))
			continue;
		fprintf(out, "%s%s", separator, timing_flag_words[i]);
		separator = ", ";
	}
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* "0.98 (0.55 to 1.37, timed in turn)" */
static void put_ratio(
	FILE *out, int digits, double ratio, const double ci95[2], enum record_truth paired)
{
	fprintf(out, "%.*f (", digits, ratio);
	if (isfinite(ci95[0]) && isfinite(ci95[1]))
		fprintf(out, "%.*f to %.*f", digits, ci95[0], digits, ci95[1]);
	else
		fputs("interval unknown", out);
	if (paired != TRUTH_UNKNOWN)
		fprintf(out, ", %stimed in turn", paired == TRUTH_YES ? "" : "not ");
	fputc(')', out);
}

/* Writes nothing if the row has neither. The claim may compare with another variant than the step. Then
 * the claim has its own ratio. */
static void put_comparisons(FILE *out, const struct result_row *row)
{
	const struct derived_record *derived = &row->derived;
	const struct claim_record *claim = &row->claim;
	const char *word = claim_verdict_name(claim_record_verdict(claim));
	bool has_step = isfinite(derived->step);

	if (has_step) {
		fputs("    step ", out);
		put_ratio(out, 2, derived->step, derived->step_ci95, derived->step_paired);
	}
	if (claim->record.present) {
		fputs(has_step ? "; claim" : "    claim", out);
		if (isfinite(claim->expected))
			fprintf(out, " >= %g", claim->expected);
		if (isfinite(claim->at_most))
			fprintf(out, "%s <= %g", isfinite(claim->expected) ? " and" : "",
				claim->at_most);
		fprintf(out, ": %s", word ? word : "n/a");
		if (claim->reason)
			fprintf(out, " (%s)", claim->reason);
		if (word && isfinite(claim->observed) && claim->observed != derived->step) {
			fputs(", ratio ", out);
			put_ratio(out, 2, claim->observed, claim->ci95, claim->paired);
		}
	}
	fputs(has_step || claim->record.present ? "\n" : "", out);
}

static void put_peers(FILE *out, const struct result_row *row)
{
	for (size_t i = 0; i < row->peers.count; i++) {
		const struct peer_record *peer = &row->peers.items[i];

		fprintf(out, "    x %s (%s%s%s): ", peer->variant, peer->library,
			peer->version ? " " : "", text_or_empty(peer->version));
		if (isfinite(peer->ratio))
			put_ratio(out, 3, peer->ratio, peer->ci95, TRUTH_YES);
		else
			fputs("unknown", out);
		fputc('\n', out);
	}
}

/* ---- Rows ---------------------------------------------------------------------------------- */

void row_details_put(FILE *out, const struct result_row *row)
{
	char state[300];

	if (!row->build.record.present)
		return;
	if (row->fallback)
		fprintf(out, "    fallback: %s\n", row->fallback);
	if (row->peer)
		fprintf(out, "    library: %s; checked: %s", row->peer,
			text_or_empty(row->verify.coverage));
	else
		put_build(out, row);
	if (row->timing.record.present)
		put_samples(out, &row->timing);
	fputc('\n', out);
	if (row->timing.record.present) {
		put_comparisons(out, row);
		put_peers(out, row);
	}
	format_device_state(&row->device_state, state, sizeof state);
	if (*state)
		fprintf(out, "    state: %s\n", state);
}
