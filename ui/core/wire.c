/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/i18n.h"

/* Counts what changes struct wire_note: an older deck may run on after an update. */
#define VERSION 3

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(WIRE_DESCRIPTORS * sizeof(int))];
};

struct wire_note wire_left(pid_t deck)
{
	struct wire_note note = { .kind = WIRE_LEFT, .value = EXIT_ENVIRONMENT };

	snprintf(note.text, sizeof(note.text),
		 _("clonedeck: The copy goes on as process %ld. 'clonedeck attach' brings its "
		   "deck to a terminal.\n"),
		 (long)deck);
	return note;
}

/* What is said last, one that looks on gets also behind all the frames that it has not read. */
static void make_room(int fd, uint32_t kind)
{
	static const int room = 1 << 18;

	if (kind == WIRE_LEFT || kind == WIRE_END || kind == WIRE_GO)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
}

static bool send_packet(int fd, struct wire_note note, const int *descriptors, const void *more,
			size_t size)
{
	union control control = { .bytes = { 0 } };
	struct iovec data[2] = { { .iov_base = &note, .iov_len = sizeof(note) },
				 { .iov_base = (void *)more, .iov_len = size } };
	struct msghdr message = { .msg_iov = data, .msg_iovlen = 2 };
	ssize_t n;

	make_room(fd, note.kind);
	note.version = VERSION;
	note.pid = (int32_t)getpid();
	if (descriptors) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);

		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(WIRE_DESCRIPTORS * sizeof(int));
		memcpy(CMSG_DATA(header), descriptors, WIRE_DESCRIPTORS * sizeof(int));
	}
	do {
		/* Never waits: a client that is stopped reads nothing. */
		n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)(sizeof(note) + size);
}

bool wire_send(int fd, struct wire_note note, const int *descriptors)
{
	return send_packet(fd, note, descriptors, NULL, 0);
}

bool wire_send_more(int fd, struct wire_note note, const struct wire_more *more)
{
	return send_packet(fd, note, NULL, more->bytes, more->size);
}

static void take_descriptors(struct msghdr *message, int descriptors[static WIRE_DESCRIPTORS])
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
		    header->cmsg_len <= CMSG_LEN(WIRE_DESCRIPTORS * sizeof(int)))
			memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
	}
}

int wire_receive(int fd, struct wire_note *ret, int descriptors[static WIRE_DESCRIPTORS],
		 struct wire_more *retmore)
{
	union control control;
	struct iovec data[2] = { { .iov_base = ret, .iov_len = sizeof(*ret) },
				 { .iov_base = retmore ? retmore->bytes : NULL,
				   .iov_len = retmore ? sizeof(retmore->bytes) : 0 } };
	struct msghdr message = { .msg_iov = data,
				  .msg_iovlen = 2,
				  .msg_control = &control,
				  /* Without the padding, where one more would have room. */
				  .msg_controllen = CMSG_LEN(WIRE_DESCRIPTORS * sizeof(int)) };
	ssize_t n;

	for (int i = 0; i < WIRE_DESCRIPTORS; i++)
		descriptors[i] = -1;
	do {
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
		/* The other side closed with something of ours unread; what it said before is
		 * still there. This is reported once. */
	} while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0)
		return -1;
	take_descriptors(&message, descriptors);
	if (n < (ssize_t)sizeof(*ret) || message.msg_flags & MSG_TRUNC || ret->version != VERSION) {
		wire_close(descriptors);
		return -1;
	}
	ret->facts.name[sizeof(ret->facts.name) - 1] = '\0';
	ret->facts.background[sizeof(ret->facts.background) - 1] = '\0';
	ret->text[sizeof(ret->text) - 1] = '\0';
	if (retmore)
		retmore->size = (size_t)n - sizeof(*ret);
	return 1;
}

void wire_close(int descriptors[static WIRE_DESCRIPTORS])
{
	for (int i = 0; i < WIRE_DESCRIPTORS; i++) {
		fd_close(descriptors[i]);
		descriptors[i] = -1;
	}
}

bool wire_terminal(int fd, int ms, struct wire_note *ret, int descriptors[static WIRE_DESCRIPTORS])
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	if (poll(&pollfd, 1, ms) <= 0 || wire_receive(fd, ret, descriptors, NULL) <= 0)
		return false;
	if (ret->kind == WIRE_TERMINAL && descriptors[WIRE_DESCRIPTORS - 1] >= 0)
		return true;
	wire_close(descriptors);
	return false;
}
