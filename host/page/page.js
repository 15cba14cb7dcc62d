// Draws the charts of a page of `report`, sorts its tables, and switches rows off.
//
// The functions of `draw` are pure: draw.NAME(data, options) returns the text of an <svg> element, or ""
// if there is nothing to show. data: page_data(the JSON object of the page, host/page/page.c). options:
// {width: in pixels, show: a filter of rows, and the numbers that the chart needs}. They also run
// without a document. The code below "The document" connects them with the page.
"use strict";

// ---- Texts and numbers --------------------------------------------------------------------------

const FONT = 12;
const LINE = 16;

const escape_text = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// An estimate: the script cannot measure texts without a document.
const WIDTHS = [[/[^\x00-\u02ff]/, FONT], [/[ilj.,:;|!'() tfr]/, 4.5], [/[mwMW%@×]/, 10.8],
	[/[A-Z]/, 8.6], [/[^]/, 7.4]];
const letter_width = (letter) => WIDTHS.find(([set]) => set.test(letter))[1];
const text_width = (text) => [...String(text)].reduce((sum, letter) => sum + letter_width(letter), 0);

function clip(text, width) {
	const letters = [...String(text)];
	if (text_width(text) <= width) return String(text);
	while (letters.length && text_width(letters.join("") + "…") > width) letters.pop();
	return letters.join("") + "…";
}

// Three digits: "4330", "12.5", "0.988".
function number(value) {
	if (!Number.isFinite(value)) return "–";
	if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e7)) return value.toExponential(1);
	const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
	return String(Number(value.toFixed(Math.min(digits, 6))));
}

// A number with the largest fitting unit of [factor, name], which ascend.
function scaled(value, units) {
	const [factor, name] = units.findLast(([factor]) => value >= factor) || units[0];
	return `${number(value / factor)} ${name}`;
}
const TIMES = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
const BYTES = [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"]];
const time_text = (ns) => scaled(ns, TIMES);
const bytes_text = (bytes) => scaled(bytes, BYTES);

const unique = (list) => [...new Set(list)];
const positive = (value) => Number.isFinite(value) && value > 0;

// ---- SVG ----------------------------------------------------------------------------------------

function tag(name, attributes, content = "") {
	const list = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== "")
		.map(([key, value]) => ` ${key}="${escape_text(typeof value === "number"
			? Math.round(value * 10) / 10 : value)}"`).join("");
	return `<${name}${list}>${content}</${name}>`;
}

const label = (x, y, text, anchor = "start", style = "") =>
	tag("text", {x, y, "text-anchor": anchor, class: style}, escape_text(text));

const svg = (width, height, title, content) => tag("svg", {viewBox: `0 0 ${width} ${Math.ceil(height)}`, width,
	height: Math.ceil(height), role: "img", "aria-label": title, tabindex: 0}, content);

// A drawing with its title, and with a legend (items: see legend()). height: of the content.
function picture(width, height, title, items, content) {
	const lines = wrap(title, width / 1.2), head = legend(items, width);
	const top = lines.length * LINE + head.height + 6;
	return svg(width, top + height, title,
		lines.map((words, i) => label(0, FONT + i * LINE, words, "start", "strong")).join("") +
		tag("g", {transform: `translate(0 ${lines.length * LINE + 2})`}, head.text) +
		tag("g", {transform: `translate(0 ${top})`}, content));
}

// A mark that has figures: those of the row, or the text `tip`.
const point = (row, tip, content) =>
	tag("g", {class: "point", "data-row": row, "data-tip": tip}, content);

// Marks: CUDA is filled, OpenCL is open, others are small.
const SHAPES = {
	disc: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
	square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
	diamond: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${
		-1.3 * r}z`,
	triangle: (x, y, r) => `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
	down: (x, y, r) => `M${x} ${y + 1.2 * r}l${1.2 * r} ${-2.1 * r}h${-2.4 * r}z`,
	tall: (x, y, r) => `M${x - 0.6 * r} ${y - 1.3 * r}h${1.2 * r}v${2.6 * r}h${-1.2 * r}z`,
};
const round = (path) => path.replace(/-?\d+\.\d+/g, (n) => String(Math.round(n * 10) / 10));

const line = (x1, y1, x2, y2, style) => tag("path", {class: style, d: round(`M${x1} ${y1}L${x2} ${y2}`)});

function mark(x, y, colour, open = false, shape = "disc", r = 4.5) {
	return tag("path", {class: `mark ${colour}${open ? " open" : ""}`, d: round(SHAPES[shape](x, y, r))});
}

// The words of a text in lines of at most `width` pixels.
function wrap(text, width) {
	const lines = [];
	for (const word of String(text).split(" ")) {
		const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
		if (lines.length && text_width(longer) <= width) lines[lines.length - 1] = longer;
		else lines.push(clip(word, width));
	}
	return lines;
}

