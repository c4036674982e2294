enum OpusCodecPlaceholder {}
