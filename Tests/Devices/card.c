// An ALSA plugin (`type unplug`): a sound card that keeps time and is there as long as a file is.
//
// Its microphone hears a tone of 1 kHz, its loudspeaker is heard by nobody. Once the file is gone
// an open stream is in the state DISCONNECTED for good, as with a USB card that was pulled out.
//
//     pcm_type.unplug { lib "PATH/unplug.so" }
//     pcm.card { type unplug present "PATH/present" }
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct card {
    snd_pcm_ioplug_t io;
    char *present;
    int is_gone;
    int timer;
    int64_t started_at;
    int64_t heard;
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int is_gone(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (!card->is_gone && access(card->present, F_OK) != 0) card->is_gone = 1;
    if (card->is_gone) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    return card->is_gone;
}

static int start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (is_gone(io)) return -ENODEV;
    card->started_at = now();
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    return timerfd_settime(card->timer, 0, &every, NULL) == 0 ? 0 : -errno;
}

static int stop(snd_pcm_ioplug_t *io) {
    (void)io;
    return 0;
}

static int prepare(snd_pcm_ioplug_t *io) { return is_gone(io) ? -ENODEV : 0; }

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (is_gone(io) || io->state != SND_PCM_STATE_RUNNING) return (snd_pcm_sframes_t)io->hw_ptr;
    int64_t passed = (now() - card->started_at) * 3 / 62500;
    int64_t ahead = (int64_t)io->appl_ptr - passed;
    if (io->stream == SND_PCM_STREAM_CAPTURE) ahead = -ahead;
    return ahead < 0 || (int64_t)io->buffer_size < ahead ? -EPIPE : (snd_pcm_sframes_t)passed;
}

static snd_pcm_sframes_t transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    struct card *card = io->private_data;
    if (is_gone(io)) return -ENODEV;
    if (io->stream == SND_PCM_STREAM_PLAYBACK) return (snd_pcm_sframes_t)count;
    for (snd_pcm_uframes_t i = 0; i < count; i++, card->heard++) {
        int16_t sample = (int16_t)(8000 * sin(2 * M_PI * (double)(card->heard % 48) / 48));
        for (unsigned channel = 0; channel < io->channels; channel++) {
            size_t bits = areas[channel].first + areas[channel].step * (offset + i);
            memcpy((char *)areas[channel].addr + bits / 8, &sample, sizeof sample);
        }
    }
    return (snd_pcm_sframes_t)count;
}

static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *answers) {
    struct card *card = io->private_data;
    uint64_t ticks;
    (void)descriptors, (void)count;
    *answers = io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
    if (read(card->timer, &ticks, sizeof ticks) < 0) *answers = 0;
    if (is_gone(io)) *answers = POLLERR | POLLNVAL;
    return 0;
}

static int close_card(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    close(card->timer);
    free(card->present);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start, .stop = stop, .prepare = prepare, .pointer = pointer, .transfer = transfer,
    .poll_revents = poll_revents, .close = close_card};

static int constrain(snd_pcm_ioplug_t *io) {
    static const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED}, format[] = {SND_PCM_FORMAT_S16};
    int code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
    if (code >= 0) code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, 48000, 48000);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 96, 65536);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 192, 262144);
    return code;
}

SND_PCM_PLUGIN_DEFINE_FUNC(unplug) {
    (void)root;
    const char *present = NULL;
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        const char *id;
        snd_config_t *node = snd_config_iterator_entry(i);
        if (snd_config_get_id(node, &id) == 0 && strcmp(id, "present") == 0) snd_config_get_string(node, &present);
    }
    if (!present) return -EINVAL;
    if (access(present, F_OK) != 0) return -ENODEV;
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    card->present = strdup(present);
    card->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "a card that can be unplugged";
    card->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    card->io.callback = &callbacks;
    card->io.private_data = card;
    card->io.poll_fd = card->timer;
    card->io.poll_events = POLLIN;
    int code = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (code < 0) {
        close(card->timer);
        free(card->present);
        free(card);
        return code;
    }
    code = constrain(&card->io);
    if (code < 0) {
        snd_pcm_ioplug_delete(&card->io);
        return code;
    }
    *pcmp = card->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(unplug);
