package import Primitives
package import Wire

/// What a person does with calls and requests.
package enum CallCommand: Hashable, Sendable {
    case call(CallOrder)
    /// Takes an own call back.
    case withdraw(CallID)
    case answer(CallKey, isAccepted: Bool)
    /// Asks a node to close its microphone. All who listen to the channel are told.
    case askToClose(NodeID, on: ChannelID)
    case setDoNotDisturb(Bool)
}

/// A call as a person wants it.
package struct CallOrder: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case peer(NodeID)
        /// All linked peers that listen to the channel.
        case channel(ChannelID)
        /// All linked peers but `except`.
        case all
    }

    package let target: Target
    package let text: SafeText
    /// Within `CallLimits.milliseconds`.
    package let expiresMilliseconds: UInt32
    package let isUrgent: Bool
    /// Peers for which a call to all is not: nobody is there to see it.
    package let except: [NodeID]

    /// A time beyond the bounds becomes the nearer bound.
    package init(
        _ target: Target, text: SafeText = SafeText(""),
        expiresMilliseconds: UInt32 = CallLimits.millisecondsDefault, isUrgent: Bool = false, except: [NodeID] = []
    ) {
        self.target = target
        self.except = except
        self.text = text
        let bounds = CallLimits.milliseconds
        self.expiresMilliseconds = min(bounds.upperBound, max(bounds.lowerBound, expiresMilliseconds))
        self.isUrgent = isUrgent
    }
}

/// Why a command about calls was not carried out.
package enum CallRefusal: Error, Hashable, Sendable {
    /// The peer has no link.
    case notLinked
    /// No linked peer listens to the channel, or no peer is linked.
    case nobody
    /// `CallLimits.outgoingMax` own calls, or `CallLimits.requestsMax` requests, are open.
    case full
    /// The receivers would drop the call or request, because this node has sent them as many as they take. They take
    /// the next one after `wait`.
    case tooSoon(wait: Interval)
    /// No call of that number is known.
    case unknown
    /// The call was answered or withdrawn, or its time is over.
    case ended
    /// This node or the other one does not listen to the channel.
    case notOnChannel
}
