#include "linux_suspend.h"
#include <time.h>

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t linux_asleep_nanoseconds(void) { return nanoseconds(CLOCK_BOOTTIME) - nanoseconds(CLOCK_MONOTONIC); }
