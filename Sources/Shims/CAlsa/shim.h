// libasound as Swift sees it: what is a macro or takes variable arguments in <alsa/asoundlib.h> stands
// here as a function. The pass-through calls of the audio path are annotated so that callers under
// @_noAllocation @_noLocks compile; both hold for hardware devices (docs/THREADS.md, "Promises").
#pragma once
#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>

// ALSA prints its complaints to stderr unless told otherwise; partyline reports errors itself.
static void calsa_ignore_message(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static inline void calsa_silence_messages(void) { snd_lib_error_set_handler(calsa_ignore_message); }

// POLLERR, POLLHUP or POLLNVAL among the poll answers.
static inline int calsa_is_broken(unsigned short answers) { return (answers & (POLLERR | POLLHUP | POLLNVAL)) != 0; }

// The card behind the whole chain of plugins, or -1 where no hardware is.
static inline int calsa_card_of(snd_pcm_t *pcm) {
    snd_pcm_info_t *info;
    if (snd_pcm_info_malloc(&info) < 0) return -1;
    int card = snd_pcm_info(pcm, info) < 0 ? -1 : snd_pcm_info_get_card(info);
    snd_pcm_info_free(info);
    return card;
}
