/// What this node permits its peers to ask.
package struct CallGrants: Hashable, Sendable {
    /// The peers that have the permission. Roles come with admission: until then, any node can claim any role.
    package enum Grant: UInt8, CaseIterable, Hashable, Sendable {
        case anyone
        case nobody
    }

    /// Who may make calls that are for all nodes.
    package var callAll: Grant
    /// Who may close the microphone of this node.
    package var closeMicrophone: Grant

    package init(callAll: Grant = .anyone, closeMicrophone: Grant = .anyone) {
        self.callAll = callAll
        self.closeMicrophone = closeMicrophone
    }
}
