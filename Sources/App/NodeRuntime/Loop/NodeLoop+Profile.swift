import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock
import Wire

extension NodeLoop {
    /// Shows another profile to the mesh from now on, and keeps it for the next start.
    func introduce(as profile: NodeProfile) {
        loop.preconditionInEventLoop()
        guard profile != self.profile else { return }
        self.profile = profile
        directory.name(core.mesh.status(now: .monotonicNow()).node, profile.name)
        feed(.command(.setProfile(profile)))
        parts.state.database.remember(profile: ProfileWords(profile).kept)
    }
}
