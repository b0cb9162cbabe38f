/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/late.h"

#include "discover/probe.h"

bool late_has(const struct late *late, const struct identity *identity)
{
	for (size_t i = 0; i < late->count; i++)
		if (probe_waits_for(late->probes[i], identity->devno, identity->diskseq))
			return true;
	return false;
}

void late_wait(struct late *late, uint64_t deadline)
{
	size_t kept = 0;

	for (size_t i = 0; i < late->count; i++) {
		probe_wait(late->probes[i], deadline);
		if (probe_is_done(late->probes[i]))
			probe_release(late->probes[i]);
		else
			late->probes[kept++] = late->probes[i];
	}
	late->count = kept;
}

void late_add(struct late *late, struct probe *probe)
{
	if (!probe)
		return;
	probe_stop(probe);
	if (probe_is_done(probe) || late->count == LATE_MAX)
		probe_release(probe);
	else
		late->probes[late->count++] = probe;
}

void late_done(struct late *late)
{
	for (size_t i = 0; i < late->count; i++)
		probe_release(late->probes[i]);
	late->count = 0;
}
