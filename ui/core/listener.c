/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/listener.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool listener_address(const char *folder, pid_t pid, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%ld.socket", folder, (long)pid);
	return n > 0 && (size_t)n < sizeof(ret->sun_path);
}

void listener_open(struct listener *listener, const char *folder)
{
	int fd;

	listener->fd = -1;
	if (!folder || !listener_address(folder, getpid(), &listener->address))
		return;
	fd = new_socket();
	if (fd < 0)
		return;
	/* Left behind by another process of this number. */
	unlink(listener->address.sun_path);
	/* The socket's own mode is what its name gets, less the umask, which is not changed since
	 * it is that of all threads. */
	if (fchmod(fd, 0600) < 0 ||
	    bind(fd, (const struct sockaddr *)&listener->address, sizeof(listener->address)) < 0) {
		close(fd);
	} else if (listen(fd, 16) < 0) {
		unlink(listener->address.sun_path);
		close(fd);
	} else {
		listener->fd = fd;
	}
}

void listener_close(struct listener *listener)
{
	if (listener->fd < 0)
		return;
	unlink(listener->address.sun_path);
	close(listener->fd);
	listener->fd = -1;
}

int listener_accept(const struct listener *listener)
{
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    (peer.uid == 0 || peer.uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

int listener_connect(const struct sockaddr_un *address)
{
	int fd = new_socket(), err;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}
