import Primitives

/// The lists of this node that one peer may hold: by them this node reads the voice labels of the peer.
///
/// A list stays until the peer names a later one: voice that was labelled by it may still be under way.
struct HeldLists: Sendable {
    private struct Held: Sendable {
        var generation: UInt8
        var channels: [ChannelID]
    }

    /// Oldest first.
    private var lists: [Held] = []

    /// Notes that a list is sent to the peer. With `ListeningLimits.heldListsMax` lists the oldest one goes.
    mutating func add(_ channels: [ChannelID], generation: UInt8) {
        lists.removeAll { $0.generation == generation }
        if ListeningLimits.heldListsMax <= lists.count { lists.removeFirst() }
        lists.append(Held(generation: generation, channels: channels))
    }

    /// Notes that the peer holds this generation: the ones before it are forgotten.
    mutating func confirm(_ generation: UInt8) {
        guard let index = lists.firstIndex(where: { $0.generation == generation }) else { return }
        lists.removeFirst(index)
    }

    mutating func removeAll() { lists.removeAll() }

    /// Returns the list of this generation; nil if the peer cannot hold it.
    func channels(of generation: UInt8) -> [ChannelID]? { lists.first { $0.generation == generation }?.channels }
}
