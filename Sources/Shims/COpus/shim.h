#ifndef PARTYLINE_COPUS_SHIM_H
#define PARTYLINE_COPUS_SHIM_H

#include <opus/opus.h>

// opus_encoder_ctl and opus_decoder_ctl have variable arguments, so Swift cannot call them. Here is a function for each
// request that partyline makes, with the type of argument that the macro of libopus checks.

static inline int partyline_opus_encoder_set_bitrate(OpusEncoder *encoder, opus_int32 bits_per_second) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

static inline int partyline_opus_encoder_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int partyline_opus_encoder_set_vbr(OpusEncoder *encoder, opus_int32 is_variable) {
    return opus_encoder_ctl(encoder, OPUS_SET_VBR(is_variable));
}

static inline int partyline_opus_encoder_set_signal_voice(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
}

static inline int partyline_opus_encoder_set_prediction_disabled(OpusEncoder *encoder, opus_int32 is_disabled) {
    return opus_encoder_ctl(encoder, OPUS_SET_PREDICTION_DISABLED(is_disabled));
}

static inline int partyline_opus_encoder_get_lookahead(OpusEncoder *encoder, opus_int32 *samples) {
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(samples));
}

static inline int partyline_opus_encoder_reset(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_RESET_STATE);
}

static inline int partyline_opus_decoder_reset(OpusDecoder *decoder) {
    return opus_decoder_ctl(decoder, OPUS_RESET_STATE);
}

#endif
