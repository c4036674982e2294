#define _GNU_SOURCE
#include "unpluggable_card.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// One thread opens, uses and closes a stream; two may open at once, so a place is claimed first.
struct stream {
    atomic_int is_taken;
    _Atomic(snd_pcm_t *) pcm;
    snd_pcm_stream_t direction;
    int plugging;
    int is_running;
    int always_readable;
    int64_t started_at, moved;
    snd_pcm_uframes_t buffer;
};

static struct stream streams[8];
static atomic_int is_present = 1, plugging = 1, open_count = 0;
static atomic_llong samples_moved = 0;

void unpluggable_card_set_present(int value) {
    // What was open before it was pulled stays dead after it is back.
    if (!value) atomic_fetch_add(&plugging, 1);
    atomic_store(&is_present, value);
}

int unpluggable_card_open_count(void) { return atomic_load(&open_count); }

int64_t unpluggable_card_samples_moved(void) { return atomic_load(&samples_moved); }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static struct stream *find(snd_pcm_t *pcm) {
    for (int i = 0; i < 8; i++)
        if (atomic_load(&streams[i].pcm) == pcm) return &streams[i];
    return NULL;
}

static struct stream *claim(void) {
    for (int i = 0; i < 8; i++) {
        int is_taken = 0;
        if (atomic_compare_exchange_strong(&streams[i].is_taken, &is_taken, 1)) return &streams[i];
    }
    abort();
}

static int is_gone(const struct stream *s) { return !atomic_load(&is_present) || s->plugging != atomic_load(&plugging); }

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Samples that the converter has passed since the start.
static int64_t passed(const struct stream *s) { return s->is_running ? (now() - s->started_at) * 3 / 62500 : 0; }

// Samples that can be written or read; -EPIPE where it ran dry or over.
static int64_t available(const struct stream *s) {
    int64_t ahead = s->direction == SND_PCM_STREAM_PLAYBACK ? s->moved - passed(s) : passed(s) - s->moved;
    if (ahead < 0 || (int64_t)s->buffer < ahead) return -EPIPE;
    return s->direction == SND_PCM_STREAM_PLAYBACK ? (int64_t)s->buffer - ahead : ahead;
}

int snd_pcm_open(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t direction, int mode) {
    if (strcmp(name, "unpluggable") != 0) return REAL(snd_pcm_open)(pcm, name, direction, mode);
    if (!atomic_load(&is_present)) return -ENODEV;
    int code = REAL(snd_pcm_open)(pcm, "null", direction, mode);
    if (code < 0) return code;
    struct stream *s = claim();
    s->direction = direction;
    s->plugging = atomic_load(&plugging);
    s->is_running = 0;
    s->moved = 0;
    s->always_readable = eventfd(1, EFD_CLOEXEC);
    atomic_fetch_add(&open_count, 1);
    atomic_store(&s->pcm, *pcm);
    return 0;
}

int snd_pcm_close(snd_pcm_t *pcm) {
    struct stream *s = find(pcm);
    if (s) {
        close(s->always_readable);
        atomic_store(&s->pcm, NULL);
        atomic_store(&s->is_taken, 0);
    }
    return REAL(snd_pcm_close)(pcm);
}

// `null` does not keep time, and the node knows; this one does.
snd_pcm_type_t snd_pcm_type(snd_pcm_t *pcm) { return find(pcm) ? SND_PCM_TYPE_HW : REAL(snd_pcm_type)(pcm); }

int snd_pcm_prepare(snd_pcm_t *pcm) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_prepare)(pcm);
    if (is_gone(s)) return -ENODEV;
    s->is_running = 0;
    s->moved = 0;
    return 0;
}

int snd_pcm_start(snd_pcm_t *pcm) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_start)(pcm);
    if (is_gone(s)) return -ENODEV;
    snd_pcm_uframes_t period;
    int code = snd_pcm_get_params(pcm, &s->buffer, &period);
    if (code < 0) return code;
    s->started_at = now();
    s->is_running = 1;
    return 0;
}

int snd_pcm_avail_delay(snd_pcm_t *pcm, snd_pcm_sframes_t *avail, snd_pcm_sframes_t *delay) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_avail_delay)(pcm, avail, delay);
    if (is_gone(s)) return -ENODEV;
    int64_t count = available(s);
    if (count < 0) return (int)count;
    *avail = count;
    *delay = s->direction == SND_PCM_STREAM_PLAYBACK ? (int64_t)s->buffer - count : count;
    return 0;
}

static snd_pcm_sframes_t move(struct stream *s, snd_pcm_uframes_t count) {
    if (is_gone(s)) return -ENODEV;
    // Before its start a loudspeaker takes what fits.
    int64_t room = s->is_running ? available(s) : (int64_t)count;
    if (room < 0) return room;
    if (room < (int64_t)count) return -EAGAIN;
    s->moved += (int64_t)count;
    atomic_fetch_add(&samples_moved, (long long)count);
    return (snd_pcm_sframes_t)count;
}

snd_pcm_sframes_t snd_pcm_writei(snd_pcm_t *pcm, const void *samples, snd_pcm_uframes_t count) {
    struct stream *s = find(pcm);
    return s ? move(s, count) : REAL(snd_pcm_writei)(pcm, samples, count);
}

snd_pcm_sframes_t snd_pcm_readi(snd_pcm_t *pcm, void *samples, snd_pcm_uframes_t count) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_readi)(pcm, samples, count);
    memset(samples, 0, (size_t)snd_pcm_frames_to_bytes(pcm, (snd_pcm_sframes_t)count));
    return move(s, count);
}

int snd_pcm_poll_descriptors(snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int room) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_poll_descriptors)(pcm, descriptors, room);
    if (room == 0) return 0;
    descriptors[0] = (struct pollfd){.fd = s->always_readable, .events = POLLIN};
    return 1;
}

int snd_pcm_poll_descriptors_revents(
    snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count, unsigned short *answers) {
    struct stream *s = find(pcm);
    if (!s) return REAL(snd_pcm_poll_descriptors_revents)(pcm, descriptors, count, answers);
    *answers = is_gone(s) ? POLLERR | POLLNVAL : POLLIN;
    return 0;
}
