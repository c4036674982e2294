import Primitives

/// The sound for one node's microphone during the whole schedule: silence, and in the node's turns a chirp, then its
/// voice with its pilot tone.
package enum MicrophoneTrack {
    /// - Parameters:
    ///   - schedule: the schedule; it starts at sample 0 of the track.
    ///   - voice: mono at 48 kHz; it is repeated until a turn is full.
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

    /// Voice and pilot fade in and out within 5 ms, so that no click is mistaken for a chirp.
    private static let rampSamples = 240
}
