/*
 * A layer between a program and the system, loaded with LD_PRELOAD: it records what the program does to the files in one
 * folder and what it sends, in order, and makes calls fail on request.
 *
 * It is in C because it has to sit below SQLite, which calls the C library directly. Invariants: the record of a
 * completed sync never comes before the sync, and the record of what was sent never comes after a later sync.
 *
 *   CRASH_FOLDER   the folder whose files are affected
 *   CRASH_LOG      the file for the recording; without it none is written. With it, syncs are recorded but, to save
 *                  time, not executed: what the disk would contain is derived from the recording.
 *   CRASH_CONTROL  a file of struct control, shared with the test
 *
 * tests/crash/shim.py compiles this file, reads the recording and writes struct control.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096 };

/* Kinds of calls that can fail. */
enum { OPEN = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, NAME = 16, READ = 32 };

struct control {
    int64_t calls; /* how many calls of the chosen kinds there have been */
    int64_t from;  /* calls with a number in [from, until) fail, counted from 1 */
    int64_t until;
    int64_t kinds;
    int64_t error; /* errno */
    int64_t failed; /* how many calls have failed */
};

struct record {
    char what;
    char unused[3];
    int32_t descriptor;
    int64_t offset; /* of a write; the new size for a truncation */
    int64_t length; /* of the data that follows */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char folder[PATH_MAX];
static size_t folder_length;
static int record_file = -1;
static struct control *control;
static char in_folder[DESCRIPTORS];

#define REAL(name) ((__typeof__(&name))real_call(#name))

static void *real_call(const char *name) { return dlsym(RTLD_NEXT, name); }

static void start(void) {
    const char *path = getenv("CRASH_FOLDER");
    if (path == NULL)
        return;
    strncpy(folder, path, sizeof folder - 1);
    folder_length = strlen(folder);
    if ((path = getenv("CRASH_LOG")) != NULL)
        record_file = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if ((path = getenv("CRASH_CONTROL")) != NULL) {
        int file = REAL(open)(path, O_RDWR | O_CLOEXEC);
        void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        control = shared == MAP_FAILED ? NULL : shared;
        REAL(close)(file);
    }
}

/* Return whether a path is in the folder. */
static int counts(const char *path) {
    pthread_once(&once, start);
    return folder_length && strncmp(path, folder, folder_length) == 0 &&
           (path[folder_length] == '/' || path[folder_length] == 0);
}

static int is_ours(int descriptor) { return descriptor >= 0 && descriptor < DESCRIPTORS && in_folder[descriptor]; }

static void enter(void) { pthread_mutex_lock(&lock); }

static void leave(void) {
    int kept = errno;
    pthread_mutex_unlock(&lock);
    errno = kept;
}

static void record(char what, int descriptor, int64_t offset, const void *data, int64_t length) {
    if (record_file < 0)
        return;
    int kept = errno;
    struct record head = {what, {0}, descriptor, offset, length};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)data, (size_t)length}};
    if (REAL(writev)(record_file, parts, 2) != (ssize_t)(sizeof head + length))
        abort();
    errno = kept;
}

/* Return whether a call of this kind has to fail, with errno set. */
static int fails(int kind) {
    if (control == NULL || !(control->kinds & kind))
        return 0;
    int64_t number = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    if (number < control->from || number >= control->until)
        return 0;
    __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
    errno = (int)control->error;
    return 1;
}

/* Opening and closing. */

static int opened(const char *path, int flags, int descriptor) {
    if (descriptor < 0)
        return descriptor;
    enter();
    if (descriptor < DESCRIPTORS)
        in_folder[descriptor] = 1;
    record('O', descriptor, flags & O_CREAT, path, (int64_t)strlen(path));
    if (flags & O_TRUNC)
        record('T', descriptor, 0, "", 0);
    leave();
    return descriptor;
}

#define OPEN_CALL(name)                                                                                                \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                                        \
        va_end(more);                                                                                                  \
        if (!counts(path))                                                                                             \
            return REAL(name)(path, flags, mode);                                                                      \
        return fails(OPEN) ? -1 : opened(path, flags, REAL(name)(path, flags, mode));                                  \
    }

OPEN_CALL(open)
OPEN_CALL(open64)

int close(int descriptor) {
    enter();
    if (is_ours(descriptor))
        in_folder[descriptor] = 0;
    record('C', descriptor, 0, "", 0);
    leave();
    return REAL(close)(descriptor);
}

/* Writing and reading. */

