#include "host/suite/problem_reference.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/own/problem_data.h"
#include "host/gpu/fenced_memory.h"
#include "host/gpu/program_cache.h"
#include "host/io/atomic_file.h"
#include "host/io/clock.h"
#include "host/io/command.h"
#include "host/io/os.h"

#define COMPILE_SECONDS 60
#define REFERENCE_SECONDS 20              /* of one call */
#define REFERENCE_SHARE 0.8               /* of the time limit of a row: all its calls */
#define REFERENCE_BYTES ((rlim_t)1 << 30) /* that the function may allocate */
#define TICK_MS 50
#define FILL 0xff /* the bytes of an output that is not set: floats are NaN */
#define OTHER_FILL 0x5a
/* macOS: always an error. */
#ifdef __APPLE__
#define NO_UNDEFINED
#else
#define NO_UNDEFINED (char[]){"-Wl,-z,defs"},
#endif
#define SOURCE_FILE "reference.c"
#define OBJECT_FILE "reference.so"

/* The values of the function's sizes and scalars, and its arrays, by the order of its parameters. */
typedef void call_fn(void *const *arrays, const long long *sizes, const double *scalars);

/* The answer for a problem: the whole output. */
struct answer {
	struct problem problem; /* family NULL: none */
	double *values;         /* owned */
};

#define ANSWERS 2 /* a verification compares with the problem's data and with other data in turn */

struct problem_program {
	void *object; /* the shared object; owned */
	size_t bytes;
	void *handle; /* of dlopen(); NULL: not opened yet */
	call_fn *call;
	double used_s;        /* by the calls of this row */
	pthread_mutex_t lock; /* of the answers */
	struct answer answers[ANSWERS];
	size_t next;      /* the answer that is replaced next */
	double *expected; /* owned; the answer for the user's inputs, if there is no function */
	/* Of the last call of prepare(). The answers are for the inputs that the problem says. Other inputs have an
	 * answer of their own, which is not kept. */
	struct problem prepared;
	const void *inputs[PMPP_MAX_OPERANDS];
};

/* ---- Building --------------------------------------------------------------------------------- */

/* Writes the text of the program: the user's file, and a function that calls the reference. */
static char *program_text(const struct own_problem *problem)
{
	static const char *const arrays[] = {"arrays", "sizes", "scalars"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out,
		"#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
		"typedef double real;\n#line 1 \"%s\"\n%s\n#line 1 \"pmpp-run\"\n"
		"void pmpp_call(void *const *arrays, const long long *sizes, const double *scalars)\n"
		"{\n\t(void)arrays, (void)sizes, (void)scalars;\n\t" OWN_REFERENCE "(",
		problem->file, problem->text);
	for (size_t i = 0; i < problem->param_count; i++)
		fprintf(out, "%s%s[%zu]", i ? ", " : "", arrays[problem->params[i].role], i);
	fputs(");\n}\n", out);
	fclose(out);
	return text;
}

static bool write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	return file && (fputs(text, file) >= 0) + (fclose(file) == 0) == 2;
}

/* The message has the first line of the compiler with an error, or the first missing function. */
static enum pmpp_status refuse_source(
	const struct own_problem *problem, char *log, struct pmpp_error *error)
{
	const char *missing = strstr(log, "undefined reference");
	const char *at = missing ? missing : strstr(log, "error:");

	while (at && !missing && at > log && at[-1] != '\n')
		at--;
	if (!at)
		PMPP_FAIL(error, PMPP_USAGE, "%s: the C compiler rejects the file", problem->file);
	else
		PMPP_FAIL(error, PMPP_USAGE, "%s%s%.*s", missing ? problem->file : "",
			missing ? ": " : "", (int)strcspn(at, "\n"), at);
	error->log = log;
	return PMPP_USAGE;
}

