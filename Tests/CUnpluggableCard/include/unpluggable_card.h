// A sound card of the test program's own that can be pulled out and put back.
//
// The PCM `unpluggable` is ALSA's `null` for everything that is negotiated. What moves samples is
// defined here in the executable itself, which the dynamic linker searches first: a card that
// keeps time by CLOCK_MONOTONIC, runs dry and over like one, and answers ENODEV once it is pulled.
// Calls for any other PCM go on to libasound.
#pragma once
#include <stdint.h>

// Pulled out, it cannot be opened, and what is open never comes back, as with a USB card.
void unpluggable_card_set_present(int is_present);

// How often it has been opened, in both directions together.
int unpluggable_card_open_count(void);

// Samples that it has played and captured, in both directions together.
int64_t unpluggable_card_samples_moved(void);