// Items {colour, open, shape, bar, line, text} beside and below each other; of equal texts only one. Returns
// {text, height}.
function legend(items, width) {
	let x = 0, y = FONT, text = "";
	for (const item of new Map(items.map((item) => [item.text, item])).values()) {
		const lines = wrap(item.text, width - 24);
		const space = 18 + Math.max(...lines.map(text_width)) + 14;
		if (x > 0 && x + space > width + 14) {
			x = 0;
			y += LINE + 2;
		}
		text += item.line ? line(x, y - 4, x + 14, y - 4, item.line) : item.bar
			? tag("path", {class: `bar ${item.colour}${item.open ? " open" : ""}`,
				d: `M${x + 1} ${y - 9.5}h11v10h-11z`})
			: mark(x + 7, y - 4, item.colour, item.open, item.shape);
		text += lines.map((words, i) => label(x + 18, y + i * LINE, words)).join("");
		y += (lines.length - 1) * LINE;
		x += space;
	}
	return {text, height: items.length ? y + 10 : 0};
}

// ---- Axes ---------------------------------------------------------------------------------------

// Ticks of a logarithmic axis: decades, and 2 and 5 between them if there is space.
function log_ticks(low, high, most) {
	if (high < 6 * low) return linear_ticks(low, high, most).filter(positive);
	const first = Math.floor(Math.log10(low));
	const decades = Array.from({length: Math.log10(high) - first + 1}, (_, i) => 10 ** (first + i));
	const sets = [[1, 2, 5], [1, 3], [1]].map((steps) => decades.flatMap((decade) =>
		steps.map((step) => step * decade)).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001));
	const ticks = sets.find((set) => set.length <= most) || sets[2];
	return ticks.filter((_, i) => i % Math.ceil(ticks.length / most) === 0);
}

function linear_ticks(low, high, most) {
	const raw = (high - low) / Math.max(most, 1);
	const decade = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map((n) => n * decade).find((s) => s >= raw * 0.999);
	const ticks = [];
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high * 1.0001; i++) ticks.push(i * step);
	return ticks;
}

// A function from values to pixels. log: equal distances are equal factors.
function scale(low, high, from, to, log, most) {
	if (!(high > low)) [low, high] = log ? [low / 2, low * 2] : [Math.min(0, low), Math.max(low, 1)];
	const place = log ? Math.log : (v) => v;
	const at = (value) => from + (to - from) * (place(value) - place(low)) / (place(high) - place(low));
	return Object.assign(at, {low, high, ticks: (log ? log_ticks : linear_ticks)(low, high, most)});
}

function x_axis(x, top, bottom, title, names = number) {
	return x.ticks.map((tick) => line(x(tick), top, x(tick), bottom, "gridline") +
		label(Math.max(x(tick), text_width(names(tick)) / 2), bottom + 14, names(tick), "middle", "soft"))
		.join("") + label((x(x.low) + x(x.high)) / 2, bottom + 31, title, "middle", "soft");
}

function y_axis(y, left, right, title) {
	return y.ticks.map((tick) => line(left, y(tick), right, y(tick), "gridline") +
		label(left - 5, y(tick) + 4, number(tick), "end", "soft")).join("") +
		label(0, FONT, title, "start", "soft");
}

// Returns a function that places a text near a point so that it covers neither another text nor a box in
// `taken`. Farther texts have a line to their point.
function placer(taken, left, right, top, bottom) {
	const free = (box) => box.x >= left && box.x + box.w <= right && box.y >= top && box.y + box.h <= bottom &&
		!taken.some((o) => box.x < o.x + o.w && o.x < box.x + box.w && box.y < o.y + o.h && o.y < box.y + box.h);
	return (x, y, text) => {
		const w = text_width(text), h = 13;
		for (let ring = 0; ring < 10; ring++)
			for (let angle = 0; angle < 12; angle++) {
				const cos = Math.cos(angle * Math.PI / 6), sin = Math.sin(angle * Math.PI / 6);
				const px = x + cos * (8 + 9 * ring), py = y + sin * (11 + 9 * ring);
				const box = {x: px - w / 2 + cos * w / 2, y: py - h / 2, w, h};
				if (!free(box)) continue;
				taken.push(box);
				return (ring > 1 ? line(x, y, px, py, "leader") : "") + label(box.x, box.y + 10, text, "start", "halo");
			}
		return "";
	};
}

// ---- Data ---------------------------------------------------------------------------------------

// Makes objects of the rows, and adds what follows from their values.
function page_data(json) {
	const rows = json.rows.map((values, index) => {
		const row = Object.fromEntries(json.columns.map((name, i) => [name, values[i]]));
		const problem = json.problems[row.problem], side = json.sides[row.side];
		return Object.assign(row, {index, family: problem.family, device: side.device,
			backend: side.backend, size: problem.text, gflops: row.flops / row.ns,
			intensity: row.flops / row.bytes});
	});
	return {...json, rows};
}

const colour_of = (data, side) => `c${data.sides[side].device % 8}`;
const is_open = (data, side) => data.sides[side].backend !== "CUDA" &&
	data.sides.some((other) => other.backend === "CUDA");

// Colours by what limits a variant.
const LIMITS = [["memory", ["memory"]], ["arithmetic", ["compute", "tensor"]],
	["shared memory or L1", ["shared", "l1"]], ["L2", ["l2"]], ["cache (faster than memory)", ["cache"]],
	["latency or launch", ["latency", "launch"]], ["an unknown resource", []]];
