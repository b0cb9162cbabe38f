/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sg_script.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint16_t get_be16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

static uint32_t get_be32(const uint8_t *from)
{
	return (uint32_t)get_be16(from) << 16 | get_be16(from + 2);
}

static uint64_t get_be64(const uint8_t *from)
{
	return (uint64_t)get_be32(from) << 32 | get_be32(from + 4);
}

static void put_be32(uint32_t value, uint8_t *to)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static void put_be64(uint64_t value, uint8_t *to)
{
	value = htobe64(value);
	memcpy(to, &value, sizeof(value));
}

static struct sg_script *script_of(const struct sg_driver *driver)
{
	return (struct sg_script *)(uintptr_t)driver;
}

struct transfer {
	bool read, write;
	uint64_t lba;
	uint32_t blocks;
};

static struct transfer decode(const uint8_t *cdb)
{
	switch (cdb[0]) {
	case 0x28:
	case 0x2a:
		return (struct transfer){ cdb[0] == 0x28, cdb[0] == 0x2a, get_be32(cdb + 2),
					  get_be16(cdb + 7) };
	case 0x88:
	case 0x8a:
		return (struct transfer){ cdb[0] == 0x88, cdb[0] == 0x8a, get_be64(cdb + 2),
					  get_be32(cdb + 10) };
	case 0x7f:
		return (struct transfer){ cdb[9] == 0x09, cdb[9] == 0x0b, get_be64(cdb + 12),
					  get_be32(cdb + 28) };
	default:
		return (struct transfer){ 0 };
	}
}

static void give_sense(sg_io_hdr_t *header, const struct sg_script_rule *rule)
{
	uint8_t *sense = header->sbp;

	memset(sense, 0, header->mx_sb_len);
	if (rule->has_info && rule->info > UINT32_MAX) {
		/* descriptor format: the only one with room for the LBA */
		sense[0] = rule->deferred ? 0x73 : 0x72;
		sense[1] = rule->key;
		sense[2] = rule->asc;
		sense[3] = rule->ascq;
		sense[7] = 12;
		sense[9] = 10;
		sense[10] = 0x80;
		put_be64(rule->info, sense + 12);
		header->sb_len_wr = 20;
		return;
	}
	sense[0] = (rule->has_info ? 0xf0 : 0x70) | rule->deferred;
	sense[2] = rule->key;
	put_be32((uint32_t)rule->info, sense + 3);
	sense[7] = 10;
	sense[12] = rule->asc;
	sense[13] = rule->ascq;
	header->sb_len_wr = 18;
}

static struct sg_script_rule *match(struct sg_script *script, const sg_io_hdr_t *header)
{
	struct transfer t = decode(header->cmdp);

	for (unsigned i = 0; i < script->rule_count; i++) {
		struct sg_script_rule *rule = &script->rules[i];

		if (rule->op && rule->op != header->cmdp[0])
			continue;
		if (rule->lba != ANY_LBA && !(rule->lba >= t.lba && rule->lba < t.lba + t.blocks))
			continue;
		if (rule->skip > 0) {
			rule->skip--;
			continue;
		}
		if (rule->times == 0)
			continue;
		rule->times--;
		return rule;
	}
	return NULL;
}

static void transfer(struct sg_script *script, sg_io_hdr_t *header, const struct transfer *t)
{
	uint32_t length = header->dxfer_len - (uint32_t)header->resid;

	if (t->lba + t->blocks > script->blocks ||
	    header->dxfer_len != t->blocks * script->block_size) {
		header->status = 2;
		give_sense(header, &(struct sg_script_rule){ .key = 5, .asc = 0x21 });
		return;
	}
	for (uint32_t at = 0; at < length; at += script->block_size) {
		uint64_t block = (t->lba + at / script->block_size) % script->real_blocks;
		uint8_t *disk = script->data + block * script->block_size;
		uint8_t *memory = (uint8_t *)header->dxferp + at;
		uint32_t n = length - at < script->block_size ? length - at : script->block_size;

		memcpy(t->read ? memory : disk, t->read ? disk : memory, n);
	}
	if (t->read)
		script->reads++;
	else
		script->writes++;
	if (script->allow_direct && (header->flags & SG_FLAG_DIRECT_IO))
		header->info |= SG_INFO_DIRECT_IO;
}

