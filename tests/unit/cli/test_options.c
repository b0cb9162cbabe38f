/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options: exact, once, within bounds, and nothing silently ignored. */
#include "unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/clone_options.h"

#define ARGS_MAX 48

static char said[4096]; /* on standard error by the last parse() */
static struct clone_options options;

/* Parses a NULL-terminated list of words behind the command. */
static int parse(enum clone_command command, struct clone_options *ret, ...)
{
	char names[][8] = {
		[COMMAND_CLONE] = "clone", [COMMAND_RESUME] = "resume", [COMMAND_VERIFY] = "verify"
	};
	char *argv[ARGS_MAX + 1] = { names[command] };
	char path[] = "/tmp/test-options.XXXXXX";
	int argc = 1, saved = dup(STDERR_FILENO), fd = mkstemp(path);
	va_list words;
	char *word;

	va_start(words, ret);
	while ((word = va_arg(words, char *)) && argc < ARGS_MAX)
		argv[argc++] = word;
	va_end(words);
	ck_assert_int_ge(fd, 0);
	unlink(path);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	optind = 0;
	int r = clone_options_parse(argc, argv, command, ret);

	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	ssize_t n = pread(fd, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	close(fd);
	return r;
}

#define CLONE(...)                                                                                 \
	parse(COMMAND_CLONE, &options, "-s", "/dev/sda", "-d", "/dev/sdb", ##__VA_ARGS__, NULL)
#define RESUME(...) parse(COMMAND_RESUME, &options, ##__VA_ARGS__, NULL)
#define VERIFY(...) parse(COMMAND_VERIFY, &options, ##__VA_ARGS__, NULL)

TEST(everything_is_taken)
{
	ck_assert_int_eq(CLONE("-r", "0-9,-33", "--at", "2048", "-b", "64K", "-q", "8", "-j", "2",
			       "--source-backend", "uring", "--destination-backend=threads", "-m",
			       "a.map", "--report", "r.json", "--retries", "0", "--on-error", "map",
			       "--certificate", "c.html", "--operator", "A. Operator", "--ticket",
			       "T-17", "--mask-serials", "--rate", "10M", "--log-dir", "logs",
			       "--allow", "same-wwn", "--confirm", "ABC", "-n", "--json"),
			 0);
	ck_assert_str_eq(options.source, "/dev/sda");
	ck_assert_str_eq(options.destination, "/dev/sdb");
	ck_assert_str_eq(options.ranges, "0-9,-33");
	ck_assert_str_eq(options.at, "2048");
	ck_assert_uint_eq(options.plan.chunk, 65536);
	ck_assert_uint_eq(options.plan.queue_depth, 8);
	ck_assert_uint_eq(options.plan.lanes, 2);
	ck_assert_int_eq(options.plan.source_backend, BACKEND_URING);
	ck_assert_int_eq(options.plan.destination_backend, BACKEND_THREADS);
	ck_assert_uint_eq(options.plan.retries, 0);
	ck_assert_int_eq(options.plan.on_error, ON_ERROR_MAP);
	ck_assert_uint_eq(options.plan.rate, 10 * 1024 * 1024);
	ck_assert_str_eq(options.session.map_path, "a.map");
	ck_assert_str_eq(options.session.report_path, "r.json");
	ck_assert_str_eq(options.session.certificate_path, "c.html");
	ck_assert_str_eq(options.session.operator_name, "A. Operator");
	ck_assert_str_eq(options.session.ticket, "T-17");
	ck_assert(options.session.mask_serials);
	ck_assert_str_eq(options.session.log_dir, "logs");
	ck_assert_str_eq(options.session.allow[0], "same-wwn");
	ck_assert_ptr_null(options.session.allow[1]);
	ck_assert_str_eq(options.confirm, "ABC");
	ck_assert(options.dry_run && options.run.json && !options.help);
	ck_assert_str_eq(said, "");
}

/* Each name reaches the member that it names. */
TEST(rescue_options)
{
	ck_assert_int_eq(CLONE("--on-write-error", "map", "--fill", "mark", "--retry-passes", "2",
			       "--slow-limit", "3", "--max-bad-areas", "4", "--max-read-errors",
			       "5", "--max-error-rate", "6K", "--max-no-read", "7"),
			 0);
	ck_assert_int_eq(options.plan.on_write_error, ON_ERROR_MAP);
	ck_assert_int_eq(options.plan.fill, FILL_MARK);
	ck_assert_uint_eq(options.plan.retry_passes, 2);
	ck_assert_uint_eq(options.plan.slow_limit, 3);
	ck_assert_uint_eq(options.plan.max_bad_areas, 4);
	ck_assert_uint_eq(options.plan.max_read_errors, 5);
	ck_assert_uint_eq(options.plan.max_error_rate, 6 * 1024);
	ck_assert_uint_eq(options.plan.max_no_read, 7);
	ck_assert_int_eq(__builtin_popcount(options.session.rescue_given), 8);
	ck_assert_int_eq(CLONE("--fill", "random"), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--retry-passes", "-1"), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--retry-passes", "1001"), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--max-no-read", "1.5"), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--max-error-rate", "much"), EXIT_USAGE);
}

