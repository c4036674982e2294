import Primitives

/// What one node's microphone hears during the whole schedule: silence, and in its own turns a
/// chirp, then its voice with its pilot tone.
package enum MicrophoneTrack {
    /// - Parameters:
    ///   - schedule: its start is the track's sample 0.
    ///   - voice: mono at 48 kHz; repeated to fill a turn.
    /// - Returns: mono at 48 kHz, full scale 1.
    package static func samples(of node: Int, in schedule: TalkSchedule, voice: [Float]) -> [Float] {
        precondition(!voice.isEmpty, "a voice has samples")
        var track = [Float](repeating: 0, count: schedule.length.samples)
        let pilot = Tone(hertz: PilotTones.hertz(of: node, among: schedule.nodes))
        for turn in schedule.turns(of: node) {
            let chirpStart = turn.chirp.samples
            for (offset, value) in Chirp.of(node).samples.enumerated() {
                track[chirpStart + offset] = value * LabLimits.chirpLevel
            }
            let start = turn.speechStart.samples
            let count = (turn.speechEnd - turn.speechStart).samples
            for offset in 0..<count {
                let edge = Float(min(offset, count - offset)) / Float(rampSamples)
                let sound =
                    pilot.value(at: offset) * LabLimits.pilotLevel
                    + voice[offset % voice.count] * LabLimits.voiceLevel
                track[start + offset] = sound * min(1, edge)
            }
        }
        return track
    }

    /// Voice and pilot come and go within 5 ms, so that no click stands for a chirp.
    private static let rampSamples = 240
}