const shape_name = (index) => Object.keys(SHAPES)[index % Object.keys(SHAPES).length];

function limit_of(row) {
	const index = LIMITS.findIndex(([, words]) => !words.length || words.includes(row.limit));
	return {colour: `c${index}`, shape: shape_name(index), text: `limited by ${LIMITS[index][0]}`};
}

// The rows of charts that show one problem of each family.
const main_rows = (data, show, is_of) =>
	data.rows.filter((row) => is_of(row) && row.main && positive(row.ns) && show(row));

// The fastest row of each family that solves its problem, else the fastest one.
function fastest(rows) {
	const best = new Map();
	for (const row of rows) {
		const other = best.get(row.family);
		if (!other || row.solves > other.solves || (row.solves === other.solves && row.ns < other.ns))
			best.set(row.family, row);
	}
	return [...best.values()];
}

// ---- Strips: one row for each name, marks along one axis ------------------------------------------

// points: {name: of the row, x, low, high, tip, row: of the table, colour, open, shape, text: beside the
// mark}. axis: {title, log, low, high, pitch: height of a row whose points are in three lines, rules: [{at,
// style}]}.
function strip(points, axis, items, title, width) {
	if (!points.length) return "";
	const rows = unique(points.map((p) => p.name));
	const widest = Math.max(...rows.map(text_width)), above = widest > 0.34 * width;
	const left = above ? 8 : widest + 10, pitch = (axis.pitch || 22) + (above ? 12 : 0);
	const texts = Math.max(...points.map((p) => text_width(p.text || "")));
	const right = width - Math.min(12 + texts, 0.3 * width), bottom = rows.length * pitch + 2;
	// Intervals extend the axis to at most 1.5 times the largest mark, and to the smallest mark / 1.5.
	const least = Math.min(...points.map((p) => p.x)) / 1.5, most = Math.max(...points.map((p) => p.x)) * 1.5;
	const values = points.flatMap((p) => [p.x, Math.max(p.low ?? NaN, least), Math.min(p.high ?? NaN, most),
		axis.low, axis.high]).filter(axis.log ? positive : Number.isFinite);
	const low = Math.min(...values), high = Math.max(...values);
	const x = axis.log ? scale(low / 1.05, high * 1.05, left, right, true, width / 60)
		: scale(Math.min(0, low), high * 1.03, left, right, false, width / 80);
	let body = x_axis(x, 0, bottom, axis.title);
	for (const rule of axis.rules)
		if (rule.at >= x.low && rule.at <= x.high)
			body += line(x(rule.at), 0, x(rule.at), bottom, rule.style);
	rows.forEach((name, i) => {
		const middle = i * pitch + (pitch + (above ? 12 : 0)) / 2;
		body += above ? label(8, middle - pitch / 2 + 6, clip(name, width - 8), "start", "halo")
			: label(left - 8, middle + 4, name, "end");
		points.filter((p) => p.name === name).forEach((p, n) => {
			const y = middle + (axis.pitch ? (n % 3 - 1) * 8 : 0);
			const from = x(Math.max(p.low, x.low)), to = x(Math.min(p.high, x.high));
			const whisker = to - from > 9 ? line(from, y, to, y, `whisker ${p.colour}`) : "";
			const space = 9 + text_width(p.text || ""), after = x(p.x) + space <= width;
			const fits = p.text && (after || x(p.x) - space >= left);
			body += point(p.row, p.tip, whisker + mark(x(p.x), y, p.colour, p.open, p.shape) + (fits
				? label(x(p.x) + (after ? 9 : -9), y + 4, p.text, after ? "start" : "end", "halo") : ""));
		});
	});
	return picture(width, bottom + 38, title, items, body);
}

// ---- Charts -------------------------------------------------------------------------------------

const draw = {};

// Bars of all variants of a problem, in ladder order.
draw.ladder = (data, {problem, width, show}) => {
	const all = main_rows(data, show, (row) => row.problem === problem && positive(row.rate));
	if (!all.length) return "";
	const {unit, less} = all[0], rows = all.filter((row) => row.unit === unit);
	const rates = rows.map((row) => row.rate), high = Math.max(...rates), low = Math.min(...rates);
	// Intervals and claims extend the axis to at most 1.25 times the largest rate, so the bars stay long.
	const beyond = rows.flatMap((row) => [rate_ends(row)[1], claimed(row)]).filter(positive);
	const log = high > 100 * low;
	const x = scale(log ? low / 2 : 0, Math.max(high, Math.min(1.25 * high, Math.max(...beyond))), 4, width - 24,
		log, width / 80);
	let y = 0, bars = "";
	for (const name of unique(rows.map((row) => row.name))) {
		const own = rows.filter((row) => row.name === name);
		const technique = own[0].technique && own[0].technique !== "-" ? ` – ${own[0].technique}` : "";
		const base = own[0].base && own.some((row) => positive(row.step)) ? `; step over ${own[0].base}` : "";
		const other = !own[0].solves && rows.some((row) => row.solves) ? " (another problem)" : "";
		for (const words of wrap(name + technique + other + base, width / 1.1)) {
			bars += label(0, y + FONT, words, "start", "strong");
			y += LINE;
		}
		y += 2;
		for (const row of own) {
			bars += ladder_bar(data, row, x, y, width);
			y += 17;
		}
		y += 6;
	}
	const axis = `${unit} (${less ? "less" : "more"} is better${log ? "; logarithmic" : ""})`;
	return picture(width, y + 38, `${data.families[all[0].family]}, ${all[0].size}: ${axis}`,
		rows.map((row) => ({colour: colour_of(data, row.side), open: is_open(data, row.side),
			text: data.sides[row.side].name, bar: true})), x_axis(x, 0, y, axis) + bars);
};

