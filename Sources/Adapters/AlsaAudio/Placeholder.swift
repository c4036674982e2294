enum AlsaAudioPlaceholder {}
