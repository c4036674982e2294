enum FileAudioPlaceholder {}
