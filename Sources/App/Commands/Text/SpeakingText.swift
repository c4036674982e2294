import NodeRuntime

/// The user's own voice in `partyline status`. There is a line only if there is more to report than the position of the
/// key.
enum SpeakingText {
    static func lines(_ audio: StatusDocument.Audio) -> [String] {
        guard let speaking = audio.speaking else { return [] }
        let pieces = [key(speaking), chain(speaking), ears(speaking)].flatMap { $0 }
        return pieces.isEmpty ? [] : Columns.wrapped(pieces, label: "voice   ")
    }

    private static func key(_ speaking: StatusDocument.Speaking) -> [String] {
        var pieces: [String] = []
        if speaking.coughing { pieces.append("COUGH: microphone off") }
        if speaking.keyStuck { pieces.append("KEY STUCK: let go until it has been up") }
        if let isHeard = speaking.voiceHeard { pieces.append(isHeard ? "vox open" : "vox closed") }
        if let floor = speaking.floor { pieces.append(floor == "taken" ? "floor taken" : "floor free") }
        return pieces
    }

    private static func chain(_ speaking: StatusDocument.Speaking) -> [String] {
        guard !speaking.stages.isEmpty else { return [] }
        var pieces = ["before \(Figures.level(speaking.levelBeforeDbfs)) dBFS"]
        pieces += ["echo-cancel", "denoise", "high-pass"].filter(speaking.stages.contains)
        pieces += speaking.stages.filter { $0.hasPrefix("pitch") || $0.hasPrefix("reverb") }
        if let howls = speaking.howls {
            let isDown = (speaking.howlDb ?? 0) < -0.1
            pieces.append("howls \(howls)" + (isDown ? " \(Figures.level(speaking.howlDb)) dB" : ""))
        }
        if let isOpen = speaking.gateOpen { pieces.append(isOpen ? "gate open" : "gate closed") }
        if let gain = speaking.agcDb { pieces.append("agc \(Figures.level(gain)) dB") }
        return pieces
    }

    private static func ears(_ speaking: StatusDocument.Speaking) -> [String] {
        speaking.sideToneDb.map { ["side tone \(Figures.level($0)) dB"] } ?? []
    }
}