// The rates at the two ends of the interval of the time, ascending.
function rate_ends({rate, ns, low, high, less}) {
	const ends = positive(low) ? [ns / high, ns / low] : [1, 1];
	return (less ? [1 / ends[1], 1 / ends[0]] : ends).map((factor) => rate * factor);
}

// The rate that a claim promises; NaN: it has no lower limit.
function claimed(row) {
	const {verdict, observed, expected} = row;
	if (!verdict || !positive(observed) || !positive(expected)) return NaN;
	return row.less ? row.rate * observed / expected : row.rate * expected / observed;
}

const VERDICT_SIGNS = {"holds": "✓", "does not hold": "✗", "undecided": "?"};

function ladder_bar(data, row, x, y, width) {
	const end = x(row.rate), colour = colour_of(data, row.side), middle = y + 7;
	const step = positive(row.step) ? ` · ${number(row.step)}x` : "";
	const ratio = positive(row.observed) && number(row.observed) !== number(row.step) ? `${number(row.observed)}x ` : "";
	const sign = row.verdict ? ` · claim ${ratio}${VERDICT_SIGNS[row.verdict]}` : "";
	const text = number(row.rate) + step + sign;
	const inside = (rate) => Math.min(Math.max(rate, x.low), x.high);
	const [low, high] = rate_ends(row).map((rate) => x(inside(rate)));
	const goal = claimed(row), shown = positive(goal), at = shown ? x(inside(goal)) : 0;
	// A claim beyond the axis has a triangle at the end of the axis that points outwards.
	const sign_of = goal > x.high ? `M${at + 6} ${y + 7}l-8 -5v10z` : `M${at} ${y + 5}l-4 -6h8zM${at} ${y}v14`;
	const after = Math.max(end, at, high) + 6, fits = after + text_width(text) <= width;
	return point(row.index, "",
		tag("path", {class: `bar ${colour}${is_open(data, row.side) ? " open" : ""}`,
			d: round(`M${x(x.low)} ${y}H${Math.max(end, 5)}v14H${x(x.low)}z`)}) +
		(high - low > 4 ? line(low, middle, high, middle, "interval") : "") +
		(shown ? tag("path", {class: "claim", d: round(sign_of)}) : "") +
		label(fits ? after : Math.max(Math.min(end, low, shown ? at : end) - 6, text_width(text)), y + 11, text,
			fits ? "start" : "end", "halo"));
}

// Variants by intensity and rate, below the roofs of the device.
draw.roofline = (data, {side, width, show}) => {
	const roofs = data.sides[side].roofs, bandwidth = roofs.copy || roofs.read;
	const rows = main_rows(data, show, (row) => row.side === side && positive(row.intensity));
	if (!rows.length || !(bandwidth || roofs.f32)) return "";
	const flat = Object.entries(roofs).filter(([name]) => name !== "copy" && name !== "read" &&
		(name === "f32" || rows.some((row) => row.operations === name))).sort((a, b) => b[1] - a[1]);
	const named = fastest(rows).sort((a, b) => b.gflops - a.gflops);
	const floor_of = (row) => (named.includes(row) && positive(row.share) ? row.gflops / row.share : NaN);
	const floors = named.map(floor_of).filter(positive), rates = rows.map((row) => row.gflops);
	const knees = bandwidth && flat.length ? [flat.at(-1)[1] / bandwidth] : [];
	const intensities = rows.map((row) => row.intensity);
	const unknown = {colour: "c7", open: true, text: "the roof of its type was not measured"};
	const items = [...rows.map(limit_of), ...(rows.every((row) => roofs[row.operations]) ? [] : [unknown]),
		...(bandwidth ? [{line: "roof",
			text: `memory bandwidth (${roofs.copy ? "copy" : "read"}): ${number(bandwidth)} GB/s`}] : [])];
	const names = Math.max(0, ...flat.map(([type, rate]) => text_width(roof_name(type, rate, width))));
	const left = 62, right = width - names - 10, top = 24, bottom = top + Math.max(320, width * 0.5);
	const x = scale(Math.min(...intensities) / 1.6, Math.max(...intensities, ...knees) * 1.6, left, right, true,
		width / 60);
	const y = scale(Math.min(...rates) / 1.6, Math.max(...rates, ...flat.map(([, rate]) => rate), ...floors) * 1.5,
		bottom, top, true, 9);
	let body = y_axis(y, left, right, "GFLOP/s (more is better)") +
		x_axis(x, top, bottom, "FLOP per byte of compulsory traffic") + roof_lines(flat, bandwidth, x, y, width);
	const box = (intensity, rate) => ({x: x(intensity) - 5, y: y(rate) - 5, w: 10, h: 10});
	const taken = rows.flatMap((row) => [box(row.intensity, row.gflops), box(row.intensity, floor_of(row))]);
	for (let at = x.low; bandwidth && at < x.high && at * bandwidth < y.high; at *= 1.15)
		taken.push(box(at, at * bandwidth));
	for (const row of rows) {
		const limit = limit_of(row), px = x(row.intensity), py = y(row.gflops), floor = y(floor_of(row));
		const dash = Number.isFinite(floor) ? line(px, py, px, floor, "floor") +
			line(px - 5, floor, px + 5, floor, "floor end") : "";
		body += point(row.index, "", dash + mark(px, py, limit.colour, !roofs[row.operations], limit.shape));
	}
	const place = placer(taken, left, right, top, bottom);
	for (const row of named)
		body += place(x(row.intensity), y(row.gflops), data.families[row.family]);
	return picture(width, bottom + 38, `${data.sides[side].name}: roofline`, items, body);
};

