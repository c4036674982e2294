#define _GNU_SOURCE
#include "linux_disk.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/// In the process of its own: calls `body(path)`, and writes the result into `end`.
static _Noreturn void run_apart(int (*body)(const char *path), const char *path, int end) {
    // A reader of this program's output, and the peer of each of its sockets, wait until every process has closed its
    // copy of the descriptor.
    int result_end = 3;
    if (end != result_end) dup2(end, result_end);
    for (int standard = 0; standard < result_end; standard++) close(standard);
    // An old system, or a container, may refuse the call.
    if (syscall(SYS_close_range, result_end + 1, ~0U, 0) != 0) {
        for (int other = result_end + 1; other < 1024; other++) close(other);
    }
    int result = body(path);
    (void)!write(result_end, &result, sizeof result);
    _exit(0);
}

int linux_apart(int (*body)(const char *path), const char *path, int milliseconds) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child == 0) {
        // When the parent of a process has ended, init collects that process, however late it ends.
        if (fork() == 0) run_apart(body, path, ends[1]);
        _exit(0);
    }
    int result = child < 0 ? errno : -1;
    close(ends[1]);
    if (0 < child) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
        struct pollfd end = {.fd = ends[0], .events = POLLIN};
        int ready;
        do {
            ready = poll(&end, 1, milliseconds);
        } while (ready < 0 && errno == EINTR);
        if (0 < ready && read(ends[0], &result, sizeof result) != sizeof result) result = EIO;
    }
    close(ends[0]);
    return result;
}

int linux_disk_read(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0) return errno;
    // A pipe is no disk: opening it would wait for a writer, and that writer would notice when this reader ends.
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    char byte;
    (void)!read(descriptor, &byte, 1);
    close(descriptor);
    return 0;
}

int linux_disk_write(const char *path) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    ssize_t count = write(descriptor, "partyline", 9);
    int error = count < 0 ? errno : count < 9 ? ENOSPC : 0;
    if (error == 0 && fsync(descriptor) != 0) error = errno;
    close(descriptor);
    unlink(path);
    return error;
}
