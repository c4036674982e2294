// For receive-to-ring: put before a node by LD_PRELOAD, it has the kernel note when each datagram came to the socket,
// and writes a line for every read into the file RECEIPTS: the number of the turn of the thread's loop, the instant of
// the read, then those of the receipts, all in nanoseconds of CLOCK_MONOTONIC. The program notices nothing of it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGES = 64, ROOM = 1 << 16, SOCKETS = 1024 };

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// One thread reads all datagrams of a node.
static char text[ROOM];
static size_t length;
// A turn of a loop ends where it asks what there is to do.
static _Thread_local long long turn;

static void flush_text(void) {
    static int file = -1;
    if (file < 0) file = open(getenv("RECEIPTS"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (0 <= file && write(file, text, length) < 0) abort();
    length = 0;
}

static void note(const struct mmsghdr *messages, int count, int64_t read_at, int64_t ahead) {
    if (ROOM < length + 32 * (MESSAGES + 1)) flush_text();
    length += (size_t)sprintf(text + length, "%lld %lld", turn, (long long)read_at);
    for (int i = 0; i < count; i++) {
        struct msghdr header = messages[i].msg_hdr;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
            if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
            struct timespec t;
            memcpy(&t, CMSG_DATA(c), sizeof t);
            length += (size_t)sprintf(text + length, " %lld", (long long)t.tv_sec * 1000000000 + t.tv_nsec - ahead);
        }
    }
    text[length++] = '\n';
}

int recvmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags, struct timespec *timeout) {
    static int (*real)(int, struct mmsghdr *, unsigned int, int, struct timespec *);
    static char is_asked[SOCKETS];
    static _Alignas(8) char control[MESSAGES][64];
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "recvmmsg");
    if (SOCKETS <= socket || MESSAGES < count || 0 < messages[0].msg_hdr.msg_controllen)
        return real(socket, messages, count, flags, timeout);
    if (!is_asked[socket]) {
        is_asked[socket] = 1;
        setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int));
    }
    for (unsigned i = 0; i < count; i++) {
        messages[i].msg_hdr.msg_control = control[i];
        messages[i].msg_hdr.msg_controllen = sizeof control[i];
    }
    int got = real(socket, messages, count, flags, timeout);
    int64_t read_at = now(CLOCK_MONOTONIC);
    if (0 < got) note(messages, got, read_at, now(CLOCK_REALTIME) - read_at);
    for (unsigned i = 0; i < count; i++) {
        messages[i].msg_hdr.msg_control = NULL;
        messages[i].msg_hdr.msg_controllen = 0;
    }
    return got;
}

int epoll_wait(int set, struct epoll_event *events, int room, int timeout) {
    static int (*real)(int, struct epoll_event *, int, int);
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "epoll_wait");
    turn++;
    return real(set, events, room, timeout);
}

__attribute__((destructor)) static void end(void) { if (length) flush_text(); }
