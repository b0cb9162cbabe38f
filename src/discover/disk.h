/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks and partitions as plain data: what discovery found, with nothing that
 * needs a system call to read. Every string is sanitised (base/text.h) and ""
 * where unknown; every number that can be unknown has a flag beside it or says
 * which value means unknown.
 *
 * A disk_list owns all it points to; it is made by scan.h, handed over whole
 * and never changed afterwards, so it may be read from any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum disk_kind {
	DISK_SCSI, /* sd: SATA, SAS, USB, virtio-scsi, … */
	DISK_NVME,
	DISK_VIRTIO,
	DISK_MMC,
	DISK_LOOP,
	DISK_RAM, /* ram, zram, pmem: works in the submitter's context */
	DISK_DM,
	DISK_MD,
	DISK_OTHER,
};

enum tristate { NO = 0, YES = 1, UNKNOWN = -1 };

/* Why a disk or partition is in use. The letter is the one of the USE column. */
enum use_kind {
	USE_MOUNT,     /* M mounted; what = mount point */
	USE_SWAP,      /* S */
	USE_DM,        /* L device mapper, LVM, crypt, multipath; what = its name */
	USE_MD,        /* R md array */
	USE_BCACHE,    /* H other holder in sysfs */
	USE_BOOT,      /* B the running system was started from it (any depth of holders) */
	USE_LOOP,      /* F a file on it backs a loop device or zram; what = file, or that
			* device, which stands on the whole of the node */
	USE_EXCLUSIVE, /* O an exclusive open was refused, holder unknown */
	USE_COPY,      /* C an end of the copy that runs in this process */
};

struct use {
	enum use_kind kind;
	char what[256]; /* mount point, dm name, array, file */
	char node[64];  /* the partition or disk it concerns, e.g. "/dev/sda2" */
};

struct use_list {
	struct use *items;
	size_t count;
};

/* What identifies a disk, whatever name it has at the moment. */
struct identity {
	char model[128];
	char serial[128];
	char wwn[80];
	char firmware[32];
	char volume[144];             /* of the device mapper or md: what made it named it so, and
				       * will again after a restart; "" none. Never shown */
	uint64_t size;                /* bytes */
	uint32_t logical_sector_size; /* bytes */
	uint32_t nsid;                /* NVMe: name space of the controller that has the serial */
	uint64_t diskseq;             /* BLKGETDISKSEQ; 0: kernel has none */
	dev_t devno;                  /* of the block node, or st_dev of an image file */
	uint64_t inode;               /* image files only, else 0 */
	uint64_t born;                /* of image files: ns since 1970 when the inode was
				       * made, since numbers are used again; 0 unknown */
	uint64_t modified; /* of the file of a claimed source: ns since 1970; 0 unknown */
};

struct partition {
	unsigned number; /* 1…; logical MS-DOS ones from 5 */
	char node[64];   /* "/dev/sda2"; "" when the kernel does not know it */
	dev_t devno;
	uint64_t start; /* in logical sectors of the disk */
	uint64_t sectors;
	char type[40];      /* GUID, or "0x83" */
	char type_name[64]; /* "Linux filesystem" */
	char name[128];     /* GPT partition name */
	char fs[32];        /* libblkid TYPE: "ext4", "LVM2_member", "swap" */
	char label[128];
	char uuid[64];
	char part_uuid[64];
	char mountpoint[256]; /* first one, "" if none */
	struct use_list in_use;
	bool extended; /* MS-DOS extended container: holds the logical ones */
};

/* Rows of the table screen: what lies on the disk from LBA 0 to its end. */
enum region_kind {
	REGION_TABLE, /* partition table area: MBR, GPT header and entries, EBR */
	REGION_PARTITION,
	REGION_GAP,          /* in no partition */
	REGION_TABLE_BACKUP, /* GPT backup */
	REGION_WHOLE,        /* a disk without a table: one row */
};

struct region {
	enum region_kind kind;
	uint64_t start, sectors; /* logical sectors of the disk */
	int partition;           /* index into partitions, -1 if none */
};

/* Problems seen in the table (loops, beyond the end, overlapping, CRC); one sentence each. */
struct table_note {
	char text[256];
};

#define DISK_SIGNATURES_MAX 8

