#define _GNU_SOURCE
#include "linux_eventfd.h"
#include "linux_timer.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

int linux_eventfd_open(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int linux_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    for (;;) {
        if (write(descriptor, &one, sizeof one) == sizeof one || errno == EAGAIN) return 0;
        if (errno != EINTR) return errno;
    }
}

uint64_t linux_eventfd_take(int descriptor) {
    uint64_t count = 0;
    for (;;) {
        if (read(descriptor, &count, sizeof count) == sizeof count) return count;
        if (errno != EINTR) return 0;
    }
}

void linux_eventfd_wait(int descriptor, int64_t until_nanoseconds) {
    int64_t left = until_nanoseconds - linux_monotonic_nanoseconds();
    if (left <= 0) return;
    struct pollfd readable = {.fd = descriptor, .events = POLLIN};
    struct timespec timeout = {left / 1000000000, left % 1000000000};
    ppoll(&readable, 1, &timeout, NULL);
}
