#define _GNU_SOURCE
#include "linux_peercred.h"
#include <sys/socket.h>

_Static_assert(sizeof(struct linux_peercred) == sizeof(struct ucred), "layout of struct ucred");

const int32_t linux_peercred_level = SOL_SOCKET;
const int32_t linux_peercred_name = SO_PEERCRED;
