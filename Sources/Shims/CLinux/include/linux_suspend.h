// The time for which the machine has been suspended since it booted.
#pragma once
#include <stdint.h>

// CLOCK_BOOTTIME less CLOCK_MONOTONIC, in nanoseconds.
int64_t linux_asleep_nanoseconds(void);
