// An ALSA plugin (`type testcard`): a sound card that keeps time and does as it is told.
//
//     pcm_type.testcard { lib "PATH/card.so" }
//     pcm.card {
//         type testcard
//         present "PATH"     # the card is there as long as this file is
//         rate 48000         # the only one it has
//         channels 0         # 1 or 2 alone, or 0 for either
//         periods 0          # the only number of periods in its buffer, or 0 for any
//         format "S16"       # or "S32" or "FLOAT": the only one it has
//         voice "PATH"       # what is spoken into its microphone: 16 bits, mono, at its rate, at VOICE_EPOCH_NS
//         echo_ms 0          # after how long its microphone hears its loudspeaker; 0 for never
//         echo_percent 30    # how loud
//         room_ms 0          # how long the room goes on after that; 0 for one reflection
//     }
//
// Without `voice` and `echo_ms` its microphone hears a tone of 1 kHz. Once the file is gone an open
// stream is in the state DISCONNECTED for good, as with a USB card that was pulled out.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { AIR = 1 << 17, TAPS = 240 };

// The air between loudspeaker and microphone of this process, on the line of samples since the epoch of
// CLOCK_MONOTONIC. The two streams run on two threads; that a sample is read while it is written is as it may be.
static float air[AIR];

struct card {
    snd_pcm_ioplug_t io;
    char *present;
    long rate, channels, periods, echo_ms, echo_percent, room_ms;
    snd_pcm_format_t format;
    int16_t *voice;
    int64_t voice_count, voice_from;
    int tap_at[TAPS], taps;
    float tap[TAPS];
    int is_gone;
    int timer;
    int64_t started_at;  // in samples since the epoch
    int64_t moved;       // by the program, since the start
};

static int64_t samples_now(const struct card *card) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * card->rate + (int64_t)t.tv_nsec * card->rate / 1000000000;
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
    card->started_at = samples_now(card);
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    return timerfd_settime(card->timer, 0, &every, NULL) == 0 ? 0 : -errno;
}

static int stop(snd_pcm_ioplug_t *io) {
    (void)io;
    return 0;
}

static int prepare(snd_pcm_ioplug_t *io) {
    ((struct card *)io->private_data)->moved = 0;
    return is_gone(io) ? -ENODEV : 0;
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (is_gone(io) || io->state != SND_PCM_STATE_RUNNING) return (snd_pcm_sframes_t)io->hw_ptr;
    int64_t passed = samples_now(card) - card->started_at;
    int64_t ahead = (int64_t)io->appl_ptr - passed;
    if (io->stream == SND_PCM_STREAM_CAPTURE) ahead = -ahead;
    return ahead < 0 || (int64_t)io->buffer_size < ahead ? -EPIPE : (snd_pcm_sframes_t)passed;
}

// MARK: Sound

static float echo(const struct card *card, int64_t at) {
    float sum = 0;
    for (int i = 0; i < card->taps; i++) sum += card->tap[i] * air[(at - card->tap_at[i]) & (AIR - 1)];
    return sum;
}

static float heard(const struct card *card, int64_t at) {
    if (!card->voice && !card->taps) return 0.25f * sinf(2 * (float)M_PI * (float)(at % card->rate) * 1000 / card->rate);
    int64_t place = at - card->voice_from;
    float voice = card->voice && 0 <= place && place < card->voice_count ? card->voice[place] / 32768.0f : 0;
    return voice + echo(card, at);
}

static void put(const struct card *card, char *place, float sample) {
    float bounded = fmaxf(-1, fminf(1, sample));
    int16_t s16 = (int16_t)lrintf(bounded * 32767);
    int32_t s32 = (int32_t)lrint((double)bounded * 2147483647);
    if (card->format == SND_PCM_FORMAT_S16) memcpy(place, &s16, sizeof s16);
    else if (card->format == SND_PCM_FORMAT_S32) memcpy(place, &s32, sizeof s32);
    else memcpy(place, &bounded, sizeof bounded);
}

static float take(const struct card *card, const char *place) {
    int16_t s16;
    int32_t s32;
    float value;
    if (card->format == SND_PCM_FORMAT_S16) return memcpy(&s16, place, sizeof s16), s16 / 32768.0f;
    if (card->format == SND_PCM_FORMAT_S32) return memcpy(&s32, place, sizeof s32), s32 / 2147483648.0f;
    return memcpy(&value, place, sizeof value), value;
}

static snd_pcm_sframes_t transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    struct card *card = io->private_data;
    if (is_gone(io)) return -ENODEV;
    int is_capture = io->stream == SND_PCM_STREAM_CAPTURE;
    // What is written before the start sounds from it on.
    int64_t start = io->state == SND_PCM_STATE_RUNNING ? card->started_at : samples_now(card);
    for (snd_pcm_uframes_t i = 0; i < count; i++, card->moved++) {
        int64_t at = start + card->moved;
        float sound = is_capture ? heard(card, at) : 0;
        for (unsigned channel = 0; channel < io->channels; channel++) {
            size_t bits = areas[channel].first + areas[channel].step * (offset + i);
            char *place = (char *)areas[channel].addr + bits / 8;
            if (is_capture) put(card, place, sound);
            else sound += take(card, place) / (float)io->channels;
        }
        // Ahead of what sounds there is silence, should nothing more come.
        if (!is_capture) air[at & (AIR - 1)] = sound, air[(at + (AIR >> 2)) & (AIR - 1)] = 0;
    }
    return (snd_pcm_sframes_t)count;
}

