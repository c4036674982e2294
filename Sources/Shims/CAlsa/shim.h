// libasound for Swift. Swift can call neither macros nor functions with variable arguments, so those of
// <alsa/asoundlib.h> that this project needs are ordinary functions here.
#pragma once
#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>

// By default ALSA prints errors to stderr. This handler drops them, since partyline reports errors itself.
static void calsa_ignore_message(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static inline void calsa_silence_messages(void) { snd_lib_error_set_handler(calsa_ignore_message); }

// Whether the events that poll(2) returned contain POLLERR, POLLHUP or POLLNVAL.
static inline int calsa_is_broken(unsigned short answers) { return (answers & (POLLERR | POLLHUP | POLLNVAL)) != 0; }

// Number of the sound card behind all ALSA plugins of the device; -1 if there is no hardware.
static inline int calsa_card_of(snd_pcm_t *pcm) {
    snd_pcm_info_t *info;
    if (snd_pcm_info_malloc(&info) < 0) return -1;
    int card = snd_pcm_info(pcm, info) < 0 ? -1 : snd_pcm_info_get_card(info);
    snd_pcm_info_free(info);
    return card;
}