static void capacity(struct sg_script *script, sg_io_hdr_t *header)
{
	uint8_t data[32] = { 0 };

	if (header->cmdp[0] == 0x25) {
		uint64_t last = script->blocks - 1;

		put_be32(last > UINT32_MAX ? UINT32_MAX : (uint32_t)last, data);
		put_be32(script->block_size, data + 4);
	} else {
		put_be64(script->blocks - 1, data);
		put_be32(script->block_size, data + 8);
		data[12] = script->protection ? (uint8_t)(1 | (script->protection - 1) << 1) : 0;
	}
	memcpy(header->dxferp, data, header->dxfer_len < 32 ? header->dxfer_len : 32);
}

/* The caching page behind a header and one block descriptor. */
static void mode_sense(const struct sg_script *script, sg_io_hdr_t *header)
{
	bool long_form = header->cmdp[0] == 0x5a;
	uint8_t data[64] = { 0 };
	size_t page = long_form ? 16 : 12;

	if (long_form && script->no_long_lba) {
		header->status = 2;
		give_sense(header, &(struct sg_script_rule){ .key = 5, .asc = 0x20 });
		return;
	}
	data[long_form ? 3 : 2] = script->no_dpo_fua ? 0 : 0x10;
	data[long_form ? 7 : 3] = 8;
	data[page] = 0x08;
	data[page + 1] = 18;
	data[page + 2] = script->no_write_cache ? 0 : 0x04;
	header->resid = (int)(header->dxfer_len - (page + 20));
	memcpy(header->dxferp, data, page + 20);
}

static void give(sg_io_hdr_t *header, const uint8_t *data, size_t length)
{
	size_t n = length < header->dxfer_len ? length : header->dxfer_len;

	memcpy(header->dxferp, data, n);
	header->resid = (int)(header->dxfer_len - n);
}

static void read_buffer(struct sg_script *script, sg_io_hdr_t *header)
{
	bool echo = header->cmdp[1] >= 0x0a;
	uint32_t capacity = echo ? script->echo : script->buffer;
	uint8_t data[4];

	if (!capacity) {
		header->status = 2;
		give_sense(header, &(struct sg_script_rule){ .key = 5, .asc = 0x20 });
		return;
	}
	if (header->cmdp[1] == 0x03 || header->cmdp[1] == 0x0b) {
		put_be32(capacity, data);
		give(header, data, sizeof(data));
		return;
	}
	script->buffers_read++;
	if (script->allow_direct && (header->flags & SG_FLAG_DIRECT_IO))
		header->info |= SG_INFO_DIRECT_IO;
}

static void ata_command(struct sg_script *script, sg_io_hdr_t *header)
{
	uint8_t command = header->cmdp[14];
	const uint8_t *data = command == 0xec   ? script->identify
			      : command == 0xb1 ? script->overlay
						: NULL;

	script->ata_commands++;
	if (data) {
		give(header, data, 512);
	} else if ((command == 0x27 || command == 0x78) && script->registers) {
		header->status = 2;
		header->sb_len_wr = (unsigned char)script->registers_length;
		memcpy(header->sbp, script->registers, script->registers_length);
	} else {
		header->status = 2;
		give_sense(header, &(struct sg_script_rule){ .key = 0xb });
	}
}

