#define _GNU_SOURCE
#include "thread_privilege.h"
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

int thread_privilege_drop_nice(void) {
    // capset(2) changes the calling thread alone.
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0) return errno;
    const __u32 others = ~(__u32)CAP_TO_MASK(CAP_SYS_NICE);
    data[CAP_TO_INDEX(CAP_SYS_NICE)].effective &= others;
    data[CAP_TO_INDEX(CAP_SYS_NICE)].permitted &= others;
    data[CAP_TO_INDEX(CAP_SYS_NICE)].inheritable &= others;
    return syscall(SYS_capset, &header, data) == 0 ? 0 : errno;
}
