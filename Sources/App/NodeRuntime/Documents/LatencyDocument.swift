/// Mouth to ear between this node and one peer, both ways, part by part.
package struct LatencyDocument: Codable, Hashable, Sendable {
    /// Where a figure is from.
    package enum Source: String, Codable, Hashable, Sendable {
        /// Taken by a running thread of this node.
        case measured
        /// The peer says so in its control blocks.
        case reported
        /// Follows from other figures.
        case computed
        /// The peer has not reported it; taken to be as here.
        case assumed
    }

    /// One part of the way of a sound from a mouth to an ear.
    package struct Part: Codable, Hashable, Sendable {
        /// `capture`, `process`, `encode`, `network`, `buffer`, `mix` or `play_out`.
        package var part: String
        package var ms: Double?
        package var source: Source
        /// What the figure is, for people.
        package var text: String
    }

    /// One direction, from its first part to its last.
    package struct Way: Codable, Hashable, Sendable {
        /// Nil where a part is not known.
        package var totalMs: Double?
        package var parts: [Part]

        init(parts: [Part]) {
            self.parts = parts
            let known = parts.compactMap(\.ms)
            totalMs = known.count == parts.count ? known.reduce(0, +) : nil
        }
    }

    /// Always `partyline.latency/1`.
    package var schema = "partyline.latency/1"
    /// Short id of the peer.
    package var peer: String
    /// Its name.
    package var name: String
    /// From its mouth to the ear here.
    package var hearing: Way
    /// From the mouth here to its ear.
    package var heard: Way
}
