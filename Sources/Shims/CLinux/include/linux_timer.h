// CLOCK_MONOTONIC in nanoseconds: read, and slept against by absolute time so that no error adds up.
#pragma once
#include <stdint.h>

int64_t linux_monotonic_nanoseconds(void);

// Returns at `instant_nanoseconds` or later; at once where that has passed. Signals do not cut it short.
void linux_sleep_until_nanoseconds(int64_t instant_nanoseconds);
