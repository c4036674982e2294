enum VoicePlaceholder {}
