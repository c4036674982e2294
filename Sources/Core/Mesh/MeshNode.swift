package import Primitives
package import Trust

/// One node's whole mesh protocol as a value: bytes, time and commands go in; datagrams, carrier
/// frames, dials and events come out, and one deadline.
///
/// The shell calls `handle`, then takes `nextOutput()` until nil, then sleeps until
/// `nextDeadline`. Same configuration, seed and inputs give the same outputs, always.
package struct MeshNode {
    /// - Parameter seed: for jitter and choices, never for keys.
    package init(_ configuration: MeshConfiguration, sealing: any Sealing, seed: UInt64, now: Instant) { fatalError() }

    /// - Precondition: every output was taken; `now` is not before the last call's.
    package mutating func handle(_ input: MeshInput, now: Instant) { fatalError() }
    package mutating func nextOutput() -> MeshOutput? { fatalError() }
    package var nextDeadline: Deadline<MeshTimer>? { fatalError() }
    package func status(now: Instant) -> MeshStatus { fatalError() }
}
