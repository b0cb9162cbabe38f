/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1 as data: rows, cursor, choice, refusals, and lines that never spill over. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/disks/model.h"

#include "machine.h"

static struct line line;

static struct fixture {
	struct disk_list *list;
	struct endpoint source, destination;
	struct disks_model model;
} f;

static void teardown(void)
{
	disks_done(&f.model);
	disk_list_destroy(f.list);
}

/* Also in place of another machine. */
static void setup(const char *machine)
{
	struct disks_place place = { 0 };

	teardown();
	memset(&f, 0, sizeof(f));
	f.list = machine_make(machine);
	ck_assert_ptr_nonnull(f.list);
	disks_init(&f.model, &f.source, &f.destination);
	ck_assert_int_eq(disks_update(&f.model, f.list, &place), 0);
}

static void go_to(const char *name)
{
	for (size_t i = 0; i < f.model.count; i++) {
		const struct disks_row *row = &f.model.rows[i];

		if (row->disk && !row->partition && strcmp(row->disk->name, name) == 0) {
			f.model.cursor.at = (int)i;
			return;
		}
	}
	ck_abort_msg("no row %s", name);
}

/* The list is replaced, as it happens when a disk comes or goes. */
static void replace(const char *machine)
{
	struct disk_list *list = machine_make(machine);
	struct disks_place place;

	disks_remember(&f.model, &place);
	ck_assert_int_eq(disks_update(&f.model, list, &place), 0);
	disk_list_destroy(f.list);
	f.list = list;
}

UNIT_CASE(.teardown = teardown);

TEST(test_cursor_stays_on_its_disk)
{
	setup("rescue");
	go_to("sdd");
	replace("unplugged");
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdd");
	replace("rescue");
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdd");
	/* A disk that goes leaves the cursor at its place. */
	go_to("sdb");
	replace("unplugged");
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdc");
	go_to("nvme0n1");
	replace("none");
	ck_assert_ptr_null(disks_current(&f.model));
	replace("rescue");
	ck_assert_ptr_nonnull(disks_current(&f.model));
}

TEST(test_partitions)
{
	setup("rescue");
	go_to("sda");
	ck_assert_int_eq(disks_toggle(&f.model), 0);
	ck_assert_uint_eq(f.model.count, 9);
	list_go(&f.model.cursor, f.model.cursor.at + 2);
	ck_assert_str_eq(disks_current(&f.model)->partition->node, "/dev/sda2");
	/* Stays open, and on its partition, when the list is replaced. */
	replace("unplugged");
	ck_assert_str_eq(disks_current(&f.model)->partition->node, "/dev/sda2");
	/* Closed from one of its partitions: the cursor goes to the disk. */
	ck_assert_int_eq(disks_toggle(&f.model), 0);
	ck_assert_ptr_null(disks_current(&f.model)->partition);
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sda");
	go_to("sdc");
	ck_assert_int_eq(disks_toggle(&f.model), -ENOENT);
}

static bool holds(void *model, int row, const char *text)
{
	return disks_holds(model, (size_t)row, text);
}

static bool find(struct disks_model *model, const char *text)
{
	strcpy(model->cursor.wanted, text);
	return list_find(&model->cursor, 1, holds, model);
}

TEST(test_moving)
{
	setup("many");
	list_go(&f.model.cursor, f.model.cursor.at - 5);
	ck_assert_int_eq(f.model.cursor.at, 0);
	list_go(&f.model.cursor, f.model.cursor.at + 1000);
	ck_assert_int_eq(f.model.cursor.at, 199);
	list_go(&f.model.cursor, f.model.cursor.at - 1000);
	ck_assert_int_eq(f.model.cursor.at, 0);
	setup("none");
	list_go(&f.model.cursor, f.model.cursor.at + 1);
	ck_assert_int_eq(f.model.cursor.at, 0);
	ck_assert_ptr_null(disks_current(&f.model));
	ck_assert(!find(&f.model, "x"));
}