// MARK: ALSA

static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *answers) {
    struct card *card = io->private_data;
    uint64_t ticks;
    (void)descriptors, (void)count;
    *answers = io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
    if (read(card->timer, &ticks, sizeof ticks) < 0) *answers = 0;
    if (is_gone(io)) *answers = POLLERR | POLLNVAL;
    return 0;
}

static void discard(struct card *card) {
    if (0 <= card->timer) close(card->timer);
    free(card->present);
    free(card->voice);
    free(card);
}

static int close_card(snd_pcm_ioplug_t *io) {
    discard(io->private_data);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start, .stop = stop, .prepare = prepare, .pointer = pointer, .transfer = transfer,
    .poll_revents = poll_revents, .close = close_card};

static int constrain(struct card *card) {
    snd_pcm_ioplug_t *io = &card->io;
    const unsigned access[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED}, format[] = {card->format};
    unsigned rate = (unsigned)card->rate, least = card->channels ? (unsigned)card->channels : 1;
    unsigned most = card->channels ? (unsigned)card->channels : 2;
    int code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    if (code >= 0) code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, least, most);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 96, 65536);
    if (code >= 0) code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 192, 1048576);
    if (code >= 0 && card->periods) {
        unsigned periods = (unsigned)card->periods;
        code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, periods, periods);
    }
    return code;
}

// A direct reflection, then a tail that falls by 60 dB in `room_ms`; the same at every start.
static void build_room(struct card *card) {
    if (!card->echo_ms) return;
    int64_t first = card->echo_ms * card->rate / 1000, length = card->room_ms * card->rate / 1000;
    uint32_t random = 1;
    card->taps = card->room_ms ? TAPS : 1;
    for (int i = 0; i < card->taps; i++) {
        random = random * 1664525 + 1013904223;
        int64_t later = i == 0 ? 0 : 1 + (int64_t)(random >> 8) % (length ? length : 1);
        float sign = random & 1 << 7 ? 1 : -1, fall = length ? powf(10, -3 * (float)later / (float)length) : 1;
        card->tap_at[i] = (int)(first + later);
        card->tap[i] = (float)card->echo_percent / 100 * (i == 0 ? 1 : 0.2f * sign * fall);
    }
}

static int load_voice(struct card *card, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return -errno;
    fseek(file, 0, SEEK_END);
    card->voice_count = ftell(file) / 2;
    rewind(file);
    card->voice = malloc((size_t)card->voice_count * 2 + 1);
    size_t got = card->voice ? fread(card->voice, 2, (size_t)card->voice_count, file) : 0;
    fclose(file);
    const char *epoch = getenv("VOICE_EPOCH_NS");
    card->voice_from = epoch ? (int64_t)(strtod(epoch, NULL) / 1e9 * (double)card->rate) : samples_now(card);
    return got == (size_t)card->voice_count ? 0 : -EIO;
}

static int configure(struct card *card, snd_config_t *conf) {
    struct { const char *key; long *value; } numbers[] = {
        {"rate", &card->rate}, {"channels", &card->channels}, {"periods", &card->periods},
        {"echo_ms", &card->echo_ms}, {"echo_percent", &card->echo_percent}, {"room_ms", &card->room_ms}};
    const char *present = NULL, *voice = NULL, *format = "S16";
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        const char *id;
        snd_config_t *node = snd_config_iterator_entry(i);
        if (snd_config_get_id(node, &id) != 0) continue;
        if (strcmp(id, "present") == 0) snd_config_get_string(node, &present);
        if (strcmp(id, "voice") == 0) snd_config_get_string(node, &voice);
        if (strcmp(id, "format") == 0) snd_config_get_string(node, &format);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (strcmp(id, numbers[k].key) == 0) snd_config_get_integer(node, numbers[k].value);
    }
    card->format = strcmp(format, "S32") == 0 ? SND_PCM_FORMAT_S32
        : strcmp(format, "FLOAT") == 0 ? SND_PCM_FORMAT_FLOAT : SND_PCM_FORMAT_S16;
    if (!present) return -EINVAL;
    card->present = strdup(present);
    if (access(present, F_OK) != 0) return -ENODEV;
    build_room(card);
    return voice ? load_voice(card, voice) : 0;
}

SND_PCM_PLUGIN_DEFINE_FUNC(testcard) {
    (void)root;
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    card->rate = 48000;
    card->echo_percent = 30;
    card->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    int code = configure(card, conf);
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "a card for tests";
    card->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    card->io.callback = &callbacks;
    card->io.private_data = card;
    card->io.poll_fd = card->timer;
    card->io.poll_events = POLLIN;
    if (code >= 0) code = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (code < 0) {
        discard(card);
        return code;
    }
    code = constrain(card);
    if (code < 0) {
        // Frees the card too: it is the plugin's now.
        snd_pcm_ioplug_delete(&card->io);
        return code;
    }
    *pcmp = card->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(testcard);