/* Compiles the text in a folder. */
static enum pmpp_status compile(const struct own_problem *problem, const char *text,
	const char *folder, struct problem_program *program, struct pmpp_error *error)
{
	char source[300], object[300], include[600], compiler[200], *rest = NULL;
	const char *slash = strrchr(problem->file, '/'), *chosen = getenv("CC");
	char *arguments[24] = {0};
	size_t count = 0;
	int code;

	snprintf(source, sizeof source, "%s/" SOURCE_FILE, folder);
	snprintf(object, sizeof object, "%s/" OBJECT_FILE, folder);
	snprintf(include, sizeof include, "%.*s", slash ? (int)(slash - problem->file) + 1 : 1,
		slash ? problem->file : ".");
	snprintf(compiler, sizeof compiler, "%s", chosen && *chosen ? chosen : "cc");
	for (char *word = strtok_r(compiler, " ", &rest); word && count < 8;
		word = strtok_r(NULL, " ", &rest))
		arguments[count++] = word;
	char *const flags[] = {(char[]){"-std=gnu11"}, (char[]){"-O2"}, (char[]){"-fwrapv"},
		(char[]){"-fno-strict-aliasing"}, (char[]){"-fPIC"}, (char[]){"-shared"},
		(char[]){"-Werror=implicit-function-declaration"}, NO_UNDEFINED(char[]){"-iquote"},
		include, (char[]){"-o"}, object, source, (char[]){"-lm"}};
	memcpy(arguments + count, flags, sizeof flags);
	if (!write_file(source, text))
		return PMPP_FAIL(
			error, PMPP_IO, "%s: cannot be written: %s", source, strerror(errno));
	char *log = command_run(arguments, NULL, COMPILE_SECONDS, &code);
	if (!log)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the C compiler '%s' does not run, or takes more than %d s: install one, or "
			"set CC",
			problem->file, arguments[0], COMPILE_SECONDS);
	if (code != 0)
		return refuse_source(problem, log, error);
	free(log);
	FILE *file = fopen(object, "re");
	if (file) {
		program->object = command_read_all(fileno(file), 0, &program->bytes);
		fclose(file);
	}
	return program->object ? PMPP_OK : PMPP_FAIL(error, PMPP_IO, "%s: cannot be read", object);
}

static enum pmpp_status compile_in_folder(const struct own_problem *problem, const char *text,
	struct problem_program *program, struct pmpp_error *error)
{
	const char *temporary = getenv("TMPDIR");
	char folder[256], path[300];

	snprintf(folder, sizeof folder, "%s/pmpp-problem-XXXXXX",
		temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder))
		return PMPP_FAIL(error, PMPP_IO, "cannot make a folder to build in, %s: %s", folder,
			strerror(errno));
	enum pmpp_status status = compile(problem, text, folder, program, error);
	snprintf(path, sizeof path, "%s/" SOURCE_FILE, folder);
	unlink(path);
	snprintf(path, sizeof path, "%s/" OBJECT_FILE, folder);
	unlink(path);
	rmdir(folder);
	return status;
}

static enum pmpp_status open_program(const struct own_problem *problem, struct pmpp_error *error)
{
	struct problem_program *program = problem->program;
	char path[OS_MEMORY_PATH_BYTES];

	if (program->handle)
		return PMPP_OK;
	int file = os_memory_file("pmpp-problem", path);
	if (file >= 0 && file_write_all(file, program->object, program->bytes))
		program->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	/* The loader takes an open object for another one of the same path, so the descriptor stays in use. */
	void *found = program->handle ? dlsym(program->handle, "pmpp_call") : NULL;
	memcpy(&program->call, &found, sizeof found);
	return found ? PMPP_OK
		     : PMPP_FAIL(error, PMPP_USAGE, "%s: cannot be loaded: %s", problem->file,
			       file < 0 ? strerror(errno) : dlerror());
}

/* ---- Arrays of the function --------------------------------------------------------------------- */

static int64_t element_count(const struct problem *problem, size_t operand)
{
	const struct operand *declared = &problem->family->operands[operand];

	return operand_rows(declared, problem) * operand_columns(declared, problem);
}

static void convert(enum dtype to, void *target, enum dtype from, const void *source, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		dtype_store(to, target, i, dtype_load(from, source, i));
}

/* The input with which an output begins, or the operand itself. */
static size_t source_of(const struct family *family, size_t operand)
{
	for (size_t i = 0; i + 1 < family->operand_count; i++)
		if (operand + 1 == family->operand_count && family->operands[i].in_place)
			return i;
	return operand;
}