// The name has the figure if there is space.
const roof_name = (type, rate, width) => type + (width < 480 ? "" : `: ${number(rate)}`);

// The sloping roof of memory, and the flat roofs with their names behind the end of the axis.
function roof_lines(flat, bandwidth, x, y, width) {
	let body = "", last = -Infinity;
	if (bandwidth) {
		const start = Math.max(x.low, y.low / bandwidth);
		const end = Math.min(x.high, y.high / bandwidth, flat.length ? flat[0][1] / bandwidth : Infinity);
		body += line(x(start), y(start * bandwidth), x(end), y(end * bandwidth), "roof");
	}
	for (const [type, rate] of flat) {
		const knee = Math.max(x.low, bandwidth ? rate / bandwidth : x.low);
		last = Math.max(y(rate) + 4, last + 13);
		if (knee < x.high)
			body += line(x(knee), y(rate), x(x.high), y(rate), "roof") +
				label(x(x.high) + 4, last, roof_name(type, rate, width), "start", "soft");
	}
	return body;
}

// The largest floor as a part of the time, one line for each family.
const floors = (data, rows, title, width, text) => strip(rows.map((row) => ({...limit_of(row), row: row.index,
	x: 100 * row.share, name: data.families[row.family], text: text(row)})),
{title: "largest floor, % of the time", high: 100, rules: [{at: 100, style: "rule"}]}, rows.map(limit_of), title, width);

draw.shares = (data, {side, width, show}) =>
	floors(data, main_rows(data, show, (row) => row.side === side && positive(row.share)),
		`${data.sides[side].name}: the part of the time that the largest floor explains`, width, () => "");

// One device: what limits the fastest variant of each family.
draw.limits = (data, {device, width, show}) =>
	floors(data, fastest(main_rows(data, show, (row) => row.device === device && positive(row.share))),
		`${data.devices[device]}: what limits the fastest variant of each family`, width,
		(row) => `${row.name}: ${row.limit || "unknown"}`);

// Two devices or more: the gains of the fastest variants.
draw.overview = (data, {width, show}) => {
	const order = ["memory-bound", "compute-bound", "other"];
	const pairs = data.overview.map(([group, row, other]) => ({group, row: data.rows[row], other: data.rows[other]}))
		.filter(({row, other}) => show(row) && show(other))
		.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
	const style = ({row, other}) => ({colour: `c${other.device % 8}`, shape: shape_name(other.device),
		text: `${data.devices[row.device]} against ${data.devices[other.device]}`});
	const time = (row) => `${data.sides[row.side].name}, ${row.name}: ${time_text(row.ns)}`;
	const points = pairs.map((pair) => {
		const {row, other} = pair, family = data.families[row.family], x = other.ns / row.ns;
		const groups = unique(pairs.filter((other) => other.row.family === row.family).map((other) => other.group));
		return {...style(pair), text: "", x, row: row.index,
			name: groups.length > 1 ? family : `${family} (${pair.group})`,
			tip: `${family}, ${row.size}: ${number(x)} x\n${time(row)}\n${time(other)}`};
	});
	return strip(points, {title: "time of the second device / time of the first device", log: true, low: 0.9,
		high: 1.1, rules: [{at: 1, style: "rule"}]}, pairs.map(style),
	"The fastest variants of each family: devices compared", width);
};

const VERDICTS = {SAME: ["c7", "disc", "SAME"], FAST: ["c2", "triangle", "FAST: OpenCL is faster"],
	SLOW: ["c6", "square", "SLOW: OpenCL is slower"], AMBG: ["c1", "diamond", "AMBG: not certain"]};

