import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock
import Wire

extension NodeLoop {
    /// Shows another profile to the mesh from now on.
    func introduce(as profile: NodeProfile) {
        loop.preconditionInEventLoop()
        guard profile != self.profile else { return }
        self.profile = profile
        directory.name(core.mesh.status(now: .monotonicNow()).node, profile.name)
        feed(.command(.setProfile(profile)))
    }

    /// Keeps the fields of the profile that a person has chosen, for the next start. All others may be another default
    /// then, or stand in a file.
    ///
    /// - Parameter wish: has the fields that the person has named.
    func keepProfile(_ wish: ProfileWords) {
        let shown = ProfileWords(profile)
        var chosen = ProfileWords()
        for field in ProfileWords.fields where wish[field] != nil { chosen[field] = shown[field] ?? "" }
        parts.state.database.remember(profile: chosen.kept)
    }

    /// A sentence for each field that a person has chosen and that the next start does not have.
    func warningsOfNextStart(after wish: ProfileWords) -> [String] {
        let shown = ProfileWords(profile)
        let next = ProfileWords(options.startProfile(parts.state.isGuest ? [:] : wish.kept))
        return ProfileWords.fields.filter { wish[$0] != nil && next[$0] != shown[$0] }.map { field in
            let reason =
                options.introduction[field] == nil ? "a guest keeps nothing" : "its options or files name another one"
            return "this node has this \(field.key.rawValue) until its next start: \(reason)"
        }
    }
}
