#include "speech_processing.h"

// pkg-config has these two definitions, but SwiftPM takes only include paths from it.
#define WEBRTC_POSIX 1
#define WEBRTC_AUDIO_PROCESSING_ONLY_BUILD 1

#if __has_include(<webrtc/modules/audio_processing/include/audio_processing.h>)

#include <memory>

#include <webrtc/modules/audio_processing/include/audio_processing.h>

struct speech_processor {
    std::unique_ptr<webrtc::AudioProcessing> processing;
};

namespace {
const int sampleRate = 48000;
const int channels = 1;
}  // namespace

int speech_is_built_in(void) { return 1; }

speech_processor *speech_create(void) {
    std::unique_ptr<webrtc::AudioProcessing> processing(webrtc::AudioProcessing::Create());
    if (!processing) return nullptr;
    const webrtc::StreamConfig mono(sampleRate, channels);
    const webrtc::ProcessingConfig formats = {{mono, mono, mono, mono}};
    if (processing->Initialize(formats) != webrtc::AudioProcessing::kNoError) return nullptr;
    processing->high_pass_filter()->Enable(true);
    processing->noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh);
    processing->noise_suppression()->Enable(true);
    return new speech_processor{std::move(processing)};
}

void speech_destroy(speech_processor *processor) { delete processor; }

int speech_process(speech_processor *processor, float *captured) {
    const webrtc::StreamConfig mono(sampleRate, channels);
    const float *in[] = {captured};
    float *out[] = {captured};
    return processor->processing->ProcessStream(in, mono, mono, out);
}

#else

int speech_is_built_in(void) { return 0; }
speech_processor *speech_create(void) { return nullptr; }
void speech_destroy(speech_processor *) {}
int speech_process(speech_processor *, float *) { return -1; }

#endif