/* fill: the bytes of an output that has no initial value. */
static void *make_array(const struct problem *problem, const struct own_reference_param *param,
	const void *const *inputs, int fill, struct fenced_memory *ret_memory)
{
	int64_t count = element_count(problem, param->index);
	size_t source = source_of(problem->family, param->index);

	size_t bytes = (size_t)count * dtype_info(param->dtype)->bytes;

	if (!fenced_memory_create(ret_memory, bytes))
		return NULL;
	/* The end of the array is the end of a page. */
	char *array = ret_memory->map + ret_memory->map_bytes - ret_memory->gap - bytes;
	if (inputs[source])
		convert(param->dtype, array, problem->family->operands[source].dtype,
			inputs[source], count);
	else
		memset(array, fill, bytes);
	if (source == param->index && inputs[source])
		fenced_memory_protect(ret_memory);
	return array;
}

/* ---- The process of the function ---------------------------------------------------------------- */

/* Limits the memory of the process to what it has, and REFERENCE_BYTES. */
static void limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long data = 0;
	struct rlimit limit;

	if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &data) == 1 &&
		getrlimit(RLIMIT_DATA, &limit) == 0) {
		limit.rlim_cur = (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE) + REFERENCE_BYTES;
		setrlimit(RLIMIT_DATA, &limit);
	}
	if (file)
		fclose(file);
}

struct call {
	const struct own_problem *own;
	struct fenced_memory memory[PMPP_MAX_ARGS];
	void *arrays[PMPP_MAX_ARGS];
	long long sizes[PMPP_MAX_ARGS];
	double scalars[PMPP_MAX_ARGS];
	size_t output; /* number of its parameter */
	size_t output_bytes;
};

static _Noreturn void run_reference(const struct call *call, int file)
{
	os_end_with_parent(SIGKILL);
	limit_memory();
	call->own->program->call(call->arrays, call->sizes, call->scalars);
	fflush(NULL);
	_exit(file_write_all(file, call->arrays[call->output], call->output_bytes) ? 0 : 1);
}

/* The limit of the next call. All calls for a row together take less than the time limit of the row, so that the error
 * names the reference and not the kernel. */
static double limit_s_of(const struct own_problem *problem)
{
	double left_s = REFERENCE_SHARE * problem->timeout_s - problem->program->used_s;

	return problem->timeout_s > 0 && left_s < REFERENCE_SECONDS ? left_s : REFERENCE_SECONDS;
}

