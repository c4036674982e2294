import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock
import Wire

extension NodeLoop {
    /// Shows another name, role or colour to the mesh from now on, and keeps it for the next start.
    func introduce(as profile: OwnProfile) {
        loop.preconditionInEventLoop()
        guard profile != self.profile else { return }
        self.profile = profile
        directory.name(core.mesh.status(now: .monotonicNow()).node, profile.name)
        feed(
            .command(.setProfile(NodeProfile(name: profile.name, role: profile.role, colour: profile.colour.number))))
        parts.state.database.remember(profile.remembered)
    }
}