static void execute(struct sg_script *script, sg_io_hdr_t *header)
{
	struct transfer t = decode(header->cmdp);
	struct sg_script_rule *rule = match(script, header);
	uint8_t op = header->cmdp[0];

	header->status = 0;
	header->sb_len_wr = 0;
	header->resid = 0;
	header->info = 0;
	header->host_status = 0;
	script->last_op = op;
	memcpy(script->last_cdb, header->cmdp, header->cmd_len);
	if (rule) {
		header->status = rule->status;
		header->host_status = rule->host_status;
		header->resid = rule->resid;
		if (rule->status == 2 || rule->key)
			give_sense(header, rule);
		if (rule->status == 0 && rule->host_status == 0 && (t.read || t.write))
			transfer(script, header, &t);
		return;
	}
	if (op == 0x5a || op == 0x1a) {
		mode_sense(script, header);
	} else if (op == 0x85) {
		ata_command(script, header);
	} else if (op == 0x3c) {
		read_buffer(script, header);
	} else if (script->no_long_lba && (op == 0x88 || op == 0x8a || op == 0x9e || op == 0x91)) {
		header->status = 2;
		give_sense(header, &(struct sg_script_rule){ .key = 5, .asc = 0x20 });
	} else if (t.read || t.write) {
		transfer(script, header, &t);
	} else if (op == 0x25 || op == 0x9e) {
		capacity(script, header);
	} else if (op == 0x35 || op == 0x91) {
		script->synchronized++;
	}
}

static int script_reopen(const struct sg_driver *driver, int sg_fd, int *ret)
{
	struct sg_script *script = script_of(driver);
	unsigned port = 0;

	if (script->gone)
		return -ENODEV;
	while (port < SG_SCRIPT_PORTS && script->ports[port].open)
		port++;
	if (port == SG_SCRIPT_PORTS)
		return -EMFILE;
	script->ports[port].open = true;
	script->opened++;
	*ret = SG_SCRIPT_FD + (int)port;
	return 0;
}

static int script_version(const struct sg_driver *driver, int fd, int *ret)
{
	*ret = script_of(driver)->version;
	return 0;
}

static int script_reserve(const struct sg_driver *driver, int fd, uint32_t bytes)
{
	return 0;
}

static int script_map(const struct sg_driver *driver, int fd, uint32_t *bytes, void **ret)
{
	struct sg_script *script = script_of(driver);

	if (*bytes > script->reserve_most) {
		*bytes = script->reserve_most;
		return -ENOSPC;
	}
	*ret = script->ports[fd - SG_SCRIPT_FD].buffer = malloc(*bytes);
	return 0;
}

static void script_unmap(const struct sg_driver *driver, void *buffer, uint32_t bytes)
{
	free(buffer);
}

/* Never polled: wait() knows. */
static int script_group(const struct sg_driver *driver, const int *fds, unsigned count, int *ret)
{
	*ret = SG_SCRIPT_FD + SG_SCRIPT_PORTS;
	script_of(driver)->opened++;
	return 0;
}

/* As the real driver answers. */
static int refuse_mapped(const struct sg_script *script, int fd, const sg_io_hdr_t *header)
{
	if (header->flags & SG_FLAG_DIRECT_IO)
		return -EINVAL;
	if (header->dxfer_len > script->reserve_most)
		return -ENOMEM;
	return script->ports[fd - SG_SCRIPT_FD].busy ? -EBUSY : 0;
}

static int script_send(const struct sg_driver *driver, int fd, sg_io_hdr_t *header)
{
	struct sg_script *script = script_of(driver);
	unsigned queued = 0;

	if (script->gone)
		return -ENODEV;
	for (unsigned i = 0; i < script->pending_count; i++)
		queued += script->pending[i].fd == fd;
	if (queued == SG_DRIVER_QUEUE)
		return -EDOM;
	for (unsigned i = 0; i < script->rule_count; i++)
		if (script->rules[i].send_error && script->rules[i].times > 0) {
			script->rules[i].times--;
			return script->rules[i].send_error;
		}
	if (script->memory && header->dxfer_len > script->memory)
		return -ENOMEM;
	if (header->flags & SG_DRIVER_MMAP) {
		int r = refuse_mapped(script, fd, header);

		if (r < 0)
			return r;
		script->ports[fd - SG_SCRIPT_FD].busy = true;
	}
	script->pending[script->pending_count].header = *header;
	script->pending[script->pending_count++].fd = fd;
	script->just_sent = true;
	if (script->pending_count > script->most_queued)
		script->most_queued = script->pending_count;
	return 0;
}