/* Reads the output of the process. Returns false if the time is up, or if it ends before. */
static bool read_output(int file, char *target, size_t bytes, double limit_s, bool *ret_late)
{
	const double end_ns = host_clock_ns() + 1e9 * limit_s;
	size_t used = 0;

	*ret_late = false;
	while (used < bytes) {
		if (os_wait_readable(file, TICK_MS, NULL) == 0) {
			*ret_late = host_clock_ns() > end_ns;
			if (*ret_late)
				return false;
			continue;
		}
		ssize_t got = read(file, target + used, bytes - used);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		used += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* late: the limit of the call was limit_s. */
static void describe_end(const struct own_problem *problem, bool late, double limit_s,
	int wait_status, char *ret_text, size_t size)
{
	if (late && limit_s < REFERENCE_SECONDS)
		snprintf(ret_text, size, "takes more than %.3g s in all its calls for one row",
			REFERENCE_SHARE * problem->timeout_s);
	else if (late)
		snprintf(ret_text, size, "takes more than %d s", REFERENCE_SECONDS);
	else if (WIFSIGNALED(wait_status))
		snprintf(ret_text, size, "ended with SIG%s (%s)%s",
			os_signal_name(WTERMSIG(wait_status)), strsignal(WTERMSIG(wait_status)),
			WTERMSIG(wait_status) == SIGSEGV || WTERMSIG(wait_status) == SIGBUS
				? ": it accesses memory outside of its operands, writes to an input, or "
				  "needs too much memory"
				: "");
	else
		snprintf(ret_text, size, "ended the process with status %d",
			WEXITSTATUS(wait_status));
}

/* " (h=7 w=13; data case: negative)" */
static void add_place(const struct problem *problem, struct pmpp_error *error)
{
	char sizes[200];

	problem_text(problem, sizes, sizeof sizes);
	pmpp_error_append(error, " (%s%s%s)", sizes,
		problem->source == INPUT_CASE ? "; data case: " : "",
		problem->source == INPUT_CASE ? data_case_name(problem->data_case) : "");
}

static enum pmpp_status run_call(
	const struct call *call, void *ret_output, struct pmpp_error *error)
{
	char text[200];
	const double limit_s = limit_s_of(call->own), begin_ns = host_clock_ns();
	int ends[2], wait_status = 0;
	bool late = false;

	fflush(NULL);
	if (!os_pipe(ends))
		return PMPP_FAIL(error, PMPP_INTERNAL, "pipe: %s", strerror(errno));
	pid_t child = fork();
	if (child == 0) {
		/* What the function prints is not a part of the output of this program. */
		dup2(2, 1);
		close(ends[0]);
		run_reference(call, ends[1]);
	}
	close(ends[1]);
	bool good =
		child > 0 && read_output(ends[0], ret_output, call->output_bytes, limit_s, &late);
	close(ends[0]);
	if (child < 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "fork: %s", strerror(errno));
	/* A process that closed the pipe may still run. */
	if (!good)
		kill(child, SIGKILL);
	while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
		;
	call->own->program->used_s += (host_clock_ns() - begin_ns) / 1e9;
	if (good)
		return PMPP_OK;
	describe_end(call->own, late, limit_s, wait_status, text, sizeof text);
	return PMPP_FAIL(error, PMPP_USAGE, "%s: the function '" OWN_REFERENCE "' %s",
		call->own->file, text);
}

/* ---- Answers ---------------------------------------------------------------------------------- */

static void finish_call(struct call *call)
{
	for (size_t i = 0; i < call->own->param_count; i++)
		fenced_memory_destroy(&call->memory[i]);
}

/* Sets the arguments of the function. */
static enum pmpp_status prepare_call(const struct problem *problem, const void *const *inputs,
	int fill, struct call *call, struct pmpp_error *error)
{
	const struct own_problem *own = call->own;

	for (size_t i = 0; i < own->param_count; i++) {
		const struct own_reference_param *param = &own->params[i];
		if (param->role == OWN_REFERENCE_SIZE)
			call->sizes[i] = problem->dim[param->index];
		else if (param->role == OWN_REFERENCE_SCALAR)
			call->scalars[i] = strtod(own->scalars[param->index].value, NULL);
		else if (!(call->arrays[i] = make_array(
				   problem, param, inputs, fill, &call->memory[i])))
			return PMPP_NO_MEMORY(error, "the reference of %s", own->file);
		if (param->role == OWN_REFERENCE_OPERAND &&
			param->index + 1 == problem->family->operand_count)
			call->output = i;
	}
	call->output_bytes = (size_t)element_count(problem, problem->family->operand_count - 1) *
			     dtype_info(own->params[call->output].dtype)->bytes;
	return PMPP_OK;
}

/* PMPP_USAGE: what is wrong with an element of the output. */
static enum pmpp_status refuse_element(const struct problem *problem, int64_t index,
	const char *verb, const char *rest, struct pmpp_error *error)
{
	const struct operand *output = problem_output(problem);
	int64_t columns = operand_columns(output, problem);
	char place[60];

	if (columns == 1 || operand_rows(output, problem) == 1)
		snprintf(place, sizeof place, "%" PRId64, index);
	else
		snprintf(place, sizeof place, "%" PRId64 ",%" PRId64, index / columns,
			index % columns);
	return PMPP_FAIL(error, PMPP_USAGE, "%s: the function '" OWN_REFERENCE "' %s %s[%s]%s",
		problem->family->own->file, verb, output->name, place, rest);
}

/* Every element must be a number of the output's type. Elements that are not set are NaN. */
static enum pmpp_status check_values(const struct problem *problem, const double *values,
	int64_t count, struct pmpp_error *error)
{
	const struct operand *output = problem_output(problem);
	char rest[100];

	for (int64_t i = 0; i < count; i++) {
		uint64_t stored = 0;
		if (isfinite(values[i]))
			dtype_store(output->dtype, &stored, 0, values[i]);
		if (isfinite(values[i]) && dtype_is_finite(output->dtype, &stored, 0))
			continue;
		snprintf(rest, sizeof rest,
			" = %g, or does not set it: set each element to a finite number",
			values[i]);
		return refuse_element(problem, i, "gives", rest, error);
	}
	return PMPP_OK;
}

/* Calls the function once. fill: the bytes of the output before the call. */
static enum pmpp_status call_once(const struct problem *problem, const void *const *inputs,
	int fill, double *ret_values, struct pmpp_error *error)
{
	struct call call = {.own = problem->family->own};
	int64_t count = element_count(problem, problem->family->operand_count - 1);
	enum pmpp_status status = prepare_call(problem, inputs, fill, &call, error);
	void *output = NULL;

	if (status == PMPP_OK && !(output = malloc(call.output_bytes)))
		status = PMPP_NO_MEMORY(error, "the reference of %s", call.own->file);
	if (status == PMPP_OK)
		status = run_call(&call, output, error);
	if (status == PMPP_OK)
		convert(DTYPE_F64, ret_values, call.own->params[call.output].dtype, output, count);
	free(output);
	finish_call(&call);
	return status;
}

/* An integer cannot be NaN. A second call with other initial bytes changes an element that the function does not set,
 * or reads before it sets it. */
static enum pmpp_status check_set(const struct problem *problem, const void *const *inputs,
	const double *values, struct pmpp_error *error)
{
	int64_t count = element_count(problem, problem->family->operand_count - 1);
	double *again = malloc((size_t)count * sizeof *again);
	enum pmpp_status status = again ? call_once(problem, inputs, OTHER_FILL, again, error)
					: PMPP_NO_MEMORY(error, "the reference");

	for (int64_t i = 0; i < count && status == PMPP_OK; i++)
		if (values[i] != again[i])
			status = refuse_element(problem, i, "does not set",
				", or reads it before it sets it: set each element of the output",
				error);
	free(again);
	return status;
}

static enum pmpp_status compute(const struct problem *problem, const void *const *inputs,
	double *ret_values, struct pmpp_error *error)
{
	int64_t count = element_count(problem, problem->family->operand_count - 1);
	enum pmpp_status status = open_program(problem->family->own, error);

	if (status == PMPP_OK)
		status = call_once(problem, inputs, FILL, ret_values, error);
	if (status == PMPP_OK)
		status = check_values(problem, ret_values, count, error);
	if (status == PMPP_OK && !dtype_info(problem_output(problem)->dtype)->is_float)
		status = check_set(problem, inputs, ret_values, error);
	if (status == PMPP_USAGE)
		add_place(problem, error);
	return status;
}

static const double *find_answer(struct problem_program *program, const struct problem *problem)
{
	const double *values = NULL;

	for (size_t i = 0; i < ANSWERS; i++)
		if (program->answers[i].problem.family &&
			problem_equal(&program->answers[i].problem, problem))
			values = program->answers[i].values;
	return values;
}

/* Returns the answer, which is computed if it is not known. The caller has the lock. */
static enum pmpp_status get_answer(const struct problem *problem, const void *const *inputs,
	const double **ret_values, struct pmpp_error *error)
{
	struct problem_program *program = problem->family->own->program;
	int64_t count = element_count(problem, problem->family->operand_count - 1);

	*ret_values = program->expected ? program->expected : find_answer(program, problem);
	if (*ret_values)
		return PMPP_OK;
	struct answer *answer = &program->answers[program->next];
	program->next = (program->next + 1) % ANSWERS;
	answer->problem.family = NULL;
	free(answer->values);
	answer->values = malloc((size_t)count * sizeof *answer->values);
	if (!answer->values)
		return PMPP_NO_MEMORY(error, "the answer of %s", problem->family->own->file);
	enum pmpp_status status = compute(problem, inputs, answer->values, error);
	if (status == PMPP_OK) {
		answer->problem = *problem;
		*ret_values = answer->values;
	}
	return status;
}

/* Whether the inputs are those of the last call of prepare() for this problem. */
static bool is_prepared(const struct problem_program *program, const struct problem *problem,
	const void *const *inputs)
{
	return problem_equal(&program->prepared, problem) &&
	       memcmp(program->inputs, inputs,
		       (problem->family->operand_count - 1) * sizeof *inputs) == 0;
}

/* family.prepare_reference */
static enum pmpp_status prepare(
	const struct problem *problem, const void *const *inputs, struct pmpp_error *error)
{
	struct problem_program *program = problem->family->own->program;
	const double *values;

	pthread_mutex_lock(&program->lock);
	enum pmpp_status status = get_answer(problem, inputs, &values, error);
	program->prepared = *problem;
	memcpy(program->inputs, inputs, (problem->family->operand_count - 1) * sizeof *inputs);
	pthread_mutex_unlock(&program->lock);
	return status;
}

/* The largest absolute value of an answer. */
static double largest_of(const struct problem *problem, const double *values)
{
	int64_t count = element_count(problem, problem->family->operand_count - 1);
	double largest = 0;

	for (int64_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(values[i]));
	return largest;
}

/* family.reference */
static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const struct own_problem *own = problem->family->own;
	int64_t columns = operand_columns(problem_output(problem), problem);
	struct pmpp_error ignored = PMPP_ERROR_INIT; /* prepare() has reported it */
	const double *values = NULL;
	double *other = NULL;

	pthread_mutex_lock(&own->program->lock);
	if (is_prepared(own->program, problem, inputs))
		get_answer(problem, inputs, &values, &ignored);
	else if (!own->program->expected &&
		 (other = malloc(
			  (size_t)(operand_rows(problem_output(problem), problem) * columns) *
			  sizeof *other)) &&
		 compute(problem, inputs, other, &ignored) == PMPP_OK)
		values = other;
	double largest = values ? largest_of(problem, values) : 0;
	for (int64_t i = 0; i < region.rows * region.columns; i++) {
		int64_t row = region.row + i / region.columns;
		double value = values ? values[row * columns + region.column + i % region.columns]
				      : (double)NAN;
		ret_expected[i] = (struct expected){
			.value = value, .slack = own_problem_slack(own, value, largest)};
	}
	pthread_mutex_unlock(&own->program->lock);
	free(other);
	pmpp_error_clear(&ignored);
}

/* ---- Public ----------------------------------------------------------------------------------- */

enum pmpp_status problem_reference_build(struct own_problem *problem, struct pmpp_error *error)
{
	struct problem_program *program = calloc(1, sizeof *program);
	char *text = problem->param_count ? program_text(problem) : NULL;
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	/* Files that the text includes may change. */
	bool cached = !strstr(problem->text, "#include \"");
	const char *parts[] = {"problem", getenv("CC") ? getenv("CC") : "cc", text, NULL};
	enum pmpp_status status = PMPP_OK;

	problem->program = program;
	if (!program || (problem->param_count && !text)) {
		free(text);
		return PMPP_NO_MEMORY(error, "%s", problem->file);
	}
	pthread_mutex_init(&program->lock, NULL);
	problem->family.fill = own_problem_fill;
	problem->family.prepare_reference = prepare;
	problem->family.reference = reference;
	if (!text)
		return PMPP_OK;
	program_cache_key(parts, key);
	if (!cached ||
		program_cache_load(key, &program->object, &program->bytes) != GPU_CACHE_HIT) {
		status = compile_in_folder(problem, text, program, error);
		if (status == PMPP_OK && cached)
			program_cache_store(key, program->object, program->bytes);
	}
	free(text);
	return status;
}

void problem_reference_begin_row(const struct own_problem *problem)
{
	if (problem && problem->program)
		problem->program->used_s = 0;
}

enum pmpp_status problem_reference_expect(const struct problem *problem, enum dtype dtype,
	const void *elements, struct pmpp_error *error)
{
	struct problem_program *program = problem->family->own->program;
	int64_t count = element_count(problem, problem->family->operand_count - 1);

	free(program->expected);
	program->expected = malloc((size_t)count * sizeof *program->expected);
	if (!program->expected)
		return PMPP_NO_MEMORY(error, "the expected output");
	convert(DTYPE_F64, program->expected, dtype, elements, count);
	return PMPP_OK;
}

void problem_reference_finish(struct own_problem *problem)
{
	struct problem_program *program = problem ? problem->program : NULL;

	if (!program)
		return;
	for (size_t i = 0; i < ANSWERS; i++)
		free(program->answers[i].values);
	free(program->expected);
	if (program->handle)
		dlclose(program->handle);
	free(program->object);
	free(program);
	problem->program = NULL;
}