TEST(test_find)
{
	setup("many");
	ck_assert(find(&f.model, "j0137"));
	ck_assert_str_eq(disks_current(&f.model)->disk->identity.serial, "PN2134P6J0137");
	/* From there on, around the end. */
	ck_assert(find(&f.model, "sda"));
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sda");
	ck_assert(find(&f.model, "sda"));
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdaa");
	ck_assert(!find(&f.model, "no such thing"));
	setup("rescue");
	/* What is on a disk finds the disk. */
	ck_assert(find(&f.model, "rescue"));
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sde");
}

/* The disks go, the cursor and the partitions go with them. */
TEST(test_sorted)
{
	struct disks_place place;

	setup("rescue");
	go_to("sdb");
	ck_assert_int_eq(disks_toggle(&f.model), 0);
	disks_remember(&f.model, &place);
	f.model.cursor.column = 2;
	f.model.cursor.down = true;
	ck_assert_int_eq(disks_update(&f.model, f.list, &place), 0);
	ck_assert_str_eq(f.model.rows[0].disk->name, "sdb");
	ck_assert_str_eq(f.model.rows[1].partition->node, "/dev/sdb1");
	ck_assert_str_eq(f.model.rows[3].partition->node, "/dev/sdb3");
	/* Those of the same size stay in their order. */
	ck_assert_str_eq(f.model.rows[4].disk->name, "sda");
	ck_assert_str_eq(f.model.rows[5].disk->name, "sdc");
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdb");
	f.model.cursor.down = false;
	ck_assert_int_eq(disks_update(&f.model, f.list, &place), 0);
	ck_assert_str_eq(f.model.rows[0].disk->name, "sde");
	ck_assert_str_eq(disks_current(&f.model)->disk->name, "sdb");
}

static const char *refusal(const char *name)
{
	static struct verdict verdict;

	go_to(name);
	return disks_refuse(disks_current(&f.model), true, &verdict) ? verdict.sentence : NULL;
}

/* The guard judges, the rows ask it. */
TEST(test_refusals)
{
	static const struct {
		const char *disk, *says; /* NULL: nothing */
	} rows[] = {
		{ "sda", NULL },
		{ "sdb", NULL },
		{ "sdc", "md127" },
		/* The running system counts more than that it is mounted. */
		{ "sde", "never be the destination" },
		{ "nvme0n1", "vg1-home" },
	};

	setup("rescue");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *sentence = refusal(rows[i].disk);

		ck_assert_msg(!sentence == !rows[i].says, "%s", rows[i].disk);
		if (sentence)
			ck_assert_ptr_nonnull(strstr(sentence, rows[i].says));
	}
	f.list->disks[1].medium_present = NO;
	ck_assert_ptr_nonnull(strstr(refusal("sdb"), "no medium"));
}

TEST(test_partition_refusals)
{
	struct verdict verdict;
	struct disks_row row;

	setup("rescue");
	/* A used neighbour does not stop a partition. */
	row = (struct disks_row){ .disk = &f.list->disks[5],
				  .partition = &f.list->disks[5].partitions[0] };
	ck_assert(!disks_refuse(&row, true, &verdict));
	row.partition = &f.list->disks[5].partitions[1];
	ck_assert(disks_refuse(&row, true, &verdict));
	/* One that the kernel does not know has no node to open. */
	f.list->disks[0].partitions[1].node[0] = '\0';
	row = (struct disks_row){ .disk = &f.list->disks[0],
				  .partition = &f.list->disks[0].partitions[1] };
	ck_assert(disks_refuse(&row, false, &verdict));
	ck_assert_ptr_nonnull(strstr(verdict.sentence, "screen 2"));
}

static struct disk_health shown_health;

static void row_text(size_t at, int cols)
{
	struct disks_columns columns;
	enum role role;

	disks_columns(&f.model, cols, &columns);
	line_start(&line, cols - 1);
	disks_text_row(&f.model, at, &columns, &shown_health, UNITS_SI, &line, &role);
}

