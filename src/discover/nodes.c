/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "discover/attr.h"

/* The raw driver left Linux in 5.14 and its header with it; this is the interface of
 * include/uapi/linux/raw.h as of 5.13. */
#define RAW_CONTROL    "/dev/raw/rawctl"
#define RAW_GETBIND    _IO(0xac, 1)
#define RAW_MINORS_MAX 65536U

struct raw_config_request {
	int raw_minor;
	uint64_t block_major;
	uint64_t block_minor;
};

enum node_kind { NODE_SG, NODE_BSG, NODE_NVME_GENERIC, NODE_HWMON, NODE_RAW };

struct found_node {
	enum node_kind kind;
	char path[256];     /* what to hand out */
	char hardware[256]; /* sysfs path of what it belongs to; NODE_NVME_GENERIC: block name */
	dev_t devno;        /* NODE_RAW: of the block device behind it */
};

struct nodes {
	struct found_node *items;
	size_t count, capacity;
};

struct nodes *nodes_new(void)
{
	return calloc(1, sizeof(struct nodes));
}

void nodes_destroy(struct nodes *nodes)
{
	if (!nodes)
		return;
	free(nodes->items);
	free(nodes);
}

static struct found_node *append(struct nodes *nodes, enum node_kind kind)
{
	if (array_reserve(nodes->items, nodes->capacity, nodes->count + 1) < 0)
		return NULL;

	struct found_node *node = &nodes->items[nodes->count++];

	*node = (struct found_node){ .kind = kind };
	return node;
}

/* Adds a node if all of its text fits; a name that does not is none of the kernel's. */
static int add(struct nodes *nodes, enum node_kind kind, const char *folder, const char *name,
	       const char *hardware)
{
	struct found_node *found;

	if (strlen(folder) + strlen(name) >= sizeof(found->path) ||
	    strlen(hardware) >= sizeof(found->hardware))
		return 0;
	found = append(nodes, kind);
	if (!found)
		return -ENOMEM;
	snprintf(found->path, sizeof(found->path), "%s%s", folder, name);
	text_sanitise(found->path, sizeof(found->path), found->path, sizeof(found->path));
	text_sanitise(found->hardware, sizeof(found->hardware), hardware, strlen(hardware));
	return 0;
}

/* "…/0:0:0:0/scsi_generic/sg0": the SCSI device is two levels up. bsg also has nodes for hosts
 * and expanders; those have no numbers there. */
static int add_scsi(struct nodes *nodes, enum node_kind kind, const char *folder, char *hardware,
		    char *name)
{
	char *class = strrchr(hardware, '/');

	if (!class)
		return 0;
	*class = '\0';

	const char *device = strrchr(hardware, '/');

	if (!device || !attr_is_hctl(device + 1))
		return 0;
	return add(nodes, kind, folder, name, hardware);
}

/* "…/0:0:0:0/hwmon/hwmon1", or "…/nvme0/hwmon1" where the parent is a class device itself. */
static int add_hwmon(struct nodes *nodes, char *hardware, const char *name)
{
	static const char class[] = "/hwmon";
	size_t length = strlen(hardware), tail = strlen(class);
	char folder[520], file[128];

	snprintf(folder, sizeof(folder), "%s/", hardware);
	snprintf(file, sizeof(file), "%.100s/temp1_input", name);
	if (length > tail && strcmp(hardware + length - tail, class) == 0)
		hardware[length - tail] = '\0';
	return add(nodes, NODE_HWMON, folder, file, hardware);
}

int nodes_add(struct nodes *nodes, const char *class, const char *path)
{
	char hardware[512], nvme[64];
	char *name;

	if (snprintf(hardware, sizeof(hardware), "%s", path) >= (int)sizeof(hardware))
		return 0;
	name = strrchr(hardware, '/');
	*name++ = '\0';
	if (strcmp(class, "scsi_generic") == 0)
		return add_scsi(nodes, NODE_SG, "/dev/", hardware, name);
	if (strcmp(class, "bsg") == 0)
		return add_scsi(nodes, NODE_BSG, "/dev/bsg/", hardware, name);
	if (strcmp(class, "hwmon") == 0)
		return add_hwmon(nodes, hardware, name);
	/* ng0n1 is the generic node of nvme0n1, by the kernel's naming. */
	if (strcmp(class, "nvme-generic") != 0 || strncmp(name, "ng", 2) != 0)
		return 0;
	snprintf(nvme, sizeof(nvme), "nvme%.50s", name + 2);
	return add(nodes, NODE_NVME_GENERIC, "/dev/", name, nvme);
}

