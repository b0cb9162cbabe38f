/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "stats/cpu.h"

#define WATCH     (NSEC_PER_SEC / 4)
#define IDLE_MOST 0.1 /* of all processors */

/* As /proc/cpuinfo names it; "" where it does not. */
static void find_processor(char *ret, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	ret[0] = '\0';
	while (file && !ret[0] && fgets(line, sizeof(line), file)) {
		const char *name = strchr(line, ':');

		if (name && strncmp(line, "model name", strlen("model name")) == 0)
			text_sanitise(ret, size, name + 1, strlen(name + 1));
	}
	if (file)
		fclose(file);
}

/* 0…1 of all processors; negative: unknown. */
static double find_load(void)
{
	struct cpu_reader *reader = NULL;
	struct cpu_share share = { 0 };

	if (cpu_reader_new(&reader, NULL) < 0)
		return -1;
	cpu_reader_system(reader, &share);
	clock_sleep_until(clock_monotonic() + WATCH);
	cpu_reader_system(reader, &share);
	cpu_reader_destroy(reader);
	return share.known ? (double)(share.user + share.system) : -1;
}

const char *machine_describe(char *buffer, size_t size)
{
	struct utsname name = { 0 };
	char processor[100];
	unsigned count = cpu_count();
	double load = find_load();
	size_t used;

	uname(&name);
	find_processor(processor, sizeof(processor));
	used = (size_t)snprintf(
		buffer, size, P_("%s %s, %s, %u processor", "%s %s, %s, %u processors", count),
		name.sysname, name.release, processor[0] ? processor : name.machine, count);
	if (load >= 0 && used < size)
		snprintf(buffer + used, size - used,
			 load < IDLE_MOST ? _(", idle (%.0f %% busy)")
					  : _(", not idle: %.0f %% busy"),
			 load * 100);
	return buffer;
}