TEST(test_marks)
{
	struct disks_place place = { 0 };

	setup("rescue");
	endpoint_from_disk(&f.list->disks[0], &f.source);
	endpoint_from_partition(&f.list->disks[1], &f.list->disks[1].partitions[1], &f.destination);
	row_text(0, 80);
	ck_assert_int_eq(strncmp(line.text, " S> sda", 7), 0);
	row_text(1, 80);
	ck_assert_int_eq(strncmp(line.text, " d  sdb", 7), 0);
	row_text(2, 80);
	ck_assert_int_eq(strncmp(line.text, " !  sdc", 7), 0);
	f.model.cursor.at = 1;
	ck_assert_int_eq(disks_toggle(&f.model), 0);
	row_text(3, 80);
	ck_assert_int_eq(strncmp(line.text, " D   sdb2", 9), 0);
	/* The same name with another identity is another disk. */
	snprintf(f.source.identity.serial, sizeof(f.source.identity.serial), "OTHER");
	snprintf(f.source.identity.wwn, sizeof(f.source.identity.wwn), "0x1");
	disks_update(&f.model, f.list, &place);
	row_text(0, 80);
	ck_assert_int_eq(strncmp(line.text, "  > sda", 7), 0);
}

TEST(test_health_column)
{
	struct health health;

	setup("rescue");
	shown_health = (struct disk_health){ .known = &health };
	health_clear(&health, NULL);
	row_text(0, 80);
	ck_assert_ptr_null(strstr(line.text, "good"));
	ck_assert_int_eq(disks_health_role(&shown_health), ROLE_NORMAL);
	health.time = 1;
	health.passed = YES;
	health.values[HEALTH_TEMPERATURE] = 38;
	row_text(0, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " good     38C "));
	health.values[HEALTH_PENDING] = 24;
	row_text(0, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " 24 weak  38C "));
	ck_assert_int_eq(disks_health_role(&shown_health), ROLE_WARN);
	health.values[HEALTH_REALLOCATED] = INT64_MAX;
	row_text(0, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " weak     38C "));
	health.passed = NO;
	row_text(0, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " FAILING  38C "));
	ck_assert_int_eq(disks_health_role(&shown_health), ROLE_BAD);
	shown_health = (struct disk_health){ 0 };
}

TEST(test_images)
{
	struct disks_place place = { 0 };
	struct verdict verdict;

	setup("rescue");
	f.destination.kind = ENDPOINT_IMAGE;
	snprintf(f.destination.node, sizeof(f.destination.node), "/srv/images/a.img");
	disks_update(&f.model, f.list, &place);
	ck_assert_uint_eq(f.model.count, 7);
	row_text(6, 80);
	ck_assert_int_eq(strncmp(line.text, " D  image ", 10), 0);
	ck_assert_ptr_nonnull(strstr(line.text, "/srv/images/a.img"));
	ck_assert_ptr_nonnull(strstr(line.text, "to be created"));
	ck_assert(find(&f.model, "images"));
	ck_assert(!disks_refuse(disks_current(&f.model), true, &verdict));
}

/* No machine, no width: a row is never wider than its screen. */
TEST(test_widths)
{
	static const char *const names[] = { "rescue", "many", "hostile", "none", "crowded" };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		setup(names[n]);
		disks_toggle(&f.model);
		for (int cols = 80; cols <= 250; cols += 3) {
			struct disks_columns columns;

			disks_columns(&f.model, cols, &columns);
			ck_assert_int_ge(columns.serial, 8);
			ck_assert_int_ge(columns.model, 8);
			line_start(&line, LINE_COLUMNS_MAX);
			disks_text_heading(&f.model, &columns, &line);
			ck_assert_int_lt(text_width(line.text), cols);
			for (size_t i = 0; i < f.model.count; i++) {
				enum role role;

				line_start(&line, LINE_COLUMNS_MAX);
				disks_text_row(&f.model, i, &columns, &shown_health, UNITS_SECTORS,
					       &line, &role);
				ck_assert_int_lt(text_width(line.text), cols);
			}
		}
	}
}

/* However many they are, they take no more columns than the longest of their names. */
TEST(test_many_partitions)
{
	struct disks_columns columns;

	setup("crowded");
	go_to("nvme0n1");
	ck_assert_int_eq(disks_toggle(&f.model), 0);
	ck_assert_uint_eq(f.model.count, 2 + 128);
	disks_columns(&f.model, 80, &columns);
	ck_assert_int_eq(columns.node, text_width(" nvme0n1p128"));
	row_text(f.model.count - 1, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " nvme0n1p128 "));
}