static int raw_ask(int control, unsigned minor, dev_t *ret)
{
	struct raw_config_request request = { .raw_minor = (int)minor };

	if (ioctl(control, RAW_GETBIND, &request) < 0)
		return -errno;
	if (request.block_major == 0 && request.block_minor == 0)
		return -ENODEV;
	*ret = makedev((unsigned)request.block_major, (unsigned)request.block_minor);
	return 0;
}

int raw_binding(unsigned minor, dev_t *ret)
{
	CLEANUP(close) int control = open(RAW_CONTROL, O_RDONLY | O_CLOEXEC);

	if (control < 0)
		return -errno;
	return raw_ask(control, minor, ret);
}

/* The bound nodes are those in /dev/raw: asking for all 65536 minors would take a while. */
int nodes_add_raw(struct nodes *nodes)
{
	CLEANUP(close) int control = open(RAW_CONTROL, O_RDONLY | O_CLOEXEC);
	CLEANUP(dir) DIR *directory = NULL;
	struct dirent *entry;

	if (control < 0)
		return errno == ENOENT || errno == ENXIO || errno == ENODEV ? -ENOENT : -errno;
	directory = opendir("/dev/raw");
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		unsigned minor;
		char rest;
		dev_t devno = 0;

		if (sscanf(entry->d_name, "raw%5u%c", &minor, &rest) != 1 ||
		    minor >= RAW_MINORS_MAX || raw_ask(control, minor, &devno) < 0)
			continue;

		struct found_node *found = append(nodes, NODE_RAW);

		if (!found)
			return -ENOMEM;
		snprintf(found->path, sizeof(found->path), "/dev/raw/raw%u", minor);
		found->devno = devno;
	}
	return 0;
}

static void give_raw(const struct found_node *node, struct disk *disk)
{
	bool bound = disk->identity.devno == node->devno || disk_partition_at(disk, node->devno);

	if (disk->raw_count < ARRAY_SIZE(disk->raw) && bound)
		text_copy(disk->raw[disk->raw_count++], sizeof(disk->raw[0]), node->path);
}

void nodes_give(const struct nodes *nodes, struct disk *disk)
{
	for (size_t i = 0; i < nodes->count; i++) {
		const struct found_node *node = &nodes->items[i];
		bool same = strcmp(node->hardware, disk->physical_parent) == 0;

		switch (node->kind) {
		case NODE_SG:
			if (same)
				text_copy(disk->sg, sizeof(disk->sg), node->path);
			break;
		case NODE_BSG:
			if (same)
				text_copy(disk->bsg, sizeof(disk->bsg), node->path);
			break;
		case NODE_NVME_GENERIC:
			if (strcmp(node->hardware, disk->name) == 0)
				text_copy(disk->nvme_generic, sizeof(disk->nvme_generic),
					  node->path);
			break;
		case NODE_HWMON:
			/* Not every hwmon device of a controller has a temperature. */
			if (same && access(node->path, R_OK) == 0)
				text_copy(disk->hwmon, sizeof(disk->hwmon), node->path);
			break;
		case NODE_RAW:
			give_raw(node, disk);
			break;
		}
	}
}

/* Peripheral device types of disks (SPC-5, 6.7.2): direct access, its reduced form, and
 * host-managed zones. */
static bool is_disk_type(const char *hardware)
{
	uint64_t type;

	return attr_u64(hardware, "type", &type) && (type == 0 || type == 14 || type == 20);
}

bool nodes_next_sg_only(const struct nodes *nodes, size_t *at, char *path, size_t size)
{
	while (*at < nodes->count) {
		const struct found_node *node = &nodes->items[(*at)++];

		if (node->kind != NODE_SG)
			continue;
		snprintf(path, size, "%s/block", node->hardware);
		if (access(path, F_OK) == 0 || !is_disk_type(node->hardware))
			continue;
		snprintf(path, size, "%s/scsi_generic%s", node->hardware, strrchr(node->path, '/'));
		return true;
	}
	return false;
}

void nodes_sg_driver(char *version, size_t size, enum tristate *retdirect)
{
	char direct[8];

	attr_text("/sys/module/sg", "version", version, size);
	attr_text("/sys/module/sg/parameters", "allow_dio", direct, sizeof(direct));
	*retdirect = direct[0] ? strcmp(direct, "0") != 0 : UNKNOWN;
}
