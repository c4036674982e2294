extension StatusDocument.Peer {
    /// How this node sends its voice to the peer.
    package struct VoiceOut: Codable, Hashable, Sendable {
        /// How many packets back the copies in each packet lie.
        package var copiesAt: [Int]
        /// New frames in a packet.
        package var framesPerPacket: Int
        /// The decision and what it rests on, for people.
        package var why: String

        package init(copiesAt: [Int], framesPerPacket: Int, why: String) {
            self.copiesAt = copiesAt
            self.framesPerPacket = framesPerPacket
            self.why = why
        }

        private enum CodingKeys: String, CodingKey {
            case why
            case copiesAt = "copies_at"
            case framesPerPacket = "frames_per_packet"
        }
    }

    /// How the peer's voice arrives; rates are of its talk within the last two seconds.
    package struct VoiceIn: Codable, Hashable, Sendable {
        /// Packets lost before any copy helped, in per cent.
        package var lossPct: Double
        /// Packets lost in a row, on average; 0 where none was.
        package var meanRun: Double
        /// Frames that came after their time, in per cent.
        package var latePct: Double
        /// The delay that the jitter buffer aims at, beyond the quickest arrival.
        package var targetMs: Double
        /// The delay that it has.
        package var delayMs: Double
        /// Sound made up since the link came up: for what was lost, and to gain delay.
        package var concealedMs: Double

        package init(
            lossPct: Double, meanRun: Double, latePct: Double, targetMs: Double, delayMs: Double, concealedMs: Double
        ) {
            self.lossPct = lossPct
            self.meanRun = meanRun
            self.latePct = latePct
            self.targetMs = targetMs
            self.delayMs = delayMs
            self.concealedMs = concealedMs
        }

        private enum CodingKeys: String, CodingKey {
            case lossPct = "loss_pct"
            case meanRun = "mean_run"
            case latePct = "late_pct"
            case targetMs = "target_ms"
            case delayMs = "delay_ms"
            case concealedMs = "concealed_ms"
        }
    }
}
