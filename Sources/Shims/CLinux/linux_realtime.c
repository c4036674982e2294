#define _GNU_SOURCE
#include "linux_realtime.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int linux_thread_make_fifo(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}

int linux_thread_make_ordinary(void) {
    struct sched_param parameters = {.sched_priority = 0};
    // The flag stays: only a thread with CAP_SYS_NICE may clear it, and for others the whole call fails (EPERM).
    return pthread_setschedparam(pthread_self(), SCHED_OTHER | SCHED_RESET_ON_FORK, &parameters);
}

int linux_thread_set_nice(int nice_value) {
    return setpriority(PRIO_PROCESS, (id_t)gettid(), nice_value) == 0 ? 0 : errno;
}

void linux_thread_set_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    pthread_setname_np(pthread_self(), cut);
}

int linux_memory_lock(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return errno;
    if (limit.rlim_cur != RLIM_INFINITY && geteuid() != 0) return EPERM;
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
}

#define PREFAULT_BYTES_MAX (256 * 1024)

__attribute__((noinline)) void linux_stack_prefault(size_t bytes) {
    volatile unsigned char below[PREFAULT_BYTES_MAX];
    if (PREFAULT_BYTES_MAX < bytes) bytes = PREFAULT_BYTES_MAX;
    for (size_t touched = 0; touched < bytes; touched += 4096) below[PREFAULT_BYTES_MAX - 1 - touched] = 0;
}

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int linux_thread_start(unsigned long *handle, size_t stack_bytes, void (*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    start->body = body;
    start->context = context;

    // Signals are handled by other threads: a handler on an audio thread could delay it by a period.
    sigset_t all, before;
    sigfillset(&all);
    int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);

    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    int error = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (error == 0) error = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    if (error == 0) *handle = (unsigned long)thread;
    else free(start);
    return error;
}

int linux_thread_join(unsigned long handle, int64_t deadline_nanoseconds) {
    struct timespec deadline = {
        .tv_sec = deadline_nanoseconds / 1000000000, .tv_nsec = deadline_nanoseconds % 1000000000};
    int error = pthread_clockjoin_np((pthread_t)handle, NULL, CLOCK_MONOTONIC, &deadline);
    if (error != 0) pthread_detach((pthread_t)handle);
    return error;
}
