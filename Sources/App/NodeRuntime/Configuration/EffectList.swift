import Voice

/// Voice effects as a person writes them: `pitch:-4`, `reverb:30`, or both with a comma between.
enum EffectList {
    /// Nil where one of them is none, or stands there twice.
    static func parse(_ text: String) -> [VoiceEffect]? {
        var effects: [VoiceEffect] = []
        var kinds: Set<Substring> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[1]), kinds.insert(parts[0]).inserted else { return nil }
            switch parts[0] {
            case "pitch" where VoiceEffect.semitones.contains(number): effects.append(.pitch(semitones: number))
            case "reverb" where VoiceEffect.percents.contains(number): effects.append(.reverb(percent: number))
            default: return nil
            }
        }
        return effects
    }
}