struct disk {
	char name[64];         /* "sda" */
	char node[64];         /* "/dev/sda" */
	char sg[64];           /* "/dev/sg0" or "" */
	char bsg[64];          /* "/dev/bsg/0:0:0:0" or "" */
	char nvme_generic[64]; /* "/dev/ng0n1" or "" */
	char raw[4][32];       /* "/dev/raw/raw1", …: bindings of the raw driver */
	size_t raw_count;
	char hctl[32];      /* "0:0:0:0" or "" */
	char path[128];     /* ID_PATH, "pci-0000:00:17.0-ata-3" */
	char by_id[192];    /* a stable /dev/disk/by-id link or "" */
	char transport[16]; /* sata sas usb nvme virtio mmc loop …, "" unknown */
	enum disk_kind kind;
	struct identity identity;
	uint32_t physical_sector_size; /* bytes; 0 unknown (image files) */
	uint32_t alignment_offset;
	enum tristate rotational;
	enum tristate removable;
	enum tristate read_only;
	enum tristate medium_present;
	bool silent;               /* it was to be read, and has not answered */
	uint32_t max_transfer;     /* bytes, queue/max_sectors_kb; 0 unknown */
	uint32_t max_command;      /* bytes, queue/max_hw_sectors_kb; 0 unknown */
	enum tristate write_cache; /* volatile: a flush is needed (WCE of a SCSI disk) */
	enum tristate unmap;       /* it can be told what is not needed any more */
	enum tristate zeroes;      /* it writes zeroes by itself (WRITE SAME) */
	char zoned[16];            /* "none", "host-aware", "host-managed"; "" unknown */
	uint32_t dma_alignment;    /* bytes; 0 unknown */
	uint32_t queue_depth;      /* device/queue_depth; 0 unknown */
	uint32_t missing_members;  /* disks that an md array runs without */
	char physical_parent[256]; /* sysfs path of the physical device: same text, same spindle */
	char hwmon[256];           /* sysfs file of its temperature, "" if none */
	char driver[32];           /* "usb-storage", "uas", "ahci", "" */
	char table[16];            /* "gpt", "dos", "" none, "?" unreadable */
	char table_uuid[64];
	char whole_fs[32]; /* file system or member signature on the whole disk */
	char whole_label[128];
	/* Bytes from the start of the disk: by what libblkid would recognise something on the
	 * whole of it, also where it has a table, and of several things at once */
	uint64_t signatures[DISK_SIGNATURES_MAX];
	size_t signature_count;
	struct partition *partitions; /* sorted by start */
	size_t partition_count;
	struct region *regions; /* sorted, complete cover of the disk */
	size_t region_count;
	char read_by[160];    /* the copy of another clonedeck that reads it, in words; "" none */
	bool copied;          /* it is an end of the copy of another clonedeck */
	bool gpt_from_backup; /* the GPT at the start is damaged; this is the one at the end */
	struct table_note *notes;
	size_t note_count;
	struct use_list in_use; /* of the whole disk and of all its partitions */
	bool shares_serial;     /* another attached disk has the same non-empty serial */
	bool shares_model;      /* another attached disk is the same model */
};

/* What could not be found out, said once per list ("not root: labels unknown"). */
struct disk_list {
	struct disk *disks; /* in the order of HCTL, then name */
	size_t count;
	char sg_driver[32];      /* its version, "3.5.36"; "" unknown, or not loaded */
	enum tristate sg_direct; /* it may move data without copying them (allow_dio) */
	char (*missing)[256];
	size_t missing_count;
	bool not_root;      /* most disks could not be opened; one of these says so */
	bool no_raw_driver; /* as in every kernel since 5.14, so it is not among these */
};

void use_list_done(struct use_list *list);
/* The first one of this kind; NULL: none. */
const struct use *use_list_find(const struct use_list *list, enum use_kind kind);
void disk_list_destroy(struct disk_list *list); /* NULL is fine */

/* By node name, NULL if not in the list. */
const struct disk *disk_list_find(const struct disk_list *list, const char *node);
/*
 * Same disk? A field unknown on either side says nothing; of WWN, serial, volume, model, name
 * space, size and sector size those known on both must agree. If one of the first three is among
 * them that is enough, also after the disk was plugged in anew; else the kernel's diskseq decides,
 * else the device number. Files are the same by device and inode.
 */
bool identity_same(const struct identity *a, const struct identity *b);
/* Of image files on one file system. A file that was removed may have left its number to the next
 * one that was made. */
bool identity_same_inode(const struct identity *a, const struct identity *b);
/* By start, then number; for qsort(). */
int partition_compare(const void *a, const void *b);
/* NULL: it has none of this number, or `disk` is NULL. */
const struct partition *disk_partition(const struct disk *disk, unsigned number);
/* By its own node's number; NULL: it has none of that. */
const struct partition *disk_partition_at(const struct disk *disk, dev_t devno);
/* "sda" of "/dev/sda", borrowed from it; any other path as it is. */
const char *node_short(const char *node);
/* "GPT backup", translated; "" for what has a name of its own: partitions, and a disk without any.
 */
const char *region_words(const struct disk *disk, enum region_kind kind, uint64_t start);
/* The letters of the USE column ("BM", "-"), into buffer. */
const char *use_letters(const struct use_list *list, enum tristate read_only,
			char buffer[static 16]);
/* Where it, or what lies on it, is mounted first, "" if nowhere; borrowed from the list. */
const char *use_mountpoint(const struct use_list *list);
/* USE_LOOP, but by a loop device over the whole node: there is no file. */
bool use_is_by_device(const struct use *use);
uint64_t disk_sectors(const struct disk *disk);
/* Bytes of a GPT of the usual size, behind the first sector or at the end: header and entries. */
static inline uint64_t disk_gpt_bytes(const struct disk *disk)
{
	return 16384 + (uint64_t)disk->identity.logical_sector_size;
}
/* By kernel name ("sda", "nvme0n1"). */
enum disk_kind disk_kind_of(const char *name);
/* Its zones take writes only in order, each from its start: shingled (SMR) disks and ZNS. */
bool disk_is_host_managed(const struct disk *disk);
/* No upper-level driver gave it a block node: its sg node is all there is, and `node`, too. */
bool disk_is_sg_only(const struct disk *disk);
/* The sg node through which to send ATA commands; "": not to this disk. */
const char *disk_ata_node(const struct disk *disk);
/* "c12a7328-…" or "0x83" -> "EFI System", translated; `type` itself where the table (as in struct
 * disk) has words for types; "" for one that fdisk has no name for. */
const char *type_name(const char *table, const char *type);
/* Lower case, in place: the form in which types are compared and shown. */
void type_tidy(char *type);
/* An MS-DOS container for logical partitions. */
bool type_is_extended(const char *type);