static size_t room(size_t length) { return control->error == ENOSPC && length > 512 ? length / 2 / 512 * 512 : 0; }

#define PWRITE_CALL(name, offset_type)                                                                                 \
    ssize_t name(int descriptor, const void *data, size_t length, offset_type offset) {                                \
        if (!is_ours(descriptor))                                                                                      \
            return REAL(name)(descriptor, data, length, offset);                                                       \
        if (fails(WRITE) && (length = room(length)) == 0)                                                              \
            return -1;                                                                                                 \
        enter();                                                                                                       \
        ssize_t written = REAL(name)(descriptor, data, length, offset);                                                \
        if (written > 0)                                                                                               \
            record('W', descriptor, offset, data, written);                                                            \
        leave();                                                                                                       \
        return written;                                                                                                \
    }

PWRITE_CALL(pwrite, off_t)
PWRITE_CALL(pwrite64, off64_t)

ssize_t write(int descriptor, const void *data, size_t length) {
    if (!is_ours(descriptor))
        return REAL(write)(descriptor, data, length);
    if (fails(WRITE) && (length = room(length)) == 0)
        return -1;
    enter();
    ssize_t written = REAL(write)(descriptor, data, length);
    if (written > 0)
        record('W', descriptor, lseek(descriptor, 0, SEEK_CUR) - written, data, written);
    leave();
    return written;
}

#define PREAD_CALL(name, offset_type)                                                                                  \
    ssize_t name(int descriptor, void *data, size_t length, offset_type offset) {                                      \
        return is_ours(descriptor) && fails(READ) ? -1 : REAL(name)(descriptor, data, length, offset);                 \
    }

PREAD_CALL(pread, off_t)
PREAD_CALL(pread64, off64_t)

#define TRUNCATE_CALL(name, offset_type)                                                                               \
    int name(int descriptor, offset_type size) {                                                                       \
        if (!is_ours(descriptor))                                                                                      \
            return REAL(name)(descriptor, size);                                                                       \
        if (fails(TRUNCATE))                                                                                           \
            return -1;                                                                                                 \
        enter();                                                                                                       \
        int result = REAL(name)(descriptor, size);                                                                     \
        if (result == 0)                                                                                               \
            record('T', descriptor, size, "", 0);                                                                      \
        leave();                                                                                                       \
        return result;                                                                                                 \
    }

TRUNCATE_CALL(ftruncate, off_t)
TRUNCATE_CALL(ftruncate64, off64_t)

#define SYNC_CALL(name)                                                                                                \
    int name(int descriptor) {                                                                                         \
        if (!is_ours(descriptor))                                                                                      \
            return REAL(name)(descriptor);                                                                             \
        enter();                                                                                                       \
        record('B', descriptor, 0, "", 0);                                                                             \
        leave();                                                                                                       \
        int result = fails(SYNC) ? -1 : record_file < 0 ? REAL(name)(descriptor) : 0;                                  \
        enter();                                                                                                       \
        record(result == 0 ? 'S' : 'F', descriptor, 0, "", 0);                                                         \
        leave();                                                                                                       \
        return result;                                                                                                 \
    }

SYNC_CALL(fsync)
SYNC_CALL(fdatasync)

/* Names. */

static int named(int result, char what, const char *names, size_t length) {
    if (result == 0)
        record(what, -1, 0, names, (int64_t)length);
    leave();
    return result;
}

int rename(const char *from, const char *to) {
    if (!counts(from))
        return REAL(rename)(from, to);
    if (fails(NAME))
        return -1;
    char both[2 * PATH_MAX];
    size_t first = strlen(from) + 1;
    memcpy(both, from, first);
    strcpy(both + first, to);
    enter();
    return named(REAL(rename)(from, to), 'R', both, first + strlen(to));
}

int unlink(const char *path) {
    if (!counts(path))
        return REAL(unlink)(path);
    if (fails(NAME))
        return -1;
    enter();
    return named(REAL(unlink)(path), 'U', path, strlen(path));
}

int mkdir(const char *path, mode_t mode) {
    if (!counts(path))
        return REAL(mkdir)(path, mode);
    if (fails(NAME))
        return -1;
    enter();
    return named(REAL(mkdir)(path, mode), 'M', path, strlen(path));
}

/* What is sent to others. */

ssize_t send(int descriptor, const void *data, size_t length, int flags) {
    enter();
    ssize_t sent = REAL(send)(descriptor, data, length, flags);
    if (sent > 0)
        record('N', descriptor, 0, data, sent);
    leave();
    return sent;
}
