extension StatusDocument {
    /// How this listener hears one peer, besides its volume.
    package struct PeerMix: Codable, Hashable, Sendable {
        /// -100 left … 100 right.
        package var pan: Int
        /// Whether nobody chose the place.
        package var panIsAutomatic: Bool
        /// Whether others step back while it speaks.
        package var priority: Bool
        /// What loudness matching adds now, in dB.
        package var loudnessDb: Double

        package init(pan: Int, panIsAutomatic: Bool, priority: Bool, loudnessDb: Double) {
            self.pan = pan
            self.panIsAutomatic = panIsAutomatic
            self.priority = priority
            self.loudnessDb = loudnessDb
        }

        private enum CodingKeys: String, CodingKey {
            case pan, priority
            case panIsAutomatic = "pan_auto"
            case loudnessDb = "loudness_db"
        }
    }
}
