#define _GNU_SOURCE
#include "failing_sync.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answers = PTHREAD_COND_INITIALIZER;
static char failing[PATH_MAX];
static int is_held, are_writes_held;

void failing_sync_below(const char *folder) {
    char real[PATH_MAX];
    pthread_mutex_lock(&lock);
    strcpy(failing, realpath(folder, real) ? real : "");
    pthread_mutex_unlock(&lock);
}

void failing_sync_hold(int value) {
    pthread_mutex_lock(&lock);
    is_held = value;
    pthread_cond_broadcast(&answers);
    pthread_mutex_unlock(&lock);
}

void failing_sync_hold_writes(int value) {
    pthread_mutex_lock(&lock);
    are_writes_held = value;
    pthread_cond_broadcast(&answers);
    pthread_mutex_unlock(&lock);
}

static int is_failing(int descriptor, const int *hold) {
    char name[64], path[PATH_MAX] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    if (readlink(name, path, sizeof path - 1) < 0) return 0;
    pthread_mutex_lock(&lock);
    int result = failing[0] && strncmp(path, failing, strlen(failing)) == 0;
    while (result && *hold) pthread_cond_wait(&answers, &lock);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int descriptor) {
    if (!is_failing(descriptor, &is_held)) return (int)syscall(SYS_fsync, descriptor);
    errno = EIO;
    return -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    is_failing(descriptor, &are_writes_held);
    return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}
