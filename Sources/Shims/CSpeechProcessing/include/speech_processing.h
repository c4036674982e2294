#pragma once

/* A C interface to the noise suppression of WebRTC's audio processing library 0.3. Blocks are 10 ms: 480 samples, mono,
   at 48 kHz. A processor belongs to one thread. Its calls lock and allocate. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct speech_processor speech_processor;

/* Returns 1 if this was built with the library, else 0. */
int speech_is_built_in(void);

/* Returns NULL if this was built without the library, or if the processor cannot be made. */
speech_processor *speech_create(void);
void speech_destroy(speech_processor *processor);

/* Removes steady noise from 480 samples, in place. Returns 0, or the library's error code. */
int speech_process(speech_processor *processor, float *captured);

#ifdef __cplusplus
}
#endif
