#pragma once

/* WebRTC's audio processing 0.3 in the words of C: blocks of 10 ms, 480 samples of mono at 48 kHz.
   A processor belongs to one thread; its calls lock and allocate. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct speech_processor speech_processor;

/* 1 where the library was there when this was built. */
int speech_is_built_in(void);

/* NULL where it is not built in, or cannot be made. */
speech_processor *speech_create(void);
void speech_destroy(speech_processor *processor);

/* Takes steady noise out of 480 captured samples, in place. 0, or the library's error code. */
int speech_process(speech_processor *processor, float *captured);

#ifdef __cplusplus
}
#endif
