import Primitives

/// How often each peer may still try a code of this node, by channel. In every run the peer has one guess, whichever
/// side has begun it. So the runs of both sides count, in all sessions, until the peer proves the code.
///
/// A pair of peer and channel that is not in the list has all its guesses. If the list is full, one more pair displaces
/// the oldest one.
struct ChannelGuesses: Sendable {
    private struct Guesser: Sendable {
        let node: NodeID
        let channel: ChannelID
        var allowance: TokenBucket
        /// When a run last asked for a guess, also if there was none.
        var askedAt: Instant
    }

    /// Oldest first.
    private var guessers: [Guesser] = []

    /// Takes a guess of the peer; returns false if it has none now.
    mutating func take(_ node: NodeID, _ channel: ChannelID, now: Instant) -> Bool {
        if let index = index(node, channel) {
            guessers[index].askedAt = now
            return guessers[index].allowance.take(now: now)
        }
        if ChannelCodeLimits.guessersMax <= guessers.count { guessers.removeFirst() }
        var allowance = TokenBucket(
            burst: ChannelCodeLimits.guessesBurst, interval: ChannelCodeLimits.guessInterval, now: now)
        defer { guessers.append(Guesser(node: node, channel: channel, allowance: allowance, askedAt: now)) }
        return allowance.take(now: now)
    }

    /// Returns when this node may begin a run with the peer: `now` or later. If the peer has no guess left, this node
    /// waits for at least `guessInterval` after the last run of either side, as the peer does.
    mutating func next(_ node: NodeID, _ channel: ChannelID, now: Instant) -> Instant {
        guard let index = index(node, channel) else { return now }
        let first = guessers[index].allowance.nextToken(now: now)
        return first <= now ? now : max(first, guessers[index].askedAt + ChannelCodeLimits.guessInterval)
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