// Ratios of OpenCL and another backend, the largest first. name: of the line of a row.
function ratios(data, {device, width, show}, title, pitch, name, is_shown) {
	const pairs = data.parity.filter(([row]) => data.rows[row].device === device && show(data.rows[row]));
	const points = pairs.filter((pair) => is_shown(pair[6])).sort((a, b) => b[2] - a[2]).map(
		([index, , x, low, high, tolerance, verdict, bits]) => {
			const row = data.rows[index], [colour, shape, text] = VERDICTS[verdict];
			return {x, low, high, row: index, colour, shape, meaning: text, name: name(row),
				tip: `${data.families[row.family]}/${row.name}\n${row.size}\nratio: ${number(x)} [${
					number(low)}, ${number(high)}]\ntolerance: ${number(100 * tolerance)} %\nverdict: ${
					verdict}\nbits: ${bits}`};
		});
	const usual = pairs.map((pair) => pair[5]).sort((a, b) => a - b)[Math.floor(pairs.length / 2)] || 0;
	return strip(points, {title: "time OpenCL / time CUDA (logarithmic)", log: true, low: 0.95, high: 1.05, pitch,
		rules: [{at: 1, style: "rule"}, {at: 1 + usual, style: "rule thin"}, {at: 1 / (1 + usual),
			style: "rule thin"}]}, points.map((p) => ({...p, text: p.meaning})),
	`${data.devices[device]}: ratio of the backends, ${title}`, width);
}

draw.parity = (data, options) => ratios(data, options, "all variants", 36,
	(row) => data.families[row.family], () => true);

draw.differences = (data, options) => ratios(data, options, "variants that are not SAME", 0,
	(row) => `${data.families[row.family]}/${row.name}`, (verdict) => verdict !== "SAME");

// Rates of the variants of a family by the size of their operands. Each line has the same type, operation and
// data.
draw.sweep = (data, {family, side, width, show}) => {
	const all = data.rows.filter((row) => row.family === family && row.side === side && positive(row.bytes) &&
		positive(row.rate) && show(row));
	const rows = all.filter((row) => row.unit === all[0].unit);
	const kind = (row) => row.size.replace(/ ?[\w=]+=\d+/g, " ").trimEnd();
	const line_of = (row) => `${row.name} ${kind(row)}`;
	const lines = unique(rows.map(line_of)).map((name) => ({name, rows: rows.filter((row) =>
		line_of(row) === name).sort((a, b) => a.bytes - b.bytes)}))
		.filter((line) => unique(line.rows.map((row) => row.bytes)).length >= 3);
	if (!lines.length) return "";
	const one_kind = unique(lines.map((line) => kind(line.rows[0]))).length === 1;
	const style = (i) => ({colour: `c${i % 8}`, shape: shape_name(i + Math.floor(i / 8))});
	const shown = lines.flatMap((line) => line.rows), rates = shown.map((row) => row.rate);
	const sizes = shown.map((row) => row.bytes), left = 50, right = width - 30, top = 42, bottom = 260;
	const x = scale(Math.min(...sizes), Math.max(...sizes), left, right, true, (right - left) / 60);
	const y = scale(Math.min(...rates) / 1.2, Math.max(...rates) * 1.2, bottom, top, true, 8);
	let body = y_axis(y, left, right, `${rows[0].unit} (${rows[0].less ? "less" : "more"} is better)`) +
		x_axis(x, top, bottom, "bytes of all operands", bytes_text);
	const {cache} = data.sides[side];
	if (cache > x.low && cache < x.high)
		body += line(x(cache), top, x(cache), bottom, "rule") + label(x(cache), top - 6,
			`cache: ${bytes_text(cache)}`, x(cache) > (left + right) / 2 ? "end" : "start", "soft halo");
	lines.forEach((line, i) => {
		const {colour, shape} = style(i), places = line.rows.map((row) => `${x(row.bytes)} ${y(row.rate)}`);
		body += tag("path", {class: `curve ${colour}`, d: round(`M${places.join("L")}`)}) +
			line.rows.map((row) => point(row.index, "",
				mark(x(row.bytes), y(row.rate), colour, false, shape, 3.5))).join("");
	});
	return picture(width, bottom + 38, `${data.families[family]} on ${data.sides[side].name}: rate by size`,
		lines.map((line, i) => ({...style(i), text: one_kind ? line.rows[0].name : line.name})), body);
};

// ---- Requests of warps --------------------------------------------------------------------------

const CELL = 18, EDGE = 74;

// "lane 5", "lanes 0 to 31", "lanes 0, 2, ... 30", "7 lanes".
function lanes_text(lanes) {
	const [first, second] = lanes, last = lanes.at(-1), step = second - first;
	if (lanes.length < 3) return `lane${lanes.length > 1 ? "s" : ""} ${lanes.join(", ")}`;
	if (!lanes.every((lane, i) => lane === first + i * step)) return `${lanes.length} lanes`;
	return step === 1 ? `lanes ${first} to ${last}` : `lanes ${first}, ${second}, … ${last}`;
}

function cell(x, y, width, style, text) {
	return tag("path", {class: style, d: round(`M${x + 0.5} ${y + 0.5}h${width - 1}v${CELL - 2}h${1 - width}z`)}) +
		(text === "" ? "" : label(x + width / 2, y + 12.5, text, "middle", `on-${style}`));
}
const shared_text = (lanes) => (lanes.length > 1 ? `${lanes.length}×` : String(lanes[0]));

// The bytes of the active lanes by line: Map of line to Map of first byte to {end, lanes}.
function lines_of(drawing) {
	const lines = new Map();
	drawing.active.forEach((lane, i) => {
		const end = drawing.address[i] + drawing.width;
		for (let start = drawing.address[i], next; start < end; start = next) {
			const number = Math.floor(start / drawing.line);
			next = Math.min(end, (number + 1) * drawing.line);
			const parts = lines.get(number) || new Map(), part = parts.get(start) || {end: next, lanes: []};
			part.lanes.push(lane);
			part.end = Math.max(part.end, next);
			lines.set(number, parts.set(start, part));
		}
	});
	return [...lines].sort((a, b) => a[0] - b[0]);
}

