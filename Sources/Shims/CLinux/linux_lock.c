#include "linux_lock.h"
#include <errno.h>
#include <sys/file.h>

int linux_lock_exclusive(int descriptor) {
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}
