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
speech_processor *speech_create(int cancels_echo, int suppresses_noise);
void speech_destroy(speech_processor *processor);

/* Works on 480 captured samples in place. `reference`: the 480 samples that were sounding while they
   were captured; the echo in them may be `delay_ms` older. 0, or the library's error code. */
int speech_process(speech_processor *processor, const float *reference, float *captured, int delay_ms);

#ifdef __cplusplus
}
#endif