TEST(areas_are_chosen_of_a_copy_that_goes_on)
{
	ck_assert_int_eq(RESUME("a.map", "--retry-area", "5003,6000+4"), 0);
	ck_assert_str_eq(options.retry_area, "5003,6000+4");
	ck_assert_int_eq(RESUME("a.map", "--retry-area", "1", "--retry-area", "2"), EXIT_USAGE);
	ck_assert_int_eq(RESUME("a.map", "--retry-area", ""), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--retry-area", "5003"), EXIT_USAGE);
	ck_assert_int_eq(RESUME("a.map"), 0);
	ck_assert_ptr_null(options.retry_area);
}

TEST(defaults_survive_errors)
{
	ck_assert_int_eq(CLONE(), 0);
	ck_assert_int_eq(options.plan.on_error, ON_ERROR_MAP);
	ck_assert_int_eq(options.plan.on_write_error, ON_ERROR_STOP);
	ck_assert_int_eq(options.plan.fill, FILL_ZERO);
	ck_assert_uint_eq(options.session.rescue_given, 0);
	ck_assert_int_eq(options.plan.source_backend, BACKEND_AUTO);
	ck_assert_uint_eq(options.plan.rate, 0);
	ck_assert_ptr_null(options.confirm);
	ck_assert_ptr_null(options.ranges);
	ck_assert(!options.dry_run);
}

TEST(verifying_is_chosen)
{
	ck_assert_int_eq(CLONE(), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_DIGEST);
	ck_assert(!options.plan.rewrite);
	ck_assert_int_eq(CLONE("--verify=compare", "--rewrite"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_COMPARE);
	ck_assert(options.plan.rewrite);
	ck_assert_uint_eq(options.plan.checksums, 0);
	ck_assert_int_eq(CLONE("--digest", "md5,sha256"), 0);
	ck_assert_uint_eq(options.plan.checksums, 1U << CHECKSUM_SHA256 | 1U << CHECKSUM_MD5);
	ck_assert_int_eq(CLONE("--verify=rolling"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_ROLLING);
	ck_assert_int_eq(CLONE("--verify=after"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_AFTER);
	ck_assert_int_eq(CLONE("--verify=off"), EXIT_USAGE);
	ck_assert_int_eq(CLONE("--no-verify"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_OFF);
	ck_assert_int_eq(CLONE("--no-verify", "--verify"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_DIGEST);
}

TEST(bad_words_are_refused)
{
	static const char *const bad[][3] = {
		{ "--dry", NULL, "--dry" },
		{ "--confir", "x", "--confir" },
		{ "--map-file", "x", "--map-file" },
		{ "--yes", NULL, "--yes" },
		{ "--verif", NULL, "--verif" },
		{ "--verify=twice", NULL, "digest, rolling, after or compare" },
		{ "--no-verify", "--rewrite", "--rewrite" },
		{ "--no-verify=1", NULL, "no-verify" },
		{ "--digest", "crc32", "choose sha256" },
		{ "--digest", "", "choose sha256" },
		{ "-x", NULL, "-x" },
		{ "--operator", "", "operator" },
		{ "--ticket",
		  "0123456789012345678901234567890123456789012345678901234567890123456789012345678"
		  "901234567890123456789012345678901234567890123456789",
		  "ticket" },
		{ "--mask-serials=no", NULL, "mask-serials" },
		{ "-q", "0", "queue-depth" },
		{ "-q", "-3", "queue-depth" },
		{ "-q", "4097", "queue-depth" },
		{ "-q", "1e3", "queue-depth" },
		{ "-j", "33", "lanes" },
		{ "-j", " 2", "lanes" },
		{ "-b", "", "chunk" },
		{ "-b", "0", "chunk" },
		{ "-b", "64Q", "chunk" },
		{ "-b", "8T", "chunk" },
		{ "--rate", "fast", "rate" },
		{ "--retries", "1001", "retries" },
		{ "--on-error", "ignore", "on-error" },
		{ "--source-backend", "null", "source-backend" },
		{ "--source-backend", "", "source-backend" },
		{ "--json=yes", NULL, "--json" },
		{ "-d", "/dev/sdc", "twice" },
		{ "--at", "", "needs a value" },
		{ "-r", NULL, "needs a value" },
		{ "--report", NULL, "needs a value" },
		{ "/dev/sdc", NULL, "/dev/sdc" },
		{ "--", "/dev/sdc", "/dev/sdc" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_msg(CLONE(bad[i][0], bad[i][1]) == EXIT_USAGE, "%s %s was taken",
			      bad[i][0], bad[i][1] ? bad[i][1] : "");
		ck_assert_msg(strstr(said, bad[i][2]) != NULL, "%s: %s", bad[i][0], said);
		ck_assert_ptr_nonnull(strstr(said, "clonedeck clone --help"));
	}
}

TEST(both_ends_are_needed)
{
	ck_assert_int_eq(parse(COMMAND_CLONE, &options, "-s", "/dev/sda", NULL), EXIT_USAGE);
	ck_assert_int_eq(parse(COMMAND_CLONE, &options, "-d", "/dev/sda", NULL), EXIT_USAGE);
	ck_assert_int_eq(parse(COMMAND_CLONE, &options, "--help", NULL), 0);
	ck_assert(options.help);
}

TEST(values_may_begin_with_a_dash)
{
	ck_assert_int_eq(CLONE("-r", "-33"), 0);
	ck_assert_str_eq(options.ranges, "-33");
	ck_assert_int_eq(CLONE("-nr", "-33"), 0);
	ck_assert_str_eq(options.ranges, "-33");
	ck_assert_int_eq(CLONE("--ranges", "--33"), 0);
	ck_assert_str_eq(options.ranges, "--33");
}

TEST(empty_confirmation_is_a_wrong_one)
{
	ck_assert_int_eq(CLONE("--confirm", ""), 0);
	ck_assert_str_eq(options.confirm, "");
	ck_assert_int_eq(CLONE("--confirm", "", "--confirm", "x"), EXIT_USAGE);
}

TEST(what_is_printed_of_the_user_is_harmless)
{
	ck_assert_int_eq(CLONE("--rate", "\033[31m\a"), EXIT_USAGE);
	ck_assert_ptr_null(strchr(said, '\033'));
	ck_assert_ptr_null(strchr(said, '\a'));
}

TEST(too_many_rules_are_refused)
{
	ck_assert_int_eq(parse(COMMAND_CLONE, &options, "-s", "a", "-d", "b", "--allow=1",
			       "--allow=2", "--allow=3", "--allow=4", "--allow=5", "--allow=6",
			       "--allow=7", "--allow=8", "--allow=9", "--allow=10", "--allow=11",
			       "--allow=12", "--allow=13", "--allow=14", "--allow=15", "--allow=16",
			       NULL),
			 0);
	ck_assert_uint_eq(options.allow.count, CLI_ALLOW_MAX);
	ck_assert_int_eq(parse(COMMAND_CLONE, &options, "-s", "a", "-d", "b", "--allow=1",
			       "--allow=2", "--allow=3", "--allow=4", "--allow=5", "--allow=6",
			       "--allow=7", "--allow=8", "--allow=9", "--allow=10", "--allow=11",
			       "--allow=12", "--allow=13", "--allow=14", "--allow=15", "--allow=16",
			       "--allow=17", NULL),
			 EXIT_USAGE);
}

TEST(resume_takes_a_map_and_not_what_the_map_decides)
{
	ck_assert_int_eq(RESUME("a.map", "--confirm", "X", "--json"), 0);
	ck_assert_str_eq(options.map, "a.map");
	ck_assert_int_eq(RESUME("a.map", "--rate", "2M"), 0);
	ck_assert_uint_eq(options.plan.rate, 2 << 20);
	ck_assert_uint_ne(options.session.rescue_given, 0);
	ck_assert_int_eq(RESUME("a.map", "--no-verify"), 0);
	ck_assert_int_eq(options.plan.verify, VERIFY_OFF);
	ck_assert_uint_eq(options.session.rescue_given, 1u << PLAN_OPTION_VERIFY);
	ck_assert_int_eq(RESUME("--confirm", "X"), EXIT_USAGE);
	ck_assert_int_eq(RESUME("a.map", "b.map"), EXIT_USAGE);
	ck_assert_int_eq(RESUME("a.map", "-s", "/dev/sda"), EXIT_USAGE);
	ck_assert_int_eq(RESUME("a.map", "--ranges", "*"), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(said, "clonedeck resume --help"));
}

TEST(verify_takes_both_ends_or_a_report)
{
	ck_assert_int_eq(
		VERIFY("-s", "/dev/sda", "-d", "/dev/sdb", "-r", "@1", "--at", "2048", "--json"),
		0);
	ck_assert_str_eq(options.source, "/dev/sda");
	ck_assert_str_eq(options.ranges, "@1");
	ck_assert_str_eq(options.at, "2048");
	ck_assert(options.run.json);
	ck_assert_ptr_null(options.report);
	ck_assert_int_eq(options.plan.verify, VERIFY_COMPARE);
	ck_assert_int_eq(VERIFY("copy.json", "-d", "/dev/sdb"), 0);
	ck_assert_str_eq(options.report, "copy.json");
	ck_assert_int_eq(VERIFY("copy.json", "-d", "/dev/sdb", "-s", "/dev/sda"), EXIT_USAGE);
	ck_assert_int_eq(VERIFY("copy.json", "-d", "/dev/sdb", "-r", "@1"), EXIT_USAGE);
	ck_assert_int_eq(VERIFY("copy.json", "other.json", "-d", "/dev/sdb"), EXIT_USAGE);
	ck_assert_int_eq(VERIFY("copy.json"), EXIT_USAGE);
	ck_assert_int_eq(VERIFY("-d", "/dev/sdb"), EXIT_USAGE);
	/* It writes nothing, so nothing is to be confirmed. */
	ck_assert_int_eq(VERIFY("copy.json", "-d", "/dev/sdb", "--confirm", "X"), EXIT_USAGE);
	ck_assert_int_eq(VERIFY("copy.json", "-d", "/dev/sdb", "-n"), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(said, "clonedeck verify --help"));
}
