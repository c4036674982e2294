// eventfd(2): how an audio thread wakes a loop without allocating, locking or blocking.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>

// A non-blocking, close-on-exec counter at zero; -1 with errno where there is none.
int linux_eventfd_open(void);

// Adds one. A counter that is full already wakes its reader, so that is no failure: 0, else errno.
int linux_eventfd_signal(int descriptor);

// Takes the counter back to zero; the count that stood there, 0 where none did.
uint64_t linux_eventfd_take(int descriptor);

// Returns when the count is not zero, at `until_nanoseconds` on CLOCK_MONOTONIC or later, or at a signal.
void linux_eventfd_wait(int descriptor, int64_t until_nanoseconds);
