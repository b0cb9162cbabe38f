/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A FAT file system (12, 16, 32): where its parts are, and its folders, to see which boot loaders
 * are in it. Only reads.
 * What is on the disk is hostile: every number is checked, no chain is followed for ever.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FAT_NAME_MAX 128

struct fat {
	int fd;
	uint64_t start; /* of the file system on the descriptor; all below: bytes from there */
	uint64_t table, table_length;
	uint64_t root, root_length; /* length 0: the root folder is a chain, from root_cluster on */
	uint64_t data;
	uint32_t sector, cluster; /* bytes */
	unsigned tables;
	uint32_t root_cluster, clusters;
	unsigned bits; /* of an entry in the table */
};

struct fat_entry {
	char name[FAT_NAME_MAX]; /* sanitised; the long one, where there is one */
	bool folder;
	uint32_t first, size; /* first cluster, bytes */
};

/* A walk through one folder. */
struct fat_folder {
	const struct fat *fat;
	uint32_t at;           /* the cluster; 0: in the root folder of FAT12 or FAT16 */
	uint64_t place, left;  /* of the next entry, and bytes behind it in this piece */
	unsigned entries_left; /* so long is no folder of a boot partition */
	uint16_t name[256];    /* of the long name that is being put together */
	unsigned parts;        /* missing of it; 0: it is complete */
	uint8_t sum;           /* of the short name that it belongs to */
	bool named;
};

/* Where its parts are, from the first sector of a file system of at most `size` bytes. False: it is
 * no FAT, or not a sound one. */
bool fat_measure(const uint8_t first[static 512], uint64_t size, struct fat *ret);
/* 0, -EINVAL (it is no FAT, or not a sound one), or the error of reading. */
int fat_open(int fd, uint64_t start, uint64_t size, struct fat *ret);
/* folder NULL: the root folder. */
void fat_enter(const struct fat *fat, const struct fat_entry *folder, struct fat_folder *ret);
/* 1 and the next entry, 0 at the end, or the error of reading. */
int fat_next(struct fat_folder *folder, struct fat_entry *ret);

/* Calls back with each piece of a file, or with what lies before the data (tables, root folder).
 * Bytes of the descriptor. False as soon as the callback says so, or at a broken chain. */
typedef bool fat_piece(void *user, uint64_t start, uint64_t length);
bool fat_pieces(const struct fat *fat, const struct fat_entry *file, fat_piece *piece, void *user);
bool fat_pieces_of_tables(const struct fat *fat, fat_piece *piece, void *user);
