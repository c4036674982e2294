#pragma once
#include <stdint.h>

/// `struct ucred` of unix(7), which glibc shows under _GNU_SOURCE only.
struct linux_peercred {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

/// SOL_SOCKET and SO_PEERCRED, as this architecture numbers them.
extern const int32_t linux_peercred_level;
extern const int32_t linux_peercred_name;
