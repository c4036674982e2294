/// The latency from mouth to ear between this node and one peer, in both directions and part by part.
package struct LatencyDocument: Codable, Hashable, Sendable {
    /// The origin of a figure.
    package enum Source: String, CaseIterable, Codable, Hashable, Sendable {
        /// A running thread of this node measured it.
        case measured
        /// The peer reports it in its control blocks.
        case reported
        /// It follows from other figures.
        case computed
        /// The peer does not report it, so it is assumed to be as at this node.
        case assumed
    }

    /// One part of a direction.
    package struct Part: Codable, Hashable, Sendable {
        /// `capture`, `process`, `encode`, `network`, `buffer`, `mix` or `play_out`.
        package var part: String
        /// Its length in milliseconds.
        package var ms: Double?
        /// The origin of the figure.
        package var source: Source
        /// The meaning of the figure, for people.
        package var text: String
    }

    /// One direction, from its first part to its last.
    package struct Way: Codable, Hashable, Sendable {
        /// The sum of the parts; absent if a part is not known.
        package var totalMs: Double?
        /// The parts in the order in which sound passes through them.
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
    /// From the peer's mouth to the ear at this node.
    package var hearing: Way
    /// From the mouth at this node to the peer's ear.
    package var heard: Way
}
