/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scripted disk behind the sg backend, opened by the test itself once it is as it should be. */
#pragma once

#include "fake/sg_script.h"
#include "io/sg.h"

#define BLOCK  512
#define LENGTH (64 * BLOCK)

extern struct sg_script disk;
extern struct sg_backend backend;
extern struct io_end end;
extern struct io_handle *handle;
extern uint8_t buffers[16][LENGTH];

void sg_rig_set_up(void);
void sg_rig_tear_down(void);
void open_it(void);
/* What the disk answers from now on: the members of a rule. */
#define disk_answers(...) sg_script_add(&disk, &(struct sg_script_rule){ __VA_ARGS__ })
/* LENGTH bytes from `lba` on, with the buffer of that number. */
struct io_request ask(enum io_direction direction, uint64_t lba, unsigned buffer);
/* Submits and waits for the one request. Its result. */
int run(struct io_request *request);
