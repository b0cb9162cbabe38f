/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: one function per command, each takes the arguments behind
 * the program's name (argv[0] is the command) and returns an enum exit_code.
 * Only this layer prints, and only main() ends the program, or a signal before anything is
 * written (clone_look()).
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ui/deck.h"

struct bench_result;
struct job_snapshot;
struct plan;
struct report;
struct running_end;
struct session;

#define CLI_ALLOW_MAX 16

/* The rules that --allow names. */
struct cli_allow {
	const char *rules[CLI_ALLOW_MAX + 1]; /* NULL-terminated */
	size_t count;
};

int cli_list(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_clone(int argc, char **argv);
int cli_resume(int argc, char **argv);
int cli_verify(int argc, char **argv);
int cli_jobs(int argc, char **argv);
int cli_attach(int argc, char **argv);
int cli_bench(int argc, char **argv);
/* --version, as one JSON document (clonedeck.version/1) or as text. */
int cli_version(bool json);

/* Before a command prints anything there; of output, not before a deck or a look at one: curses
 * draws on it, and needs its descriptor. */
void cli_fit_output(void);
void cli_fit_errors(void);

/* ---- options.c ---- */

enum cli_kind {
	CLI_SWITCH, /* bool */
	CLI_TEXT,   /* const char *, of at most `most` bytes, 0 any; given once, not empty */
	CLI_NUMBER, /* uint32_t, from 1 to `most` */
	CLI_WORD,   /* an enum or uint32_t: the index of one of the words, or its value */
	CLI_OWN,    /* whatever set() makes of it */
};

/* An option; a table of them ends with one without a name. */
struct cli_option {
	const char *name;
	unsigned commands; /* in a table of several: which of them take it, a bit each */
	char letter;       /* 0: it has none */
	enum cli_kind kind;
	int has_arg;   /* of getopt_long() */
	size_t member; /* its place in what cli_parse() fills */
	uint32_t most;
	const char *const *words; /* the end is NULL */
	const uint32_t *values;   /* of the words; NULL: their indices */
	/* 0, or the exit code to end with. */
	int (*set)(const char *command, const char *name, const char *value, void *member);
};

#define CLI_OPTIONS_MAX 64

#define CLI_SWITCH(type, member)       CLI_SWITCH, no_argument, offsetof(type, member)
#define CLI_TEXT(type, member, most)   CLI_TEXT, required_argument, offsetof(type, member), (most)
#define CLI_NUMBER(type, member, most) CLI_NUMBER, required_argument, offsetof(type, member), (most)
#define CLI_WORD(type, member, ...)                                                                \
	CLI_WORD, required_argument, offsetof(type, member), .words = (const char *const[])        \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define CLI_OWN(type, member, has_arg, function)                                                   \
	CLI_OWN, (has_arg), offsetof(type, member), .set = (function)

/*
 * Takes all options of a command, up to the first operand, argv[optind]. Their names must be exact:
 * getopt_long() alone takes abbreviations, which change their meaning with every new option.
 * command: with a table of several, its bit; 0: all options are its. *retgiven: a bit for each row
 * that was given; NULL: not asked. Says what is wrong. 0, or the exit code to end with.
 */
int cli_parse(int argc, char **argv, const struct cli_option *options, unsigned command, void *ret,
	      uint64_t *retgiven);
/* The text, for --help. Returns an enum exit_code. */
int cli_help(const char *text);
/* For CLI_OWN: --on-hangup continue|stop into a bool; --allow RULE, one more, into a struct
 * cli_allow. */
int cli_set_on_hangup(const char *command, const char *name, const char *value, void *member);
int cli_add_allow(const char *command, const char *name, const char *value, void *member);
/* --size COLUMNSxROWS into a struct deck_looks. */
int cli_set_size(const char *command, const char *name, const char *value, void *member);
/* The rows for a struct deck_looks, which is a member of what cli_parse() fills. */
/* clang-format off */
#define CLI_LOOKS(type, member) \
	{ "glyphs", 0, 0, CLI_WORD(type, member.glyphs, "auto", "braille", "block", "half", "acs", "ascii") }, \
	{ "color", 0, 0, CLI_WORD(type, member.color, "auto", "never", "always") }, \
	{ "theme", 0, 0, CLI_WORD(type, member.theme, "auto", "dark", "light", "high") }, \
	{ "no-mouse", 0, 0, CLI_SWITCH(type, member.no_mouse) }, \
	{ "size", 0, 0, CLI_OWN(type, member, required_argument, cli_set_size) }
/* clang-format on */
/* Columns of the terminal on standard output; 0 where there is none. */
int columns_width(void);
/* To standard error, with the names in it as text_show() writes them; a line end is the last of the
 * format. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "clonedeck: text" and where to get help, to standard error; command "" is the deck.
 * Returns EXIT_USAGE. */
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "clonedeck: sentence" to standard error; returns the exit code of the error. */
int cli_error(const struct error *error);
/* "clonedeck: warning: sentence" to standard error. */
void cli_warning(const char *sentence);
/* The index of `value` in `words` (ends with NULL), or -1 after telling the user the choices. */
int cli_choose(const char *command, const char *option, const char *value,
	       const char *const *words);
/* A whole number of at least 1 and at most `max`. */
bool cli_parse_number(const char *text, uint32_t max, uint32_t *ret);
/* Flushes standard output; reports errors other than a closed pipe. */
int cli_finish_output(int code);

/* ---- defaults.c ---- */

#define CLI_DEFAULTS_MAX 4096 /* bytes of such a file */

/* Options of the deck that the command line need not name. */
struct cli_defaults {
	struct deck_looks looks;
	bool simple;
	const char *notify, *log_dir; /* in text; NULL: none */
	char text[2 * CLI_DEFAULTS_MAX];
};

/* From the user's file or, where that is none, the system's. 0, or the exit code to end with. */
int cli_read_defaults(struct cli_defaults *ret);

/* ---- bench_print.c ---- */

/* A measurement as text on standard output. */
int bench_print_text(const struct bench_result *result, struct error *reterr);

/* ---- jobs.c ---- */

#define CLI_END_MAX (3 * sizeof(((struct running_end *)0)->file))
/* The node of an end, or the path of an image. Returns buffer; that of the macro lasts until the
 * end of the block. */
#define CLI_END_NAME(end) cli_end_name((end), (char[CLI_END_MAX]){ "" })
const char *cli_end_name(const struct running_end *end, char *buffer);
/* Says on standard error that a process copies of which nothing else is known. Returns its number;
 * 0: there is none. */
pid_t cli_tell_unwritten(void);

/* ---- dd.c: dd's operands (if=, of=, bs=, ...) are answered with the command that does it ---- */

/* Is the argument "dd", or an operand of it? */
bool dd_speaks(const char *argument);
/* Prints the command, or why there is none, to standard error. Returns EXIT_USAGE. */
int dd_translate(int argc, char **argv);

/* ---- plan_print.c ---- */

/* Text to standard output, at most `columns` wide. */
void plan_print_text(const struct session *session, int columns);
/* One JSON document (clonedeck.plan/1) on one line or, with `pretty`, on many. */
void plan_print_json(const struct session *session, bool pretty);

/* ---- used.c ---- */

struct json_object;
struct page;
struct session_choice;
struct used_modes;

/* "first" of all partitions, "only@2,5" of these. False: neither. */
bool used_parse(const char *text, struct used_modes *ret);
/* What the partitions of the source use, if a plan asks for that; else nothing. */
void used_print_text(const struct session_choice *choice, struct page *page);
struct json_object *used_print_json(const struct session_choice *choice);

/* ---- progress.c ---- */

/* One line of clonedeck.progress/1; report is NULL until the end. Malloc'd, NULL without memory. */
char *progress_json(const struct plan *plan, const struct job_snapshot *job,
		    const struct report *report);
