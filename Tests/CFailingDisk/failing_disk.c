#include "failing_disk.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// How a change is taken back: the file gets its former size, and the former bytes from `offset` on.
typedef struct undo {
    struct undo *before;
    char path[512];
    int is_deletion;
    sqlite3_int64 size, offset;
    int count;
    unsigned char bytes[];
} undo;

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    char path[512];
    int is_watched;
    int is_new;
} disk_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs vfs;
static char watched[512];
static long operations, operations_left;
static undo *undos;

static int is_below(const char *path) {
    return path && watched[0] && strncmp(path, watched, strlen(watched)) == 0;
}

// Counts an operation; returns 0 if the disk is dead.
static int works(void) {
    operations++;
    return 0 < operations_left && operations_left--;
}

static void forget(const char *path, int is_deletion) {
    undo **at = &undos;
    while (*at) {
        undo *known = *at;
        int is_meant = known->is_deletion == is_deletion && (is_deletion || strcmp(known->path, path) == 0);
        if (is_meant) {
            *at = known->before;
            free(known);
        } else {
            at = &known->before;
        }
    }
}

// Notes what stands in a file from `offset` on, before it is changed.
static void note(const char *path, int is_deletion, sqlite3_int64 offset, sqlite3_int64 count_max) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts = {0};
    if (0 <= descriptor) fstat(descriptor, &facts);
    sqlite3_int64 count = facts.st_size < offset ? 0 : facts.st_size - offset;
    if (count_max < count) count = count_max;
    undo *change = calloc(1, sizeof(undo) + (size_t)count);
    strncpy(change->path, path, sizeof change->path - 1);
    change->is_deletion = is_deletion;
    change->size = facts.st_size;
    change->offset = offset;
    if (0 <= descriptor) {
        change->count = (int)pread(descriptor, change->bytes, (size_t)count, offset);
        close(descriptor);
    }
    change->before = undos;
    undos = change;
}

static sqlite3_file *real(sqlite3_file *file) { return ((disk_file *)file)->real; }

static int disk_close(sqlite3_file *file) {
    int result = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
    free(real(file));
    return result;
}

static int disk_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int disk_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    disk_file *own = (disk_file *)file;
    pthread_mutex_lock(&lock);
    int is_dead = own->is_watched && !works();
    if (own->is_watched && !is_dead) note(own->path, 0, offset, count);
    pthread_mutex_unlock(&lock);
    return is_dead ? SQLITE_IOERR_WRITE : own->real->pMethods->xWrite(own->real, bytes, count, offset);
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size) {
    disk_file *own = (disk_file *)file;
    pthread_mutex_lock(&lock);
    int is_dead = own->is_watched && !works();
    if (own->is_watched && !is_dead) note(own->path, 0, size, 1 << 20);
    pthread_mutex_unlock(&lock);
    return is_dead ? SQLITE_IOERR_TRUNCATE : own->real->pMethods->xTruncate(own->real, size);
}

static int disk_sync(sqlite3_file *file, int flags) {
    disk_file *own = (disk_file *)file;
    if (!own->is_watched) return own->real->pMethods->xSync(own->real, flags);
    pthread_mutex_lock(&lock);
    int is_dead = !works();
    if (!is_dead) {
        forget(own->path, 0);
        // SQLite syncs the folder with the first sync of a file that it has made.
        if (own->is_new) forget("", 1);
        own->is_new = 0;
    }
    pthread_mutex_unlock(&lock);
    return is_dead ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int disk_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int disk_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int disk_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int disk_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int disk_control(sqlite3_file *file, int what, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}
static int disk_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
// Without promises of the real disk, so that every step is taken.
static int disk_traits(sqlite3_file *file) { return ((disk_file *)file)->is_watched ? 0
    : real(file)->pMethods->xDeviceCharacteristics(real(file)); }

static const sqlite3_io_methods methods = {
    1, disk_close, disk_read, disk_write, disk_truncate, disk_sync, disk_size, disk_lock, disk_unlock, disk_reserved,
    disk_control, disk_sector, disk_traits,
};

static int disk_open(sqlite3_vfs *own, const char *path, sqlite3_file *file, int flags, int *given) {
    disk_file *made = (disk_file *)file;
    memset(made, 0, sizeof *made);
    pthread_mutex_lock(&lock);
    made->is_watched = is_below(path);
    int is_dead = made->is_watched && operations_left <= 0 && access(path, F_OK) != 0;
    pthread_mutex_unlock(&lock);
    if (is_dead) return SQLITE_CANTOPEN;
    if (path) strncpy(made->path, path, sizeof made->path - 1);
    made->is_new = made->is_watched && access(path, F_OK) != 0;
    made->real = calloc(1, (size_t)real_vfs->szOsFile);
    int result = real_vfs->xOpen(real_vfs, path, made->real, flags, given);
    if (result == SQLITE_OK) {
        made->base.pMethods = &methods;
    } else {
        free(made->real);
    }
    return result;
}

static int disk_delete(sqlite3_vfs *own, const char *path, int syncs_folder) {
    pthread_mutex_lock(&lock);
    int is_watched = is_below(path), is_dead = is_watched && !works();
    if (is_watched && !is_dead) {
        // The file is whole again if its name comes back, but for what was never synced of it.
        note(path, 1, 0, 1 << 20);
        if (syncs_folder) forget("", 1);
    }
    pthread_mutex_unlock(&lock);
    return is_dead ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, path, is_watched ? 0 : syncs_folder);
}

void failing_disk_install(void) {
    if (real_vfs) return;
    real_vfs = sqlite3_vfs_find(NULL);
    vfs = *real_vfs;
    vfs.zName = "failing-disk";
    vfs.pNext = NULL;
    vfs.szOsFile = sizeof(disk_file);
    vfs.xOpen = disk_open;
    vfs.xDelete = disk_delete;
    sqlite3_vfs_register(&vfs, 1);
}

void failing_disk_watch(const char *folder, long count) {
    pthread_mutex_lock(&lock);
    while (undos) {
        undo *known = undos;
        undos = known->before;
        free(known);
    }
    strncpy(watched, folder, sizeof watched - 1);
    operations = 0;
    operations_left = count;
    pthread_mutex_unlock(&lock);
}

long failing_disk_operations(void) { return operations; }

void failing_disk_hang(void) { pthread_mutex_lock(&lock); }
void failing_disk_answer(void) { pthread_mutex_unlock(&lock); }

void failing_disk_lose_power(void) {
    pthread_mutex_lock(&lock);
    // Newest first.
    while (undos) {
        undo *change = undos;
        undos = change->before;
        int descriptor = open(change->path, O_RDWR | O_CLOEXEC | (change->is_deletion ? O_CREAT : 0), 0600);
        if (0 <= descriptor) {
            if (0 < change->count) (void)!pwrite(descriptor, change->bytes, (size_t)change->count, change->offset);
            (void)!ftruncate(descriptor, change->size);
            close(descriptor);
        }
        free(change);
    }
    watched[0] = 0;
    pthread_mutex_unlock(&lock);
}
