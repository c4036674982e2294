package import Primitives

/// A frame about a call or a request (docs/WIRE.md, "Calls and requests").
package enum CallMessage: Hashable, Sendable {
    case call(CallFrame)
    case request(RequestFrame)
    case answer(CallID, CallAnswer)
}

/// The number of a call or of a request. Its maker draws it at random. It names the call together with the NodeID of
/// its maker.
package struct CallID: Hashable, Comparable, Sendable {
    package let number: UInt64
    package init(number: UInt64) { self.number = number }
    package static func < (a: CallID, b: CallID) -> Bool { a.number < b.number }
}

/// CALL: the sender asks people for their attention.
package struct CallFrame: Hashable, Sendable {
    package var id: CallID
    package var target: CallTarget
    /// Empty if the caller has written nothing. At most `WireLimits.callTextGraphemesMax` characters.
    package var text: SafeText
    /// Within `WireLimits.callMilliseconds`.
    package var expiresMilliseconds: UInt32
    package var isUrgent: Bool

    package init(id: CallID, target: CallTarget, text: SafeText, expiresMilliseconds: UInt32, isUrgent: Bool) {
        self.id = id
        self.target = target
        self.text = text
        self.expiresMilliseconds = expiresMilliseconds
        self.isUrgent = isUrgent
    }
}

/// The people for whom a call is, as its receiver sees it.
package enum CallTarget: Hashable, Sendable {
    /// The receiver alone.
    case receiver
    /// All who listen to the channel.
    case channel(ChannelID)
    /// All nodes of the mesh.
    case all
}

/// REQUEST: the sender asks one node to close its microphone. All who listen to the channel are told.
package struct RequestFrame: Hashable, Sendable {
    package var id: CallID
    package var channel: ChannelID
    /// The node that is asked.
    package var subject: NodeID

    package init(id: CallID, channel: ChannelID, subject: NodeID) {
        self.id = id
        self.channel = channel
        self.subject = subject
    }
}

/// ANSWER: what has become of a call or request at the sender of the answer. The raw value is its number on the wire.
package enum CallAnswer: UInt8, CaseIterable, Sendable {
    /// The call is shown to a person.
    case shown = 0
    case accepted = 1
    case declined = 2
    /// The maker of the call takes it back.
    case withdrawn = 3
}
