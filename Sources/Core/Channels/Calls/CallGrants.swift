package import Primitives

/// What this node permits its peers to ask.
package struct CallGrants: Hashable, Sendable {
    /// The peers that may call all nodes at once.
    package var callAll: Grant
    /// The peers that may close the microphone of this node.
    package var closeMicrophone: Grant

    package init(callAll: Grant = .anyone, closeMicrophone: Grant = .anyone) {
        self.callAll = callAll
        self.closeMicrophone = closeMicrophone
    }
}
