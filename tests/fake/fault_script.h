/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the fault backend and its script: what is to happen to a request. Thread-safe. */
#pragma once

#include "fake/fault.h"

struct fault_verdict {
	bool fails, busy, corrupts, reorders;
	int code;
	uint32_t after;      /* bytes that succeed before it fails */
	uint32_t corrupt_at; /* byte of the request */
	uint64_t delay_ns;
	uint64_t wrap; /* 0: not */
	struct sense sense;
};

/* alone: nothing else is in flight on the handle, so IO_BUSY would be an answer for ever. */
void fault_script_judge(struct fault_script *script, const struct io_request *request, bool alone,
			struct fault_verdict *ret);
int fault_script_flush(struct fault_script *script); /* 0 or the code it fails with */
/* One more in flight, one less. */
void fault_script_enter(struct fault_script *script, const struct io_request *request);
void fault_script_leave(struct fault_script *script, const struct io_request *request);
/* The inner backend completed this. */
void fault_script_done(struct fault_script *script, const struct io_request *request);
