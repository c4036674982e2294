import NodeRuntime

/// The peers whose voice this listener has changed by volume, priority or pan: `LX -60.0 dB, priority`. A muted peer
/// has an `m` in the tables.
enum HeardText {
    /// A piece for each such peer; none for a peer without a link, which is not heard.
    static func pieces(_ peers: [StatusDocument.Peer]) -> [String] {
        peers.filter(\.isLinked).compactMap { peer in
            var words: [String] = []
            if peer.gainDb != 0 { words.append("\(ChannelTable.level(peer.gainDb)) dB") }
            if peer.mix?.priority == true { words.append("priority") }
            if let mix = peer.mix, !mix.panAuto { words.append("pan \(mix.pan)") }
            return words.isEmpty ? nil : "\(peer.listedName) \(words.joined(separator: ", "))"
        }
    }

    /// The lines below a table of peers; none if nobody's voice was changed.
    static func lines(_ peers: [StatusDocument.Peer]) -> [String] {
        let pieces = pieces(peers)
        return pieces.isEmpty ? [] : [""] + Columns.wrapped(pieces, label: "heard   ")
    }
}
