// eventfd(2): an audio thread wakes a loop with it, without allocating, locking or blocking.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>

// Makes a counter with value 0, non-blocking and close-on-exec. Returns its descriptor, or -1 with errno.
int linux_eventfd_open(void);

// Adds 1 to the counter. Returns 0, or an errno. It is no error if the counter is full: it then wakes its reader
// already.
int linux_eventfd_signal(int descriptor);

// Sets the counter to 0; returns the former value, or 0 on an error.
uint64_t linux_eventfd_take(int descriptor);

// Waits until the counter is not 0, until `until_nanoseconds` on CLOCK_MONOTONIC has passed, or until a signal comes.
void linux_eventfd_wait(int descriptor, int64_t until_nanoseconds);
