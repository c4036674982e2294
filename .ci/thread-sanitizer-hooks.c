// Shows the thread sanitizer two kinds of synchronisation of Swift on Linux that it does not see. Preloaded by
// .ci/sanitize.
//
// 1. The concurrency runtime reports the hand-over of a task only after `__tsan_on_initialize` of libswiftCore was
//    called. A program that links the sanitizer statically has an empty function of that name, which is called instead.
// 2. A contended Synchronization.Mutex is locked inside a library that is not instrumented.
//
// Without this file, every hand-over of a task and every contended lock would be reported as a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

static void (*acquire)(void *);
static void (*release)(void *);

__attribute__((constructor)) static void initialize(void) {
    release = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_release");
    acquire = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_acquire");
    // `swift test` itself, and the programs that tests start, are built without the sanitizer.
    if (!acquire || !release) return;
    void *core = dlopen("libswiftCore.so", RTLD_NOLOAD | RTLD_LAZY);
    void (*on_initialize)(void) = core ? (void (*)(void))dlsym(core, "__tsan_on_initialize") : 0;
    if (on_initialize) on_initialize();
}

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *

typedef __attribute__((swiftcall)) void LockSlow(uint32_t thread, SELF handle);
typedef __attribute__((swiftcall)) void UnlockSlow(SELF handle);

// Synchronization._MutexHandle._lockSlow(_:). The thread that unlocked before has called `release` with this address.
__attribute__((swiftcall)) void mutex_lock_slow(uint32_t thread, SELF handle) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void mutex_lock_slow(uint32_t thread, SELF handle) {
    static LockSlow *original;
    if (!original) original = (LockSlow *)dlsym(RTLD_NEXT, LOCK_SLOW);
    original(thread, handle);
    if (acquire) acquire(handle);
}

// Synchronization._MutexHandle._unlockSlow()
__attribute__((swiftcall)) void mutex_unlock_slow(SELF handle) __asm__(UNLOCK_SLOW);
__attribute__((swiftcall)) void mutex_unlock_slow(SELF handle) {
    static UnlockSlow *original;
    if (!original) original = (UnlockSlow *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
    if (release) release(handle);
    original(handle);
}
