#pragma once
#include <stdint.h>

/// `struct ucred` of unix(7). glibc declares it only with _GNU_SOURCE, which Swift does not set.
struct linux_peercred {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

/// Values of SOL_SOCKET and SO_PEERCRED, which differ between architectures.
extern const int32_t linux_peercred_level;
extern const int32_t linux_peercred_name;
