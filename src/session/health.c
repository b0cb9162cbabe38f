/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where and when a disk is asked for its health. */
#include "session/health.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "health/smartctl.h"

#define SMARTCTL_TIMEOUT (5 * NSEC_PER_SEC) /* of all together */

bool health_is_written_to(const char *node)
{
	CLEANUP(close) int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

void health_address(const struct disk *disk, struct health_end *ret)
{
	text_copy(ret->node, sizeof(ret->node), disk ? smartctl_node(disk) : "");
	ret->error_counters = disk && smartctl_has_error_counters(disk);
	text_copy(ret->disk, sizeof(ret->disk), disk ? disk->node : "");
}

static void ask(const struct health_end *ends, struct health *answers, size_t count)
{
	struct smartctl_question questions[2];

	for (size_t i = 0; i < count; i++) {
		questions[i].health = &answers[i];
		questions[i].error_counters = ends[i].error_counters;
		text_copy(questions[i].node, sizeof(questions[i].node), ends[i].node);
	}
	smartctl_ask(NULL, questions, count, SMARTCTL_TIMEOUT);
}

void health_ask(const struct health_end *end, struct health *ret)
{
	health_clear(ret, NULL);
	if (!end->node[0])
		return;
	if (health_is_written_to(end->disk))
		health_clear(ret, _("Another program has locked the disk."));
	else
		ask(end, ret, 1);
}

void health_ask_both(const struct health_end ends[2], struct health answers[2])
{
	ask(ends, answers, 2);
}