function sector_rows(drawing, top) {
	return lines_of(drawing).map(([number, parts], i) => {
		const y = top + i * (CELL + 2), base = number * drawing.line, list = [...parts];
		const wide = drawing.sector * CELL / 4;
		const touched = new Set(list.flatMap(([start, {end}]) =>
			[start, end - 1].map((byte) => Math.floor((byte - base) / drawing.sector))));
		const sectors = Array.from({length: drawing.line / drawing.sector}, (_, s) =>
			cell(EDGE + s * wide, y, wide, touched.has(s) ? "sector" : "inactive", ""));
		const boxes = list.map(([start, {end, lanes}]) => cell(EDGE + (start - base) * CELL / 4, y + 0.5,
			(end - start) * CELL / 4, "requested", end - start < 4 ? "" : shared_text(lanes)));
		const lanes = unique(list.flatMap(([, part]) => part.lanes)).sort((a, b) => a - b);
		return label(EDGE - 8, y + 13, `byte ${base}`, "end") + sectors.join("") + boxes.join("") +
			label(EDGE + drawing.line / 4 * CELL + 8, y + 13, lanes_text(lanes));
	});
}

function pass_rows(drawing, top) {
	const rows = [label(EDGE - 8, top + 13, "bank", "end") + drawing.passes[0].banks.map((_, bank) =>
		label(EDGE + (bank + 0.5) * CELL, top + 13, bank, "middle", "soft")).join("")];
	drawing.passes.forEach((pass, i) => {
		const y = top + (i + 1) * (CELL + 2), lanes = pass.banks.flat().sort((a, b) => a - b);
		rows.push(label(EDGE - 8, y + 13, `pass ${i + 1}`, "end") + pass.banks.map((own, bank) => cell(EDGE + bank *
			CELL, y, CELL, own.length ? (pass.first ? "requested" : "extra") : "idle", own.length
			? shared_text(own) : "")).join("") + label(EDGE + pass.banks.length * CELL + 8, y + 13,
			lanes_text(lanes)));
	});
	return rows;
}

// One request or branch of a warp: its lanes, and below them lines with sectors, or passes with banks.
draw.lanes = (data, {drawing: index}) => {
	const drawing = data.drawings[index], first = drawing.first;
	const lanes = Array.from({length: drawing.lanes}, (_, lane) => cell(EDGE + lane * CELL, 2, CELL,
		!drawing.active.includes(lane) ? "inactive" : !first || first.includes(lane) ? "requested" : "waits",
		lane)).join("");
	const rows = first ? [] : drawing.passes ? pass_rows(drawing, 30) : sector_rows(drawing, 30);
	const columns = Math.max(drawing.lanes, drawing.passes ? drawing.passes[0].banks.length : 0,
		drawing.passes || first ? 0 : drawing.line / 4);
	const text = first ? `a branch: ${lanes_text(drawing.active)}; first ${first.length ? lanes_text(first) : "none"}`
		: `a request: ${lanes_text(drawing.active)}, ${rows.length - (drawing.passes ? 1 : 0)} ${drawing.passes
			? "passes" : "lines"}`;
	return svg(EDGE + columns * CELL + 130, 30 + rows.length * (CELL + 2), text,
		label(EDGE - 8, 15, "lane", "end") + lanes + rows.join(""));
};

// ---- The document -------------------------------------------------------------------------------

const SWITCHES = [["device", "Devices", (data, key) => data.devices[key]], ["backend", "Backends", (_, key) => key],
	["family", "Families", (data, key) => data.families[key]], ["size", "Sizes", (_, key) => key]];

function element(name, attributes, ...children) {
	const made = Object.assign(document.createElement(name), attributes);
	made.append(...children);
	return made;
}

function draw_charts(data, show, charts) {
	const widths = charts.map((chart) => chart.clientWidth);
	charts.forEach((chart, i) => {
		const numbers = Object.entries(chart.dataset).filter(([key]) => key !== "draw")
			.map(([key, value]) => [key, Number(value)]);
		const options = {...Object.fromEntries(numbers), width: Math.max(widths[i], 260), show};
		chart.innerHTML = draw[chart.dataset.draw](data, options);
		chart.hidden = !chart.firstChild;
	});
}

// Removes charts that have nothing to show, and sections without content. Returns the other charts.
function remove_empty(charts) {
	for (const chart of charts.filter((chart) => chart.hidden)) {
		const section = chart.closest("section");
		chart.remove();
		if (section.querySelector("figure, table, ul")) continue;
		document.querySelector(`nav [href="#${section.id}"]`).parentElement.remove();
		section.remove();
	}
	return charts.filter((chart) => !chart.hidden);
}

