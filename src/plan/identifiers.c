/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/identifiers.h"

#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

/* By its first sector, where each of them lies, or leads from. */
static bool is_copied(const struct plan *plan, uint64_t lba)
{
	for (size_t i = 0; i < plan->extent_count; i++)
		if (lba >= plan->extents[i].source_lba &&
		    lba - plan->extents[i].source_lba < plan->extents[i].sectors)
			return true;
	return false;
}

/* NULL: there is no such identifier, or no room for it. */
static struct identifier *add(struct identifiers *list, enum identifier_kind kind,
			      unsigned partition, const char *fs, const char *label,
			      const char *value)
{
	struct identifier *item = &list->items[list->count];

	if (!value[0])
		return NULL;
	if (list->count == IDENTIFIERS_MAX) {
		list->more++;
		return NULL;
	}
	*item = (struct identifier){ .kind = kind, .partition = partition };
	text_copy(item->fs, sizeof(item->fs), fs);
	text_copy(item->label, sizeof(item->label), label);
	text_copy(item->value, sizeof(item->value), value);
	list->count++;
	return item;
}

static void add_group(struct identifiers *list, const struct volume_group *group,
		      struct identifier *item)
{
	if (!item)
		return;
	text_copy(item->volume, sizeof(item->volume), group->name);
	item->members = group->members;
	item->closed = !group->reachable;
}

/* The group has the new one last: what is in its volumes decides whether it may have one. */
static void add_lvm(struct identifiers *list, const struct volumes *volumes, unsigned partition,
		    struct identifier *member)
{
	const struct volume_group *group = volumes ? lvm_group(volumes, partition) : NULL;

	if (!group)
		return;
	add_group(list, group, member);
	for (size_t i = 0; i < volumes->count; i++) {
		const struct logical_volume *volume = &volumes->items[i];
		struct identifier *item;

		if (volume->partition != partition)
			continue;
		item = add(list, IDENTIFIER_CONTENTS, partition, volume->fs, volume->label,
			   volume->uuid);
		if (!item)
			continue;
		text_copy(item->volume, sizeof(item->volume), volume->name);
		item->start = volume->start;
		item->length = volume->reachable ? volume->length : 0;
	}
	add_group(list, group,
		  add(list, IDENTIFIER_GROUP, partition, "LVM2_group", "", group->uuid));
}

void identifiers_find(const struct plan *plan, const struct disk *source,
		      const struct volumes *volumes, struct identifiers *ret)
{
	bool disk = plan->source.kind != ENDPOINT_PARTITION;
	bool table = disk && is_copied(plan, 0);

	*ret = (struct identifiers){ 0 };
	if (!source || plan->destinations[0].kind == ENDPOINT_IMAGE)
		return;
	if (table)
		add(ret, IDENTIFIER_TABLE, 0, source->table, "", source->table_uuid);
	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		if (disk ? !is_copied(plan, p->start)
			 : p->devno != plan->source.devno || !is_copied(plan, 0))
			continue;
		if (table)
			add(ret, IDENTIFIER_PARTITION, p->number, "", p->name, p->part_uuid);
		add_lvm(ret, volumes, p->number,
			add(ret, IDENTIFIER_CONTENTS, p->number, p->fs, p->label, p->uuid));
	}
}

bool identifier_closed(const struct identifier *item)
{
	return strcmp(item->fs, "crypto_LUKS") == 0 || strcmp(item->fs, "linux_raid_member") == 0 ||
	       (strcmp(item->fs, "LVM2_member") == 0 && (item->closed || !item->members));
}

bool identifiers_any_closed(const struct identifiers *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (identifier_closed(&list->items[i]))
			return true;
	return false;
}

bool identifiers_kept(const struct identifiers *list, size_t index)
{
	const struct identifier *item = &list->items[index];

	return list->hidden && !(item->kind == IDENTIFIER_TABLE && strcmp(item->fs, "gpt") == 0);
}

static unsigned count_of(const struct identifiers *list, enum identifier_kind kind, const char *fs)
{
	unsigned count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->items[i].kind == kind && strcmp(list->items[i].fs, fs) == 0;
	return count;
}

static bool is_first(const struct identifiers *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (list->items[i].kind == list->items[at].kind &&
		    strcmp(list->items[i].fs, list->items[at].fs) == 0)
			return false;
	return true;
}

const char *identifiers_print(const struct identifiers *list, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct identifier *item = &list->items[i];
		unsigned count = count_of(list, item->kind, item->fs);

		if (!is_first(list, i))
			continue;
		if (item->kind == IDENTIFIER_TABLE)
			text_join(buffer, size, "%s",
				  strcmp(item->fs, "gpt") == 0 ? _("disk GUID")
							       : _("disk signature"));
		else if (item->kind == IDENTIFIER_PARTITION)
			text_join(buffer, size, P_("%u PARTUUID", "%u PARTUUIDs", count), count);
		else
			text_join(buffer, size, P_("%u UUID of %s", "%u UUIDs of %s", count), count,
				  item->fs[0] ? item->fs : "?");
	}
	return buffer;
}