/* Identical models are told apart by the tail of the serial. */
TEST(test_serial_keeps_its_tail)
{
	setup("hostile");
	row_text(0, 80);
	ck_assert_ptr_nonnull(strstr(line.text, "-TAIL "));
	/* Both say where they are cut. */
	ck_assert_ptr_nonnull(strstr(line.text, ".. .."));
	ck_assert_ptr_null(strchr(line.text, '\033'));
}

/* A disk that hangs says so in its row and in its details, with what to do. */
TEST(test_silent)
{
	struct disk_facts facts;

	setup("silent");
	row_text(1, 80);
	ck_assert_ptr_nonnull(strstr(line.text, " ?  sdb "));
	ck_assert_str_eq(strrchr(line.text, ' ') + 1, "");
	ck_assert_ptr_nonnull(strstr(line.text, "-        -    ?"));
	row_text(0, 80);
	ck_assert_ptr_null(strchr(line.text, '?'));
	disk_describe(f.list, &f.list->disks[1], &(struct disk_health){ 0 }, &facts);
	ck_assert_str_eq(facts.facts[1].label, "State");
	ck_assert_ptr_nonnull(strstr(facts.facts[1].text, "Ask again."));
}

TEST(test_choice_in_words)
{
	setup("rescue");
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line), "Choose a source");
	endpoint_from_disk(&f.list->disks[2], &f.source);
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line), "Now d: destination.");
	ck_assert_ptr_nonnull(strstr(line.text, "sdc and sdd are the same model"));
	/* Two numbers that are the same tell nothing apart. */
	f.list->disks[3].identity.serial[11] = f.list->disks[2].identity.serial[11];
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line),
		 "sdc and sdd report the same serial number");
	f.list->disks[3].identity.serial[0] = f.list->disks[2].identity.serial[0] = '\0';
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line),
		 "the same model: check size and connector.");
	endpoint_from_disk(&f.list->disks[1], &f.destination);
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line), "Enter goes on.");
	/* What does not fit is told before anything is planned. */
	endpoint_from_disk(&f.list->disks[1], &f.source);
	endpoint_from_disk(&f.list->disks[0], &f.destination);
	line_has(LINE_COLUMNS_MAX, disks_text_choice(&f.model, &line),
		 "/dev/sda is smaller than /dev/sdb by 2.00 TB");
	/* Whatever a file is called, what to do next is told within a narrow line. */
	f.destination = (struct endpoint){ .kind = ENDPOINT_IMAGE };
	memset(f.destination.node, '/', 200);
	strcpy(f.destination.node + 200, "disk.img");
	line_has(80, disks_text_choice(&f.model, &line), "/disk.img. Enter goes on.");
	f.source = (struct endpoint){ .kind = ENDPOINT_NONE };
	line_has(80, disks_text_choice(&f.model, &line), "Now choose the source with s.");
}

TEST(test_hidden)
{
	struct disks_place place = { 0 };

	setup("rescue");
	f.list->disks[3].kind = DISK_RAM;
	disks_update(&f.model, f.list, &place);
	ck_assert_uint_eq(f.model.count, 5);
	/* What is chosen is never hidden. */
	endpoint_from_disk(&f.list->disks[3], &f.source);
	disks_update(&f.model, f.list, &place);
	ck_assert_uint_eq(f.model.count, 6);
	f.source.kind = ENDPOINT_NONE;
	f.model.all = true;
	disks_update(&f.model, f.list, &place);
	ck_assert_uint_eq(f.model.count, 6);
}

/* Loop devices stand behind the disks that somebody can take out. */
TEST(test_order)
{
	struct disks_place place = { 0 };

	setup("rescue");
	f.list->disks[0].kind = DISK_LOOP;
	disks_update(&f.model, f.list, &place);
	ck_assert_str_eq(f.model.rows[0].disk->name, "sdb");
	ck_assert_str_eq(f.model.rows[5].disk->name, "sda");
}