// Check boxes that switch rows off. Returns the filter.
function add_switches(data, change) {
	const off = Object.fromEntries(SWITCHES.map(([key]) => [key, new Set()]));
	const sets = SWITCHES.map(([key, title, name]) => {
		const values = unique(data.rows.map((row) => row[key]));
		const boxes = values.map((value) => {
			const box = element("input", {type: "checkbox", checked: true});
			box.addEventListener("change", () => {
				off[key][box.checked ? "delete" : "add"](value);
				change();
			});
			return element("label", {}, box, ` ${name(data, value)}`);
		});
		return values.length > 1 ? element("fieldset", {}, element("legend", {textContent: title}), ...boxes) : "";
	});
	if (sets.some(Boolean))
		document.querySelector("main").prepend(element("details", {className: "switches"},
			element("summary", {textContent: "Show only some devices, backends, families or sizes"}), ...sets));
	return (row) => SWITCHES.every(([key]) => !off[key].has(row[key]));
}

function sort_table(table, column, heading) {
	const down = heading.ariaSort === "ascending", body = table.tBodies[0];
	const key = ({cells}) => (cells[column].dataset.value ? Number(cells[column].dataset.value)
		: cells[column].textContent);
	const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : Number(a > b)) : typeof a === "number" ? -1 : 1);
	const rows = [...body.rows].map((row) => [key(row), row]).sort((a, b) => order(a[0], b[0]));
	for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
	heading.ariaSort = down ? "descending" : "ascending";
	body.append(...(down ? rows.reverse() : rows).map(([, row]) => row));
}

// Makes the titles of a table to buttons.
function add_sorting(table) {
	[...table.tHead.rows[0].cells].forEach((heading, column) => {
		const button = element("button", {type: "button"}, ...heading.childNodes);
		button.addEventListener("click", () => sort_table(table, column, heading));
		heading.append(button);
	});
}

// All figures of a row: those of its table, one on each line.
function figures(index) {
	const row = document.getElementById(`r${index}`), table = row.closest("table");
	const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
	const texts = [...row.cells].map((cell) => cell.textContent.trim());
	return [table.caption.textContent, ...texts.map((text, i) => text && `${titles[i]}: ${text}`)]
		.filter(Boolean).join("\n");
}

function show_tip(tip, mark) {
	const box = mark.getBoundingClientRect();
	tip.textContent = mark.dataset.tip || figures(mark.dataset.row);
	tip.hidden = false;
	const x = Math.min(box.right + 10, document.documentElement.clientWidth - tip.offsetWidth - 8);
	const below = box.bottom + 8 + tip.offsetHeight < window.innerHeight;
	tip.style.left = `${Math.max(8, x) + window.scrollX}px`;
	tip.style.top = `${(below ? box.bottom + 8 : Math.max(8, box.top - 8 - tip.offsetHeight)) + window.scrollY}px`;
}

// Opens what hides the target of the link, and moves the keyboard to it.
function go_to(id) {
	const target = document.getElementById(id);
	if (!target) return;
	for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
	target.scrollIntoView({block: "center"});
}

// Pointer and keyboard: all figures of a mark. Arrow keys move among the marks of a chart, Enter goes to
// the row of the table.
function add_tips() {
	const tip = element("div", {id: "tip", hidden: true});
	tip.setAttribute("role", "status");
	document.body.append(tip);
	const hide = () => {
		tip.hidden = true;
		document.querySelector(".point.now")?.classList.remove("now");
	};
	const move = (chart, step) => {
		const points = [...chart.querySelectorAll(".point")];
		const next = points.at((points.findIndex((p) => p.classList.contains("now")) + step) % points.length);
		hide();
		if (!next) return;
		next.classList.add("now");
		show_tip(tip, next);
	};
	document.addEventListener("pointerover", (event) => {
		const mark = event.target.closest(".point");
		if (mark) show_tip(tip, mark);
		else hide();
	});
	const follow = (mark) => {
		if (mark) location.hash = `r${mark.dataset.row}`;
	};
	document.addEventListener("click", (event) => follow(event.target.closest(".point")));
	document.addEventListener("focusout", hide);
	document.addEventListener("keydown", (event) => {
		const chart = event.target.closest(".chart svg");
		const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
		if (event.key === "Escape") hide();
		if (chart && event.key === "Enter") follow(chart.querySelector(".point.now"));
		if (!chart || !step) return;
		move(chart, step);
		event.preventDefault();
	});
}

function start() {
	const data = page_data(JSON.parse(document.getElementById("data").textContent));
	const show = add_switches(data, () => {
		draw_charts(data, show, charts);
		for (const row of data.rows) document.getElementById(`r${row.index}`).hidden = !show(row);
	});
	let charts = [...document.querySelectorAll(".chart")];
	let width = document.documentElement.clientWidth;
	draw_charts(data, show, charts);
	charts = remove_empty(charts);
	document.querySelectorAll("main table:not(.source)").forEach(add_sorting);
	add_tips();
	window.addEventListener("resize", () => {
		if (width === document.documentElement.clientWidth) return;
		width = document.documentElement.clientWidth;
		draw_charts(data, show, charts);
	});
	window.addEventListener("hashchange", () => go_to(location.hash.slice(1)));
	if (location.hash) go_to(location.hash.slice(1));
}

if (typeof document !== "undefined") start();
else globalThis.pmpp_page = {draw, page_data};
