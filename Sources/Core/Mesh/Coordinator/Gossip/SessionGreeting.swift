import Primitives
import Wire

/// The first frames of a session. They bring the lists that this node otherwise sends only when they change.
extension MeshNode {
    /// Sends the channels and the link states when a session takes over or wakes, and makes a comparison of versions
    /// due.
    mutating func sendFirstFrames(_ index: Int, now: Instant) {
        guard let carrier = links[index].session?.carrier else { return }
        effects.send(.channels(configuration.channels), on: carrier)
        membership.sendWholeLinkStates(to: index, on: carrier, neighbours, &effects)
        membership.beginVersions(with: index, now: now)
        effects.invalidateDeadlines()
    }
}
