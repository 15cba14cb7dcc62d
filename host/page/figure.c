#include "host/page/figure.h"

#include "host/page/html.h"
#include "host/page/svg.h"

void figure_put_sign(const struct chart_series *series, FILE *out)
{
	char path[SVG_MARK_BYTES];

	html_markup(out, "<svg class=\"sign\" viewBox=\"0 0 22 14\" aria-hidden=\"true\">");
	if (series->shape != CHART_POINTS)
		fprintf(out, "<path class=\"l i%u d%u\" stroke-width=\"2\" d=\"M0 7L22 7\"/>",
			series->tint, series->mark);
	if (series->shape != CHART_LINE_NO_POINTS) {
		svg_mark_path(series->mark, 11, 7, path);
		fprintf(out, "<path class=\"%s m i%u\" d=\"%s\"/>",
			svg_mark_is_filled(series->mark) ? "a" : "l", series->tint, path);
	}
	html_markup(out, "</svg>");
}

static void put_legend(const struct chart *chart, FILE *out)
{
	bool begun = false;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct chart_series *series = &chart->series[i];
		if (!series->name)
			continue;
		html_markup(out, begun ? "<li>" : "<ul class=\"legend\">\n<li>");
		figure_put_sign(series, out);
		html_name(out, series->name);
		html_markup(out, "</li>\n");
		begun = true;
	}
	if (begun)
		html_markup(out, "</ul>\n");
}

void figure_put(const struct chart *chart, const char *drawing, FILE *out)
{
	html_markup(out,
		chart->small ? "<figure class=\"small\"><figcaption>" : "<figure><figcaption>");
	html_title(out, chart->title);
	html_markup(out, "</figcaption>\n");
	put_legend(chart, out);
	html_markup(out, "<div class=\"plot\" tabindex=\"0\" role=\"group\"");
	html_attribute(out, "aria-label", chart->title);
	html_markup(out, ">\n");
	html_markup(out, drawing);
	html_markup(out, "</div></figure>\n");
}
