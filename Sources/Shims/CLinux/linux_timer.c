#include "linux_timer.h"
#include <errno.h>
#include <time.h>

int64_t linux_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void linux_sleep_until_nanoseconds(int64_t instant_nanoseconds) {
    if (instant_nanoseconds < 0) return;
    struct timespec until = {instant_nanoseconds / 1000000000, instant_nanoseconds % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
}
