import Primitives

/// How often each peer may still try a code of this node, by channel. In every run the peer has one guess, whichever
/// side has begun it. So the runs of both sides count, in all sessions, until the peer proves the code.
///
/// A pair that is not in the list has all its guesses. If the list is full, one more pair displaces the oldest one.
struct ChannelGuesses: Sendable {
    private struct Guesser: Sendable {
        let node: NodeID
        let channel: ChannelID
        var allowance: TokenBucket
    }

    /// Oldest first.
    private var guessers: [Guesser] = []

    /// Takes a guess of the peer; returns false if it has none now.
    mutating func take(_ node: NodeID, _ channel: ChannelID, now: Instant) -> Bool {
        if let index = index(node, channel) { return guessers[index].allowance.take(now: now) }
        if ChannelCodeLimits.guessersMax <= guessers.count { guessers.removeFirst() }
        var allowance = TokenBucket(
            burst: ChannelCodeLimits.guessesBurst, interval: ChannelCodeLimits.guessInterval, now: now)
        defer { guessers.append(Guesser(node: node, channel: channel, allowance: allowance)) }
        return allowance.take(now: now)
    }

    /// Returns the instant at which the peer has a guess: `now` or later.
    mutating func next(_ node: NodeID, _ channel: ChannelID, now: Instant) -> Instant {
        index(node, channel).map { guessers[$0].allowance.nextToken(now: now) } ?? now
    }

    /// The peer has proved the code.
    mutating func forget(_ node: NodeID, _ channel: ChannelID) {
        if let index = index(node, channel) { guessers.remove(at: index) }
    }

    /// The channel is dropped, or has another code.
    mutating func forget(_ channel: ChannelID) { guessers.removeAll { $0.channel == channel } }

    private func index(_ node: NodeID, _ channel: ChannelID) -> Int? {
        guessers.firstIndex { $0.node == node && $0.channel == channel }
    }
}
