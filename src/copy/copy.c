/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/copy.h"

#include "base/text.h"

#define SENTENCE_MAX 1024

unsigned copy_observe(struct copy *copy, const struct observer *observer)
{
	copy->observers[copy->observer_count] = observer;
	copy->takes_long |= observer->takes_long;
	copy->of_chunks |= observer->of_chunks;
	return copy->observer_count++;
}

int copy_gate(const struct copy *copy)
{
	return atomic_load(copy->gate);
}

void copy_kick(const struct copy *copy)
{
	copy->owner->kick(copy->job);
}

void copy_fail(const struct copy *copy, enum failure_kind kind, const struct error *error)
{
	copy->owner->fail(copy->job, kind, error);
}

void copy_tell(const struct copy *copy, enum log_level level, const char *format, ...)
{
	char sentence[SENTENCE_MAX];

	text_vprint(sentence, sizeof(sentence), format);
	copy->owner->tell(copy->job, level, sentence);
}
