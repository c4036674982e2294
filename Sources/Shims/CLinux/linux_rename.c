#define _GNU_SOURCE
#include "linux_rename.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int linux_rename_unless_taken(const char *path, const char *name) {
    if (renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) == 0) return 0;
    // EINVAL: the file system does not know the flag.
    if (errno != EINVAL && errno != ENOSYS) return errno;
    struct stat facts;
    if (lstat(name, &facts) == 0) return EEXIST;
    return rename(path, name) == 0 ? 0 : errno;
}
