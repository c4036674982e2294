import Wire

/// Limits of what a node listens to.
package enum ListeningLimits {
    /// Channels to which a node listens at the same time.
    package static let listenedMax = WireLimits.channelsListenedMax
    /// The line of private talk, after those of the channels.
    package static let privateLine = listenedMax
    /// The line of talk to all.
    package static let allLine = listenedMax + 1
    /// Channels on which a node only talks.
    package static let talkOnlyMax = 18
    /// Lists that a peer may hold, and so meanings of its voice labels.
    package static let heldListsMax = 4
    /// A channel's level at its listener, in tenths of a decibel.
    package static let levelTenths = -600...120
    /// How far a channel of programme is lowered while anybody talks, in tenths of a decibel.
    package static let dimTenths = 0...600
    /// The same if the listener says nothing: 14 dB.
    package static let dimTenthsDefault = 140
}