static int next_of(const struct sg_script *script, int fd)
{
	int found = -1;

	for (int i = 0; i < (int)script->pending_count; i++)
		if (script->pending[i].fd == fd && (found < 0 || script->newest_first))
			found = i;
	return found;
}

static int script_receive(const struct sg_driver *driver, int fd, sg_io_hdr_t *ret)
{
	struct sg_script *script = script_of(driver);

	if (script->gone)
		return -ENODEV;
	bool too_soon = script->just_sent && !script->inside && script->pending_count == 1;
	int i = next_of(script, fd);

	script->just_sent = false;
	if (i < 0 || too_soon)
		return -EAGAIN;
	*ret = script->pending[i].header;
	memmove(&script->pending[i], &script->pending[i + 1],
		(script->pending_count - (unsigned)i - 1) * sizeof(script->pending[0]));
	script->pending_count--;
	if (ret->flags & SG_DRIVER_MMAP) {
		script->ports[fd - SG_SCRIPT_FD].busy = false;
		ret->dxferp = script->ports[fd - SG_SCRIPT_FD].buffer;
	}
	execute(script, ret);
	return 0;
}

static int script_wait(const struct sg_driver *driver, const int *fds, unsigned count,
		       uint64_t timeout_ns)
{
	struct sg_script *script = script_of(driver);

	if (script->gone)
		return -ENODEV;
	return script->pending_count ? (1 << count) - 1 : -ETIMEDOUT;
}

static int script_run(const struct sg_driver *driver, int fd, sg_io_hdr_t *header)
{
	struct sg_script *script = script_of(driver);

	if (script->gone)
		return -ENODEV;
	script->ran++;
	for (unsigned i = 0; i < script->rule_count; i++) {
		struct sg_script_rule *rule = &script->rules[i];

		if (rule->run_error && rule->times > 0 && rule->op == header->cmdp[0]) {
			rule->times--;
			return rule->run_error;
		}
	}
	if (header->flags & SG_DRIVER_MMAP)
		header->dxferp = script->ports[fd - SG_SCRIPT_FD].buffer;
	execute(script, header);
	return 0;
}

static void script_close(const struct sg_driver *driver, int fd)
{
	struct sg_script *script = script_of(driver);

	script->opened--;
	if (fd < SG_SCRIPT_FD + SG_SCRIPT_PORTS)
		script->ports[fd - SG_SCRIPT_FD].open = false;
}

void sg_script_init(struct sg_script *script, uint64_t blocks, uint32_t block_size)
{
	*script = (struct sg_script){
		.driver = {
			.reopen = script_reopen,
			.version = script_version,
			.reserve = script_reserve,
			.map = script_map,
			.unmap = script_unmap,
			.group = script_group,
			.send = script_send,
			.receive = script_receive,
			.wait = script_wait,
			.run = script_run,
			.close = script_close,
		},
		.blocks = blocks,
		.real_blocks = blocks > 8192 ? 8192 : blocks,
		.block_size = block_size,
		.version = 30536,
		.allow_direct = true,
		.reserve_most = 4 << 20,
	};
	script->data = malloc(script->real_blocks * block_size);
	for (uint64_t i = 0; i < script->real_blocks * block_size; i++)
		script->data[i] = (uint8_t)(i * 31 + i / block_size);
}

void sg_script_done(struct sg_script *script)
{
	free(script->data);
}

void sg_script_add(struct sg_script *script, const struct sg_script_rule *rule)
{
	script->rules[script->rule_count++] = *rule;
}
