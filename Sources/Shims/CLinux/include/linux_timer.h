// Reading CLOCK_MONOTONIC, and sleeping until an absolute time of it, so that errors of several sleeps do not add up.
#pragma once
#include <stdint.h>

int64_t linux_monotonic_nanoseconds(void);

// Sleeps until `instant_nanoseconds` has passed. A signal does not end the sleep.
void linux_sleep_until_nanoseconds(int64_t instant_nanoseconds);
