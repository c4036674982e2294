#include "speech_processing.h"

// pkg-config says these two, and SwiftPM passes on include paths alone.
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

speech_processor *speech_create(int cancels_echo, int suppresses_noise) {
    webrtc::Config config;
    // A room of more than 50 ms, and a delay that the library finds itself.
    config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
    config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
    std::unique_ptr<webrtc::AudioProcessing> processing(webrtc::AudioProcessing::Create(config));
    if (!processing) return nullptr;
    const webrtc::StreamConfig mono(sampleRate, channels);
    const webrtc::ProcessingConfig formats = {{mono, mono, mono, mono}};
    if (processing->Initialize(formats) != webrtc::AudioProcessing::kNoError) return nullptr;
    // The canceller models a linear room; what lies below speech is not worth its taps.
    processing->high_pass_filter()->Enable(true);
    if (cancels_echo) {
        processing->echo_cancellation()->enable_drift_compensation(false);
        processing->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
        processing->echo_cancellation()->Enable(true);
    }
    if (suppresses_noise) {
        processing->noise_suppression()->set_level(webrtc::NoiseSuppression::kHigh);
        processing->noise_suppression()->Enable(true);
    }
    return new speech_processor{std::move(processing)};
}

void speech_destroy(speech_processor *processor) { delete processor; }

int speech_process(speech_processor *processor, const float *reference, float *captured, int delay_ms) {
    const webrtc::StreamConfig mono(sampleRate, channels);
    webrtc::AudioProcessing &processing = *processor->processing;
    const float *played[] = {reference};
    int result = processing.AnalyzeReverseStream(played, mono.num_frames(), sampleRate, webrtc::AudioProcessing::kMono);
    if (result != webrtc::AudioProcessing::kNoError) return result;
    processing.set_stream_delay_ms(delay_ms);
    const float *in[] = {captured};
    float *out[] = {captured};
    return processing.ProcessStream(in, mono, mono, out);
}

#else

int speech_is_built_in(void) { return 0; }
speech_processor *speech_create(int, int) { return nullptr; }
void speech_destroy(speech_processor *) {}
int speech_process(speech_processor *, const float *, float *, int) { return -1; }

#endif
