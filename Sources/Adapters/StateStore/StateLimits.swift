import Glibc

/// The bounds of what a node keeps on disk.
package enum StateLimits {
    /// A key or counter file; the largest that is written has 42 bytes.
    static let recordFileBytesMax = 256
    /// Peers that are remembered as dial hints; the one unseen for longest makes room.
    package static let knownPeersMax = 256
    /// Addresses of one remembered peer.
    package static let endpointsPerPeerMax = 8
    /// Peers whose volume, mute or block is remembered; the one unchanged for longest makes room.
    package static let preferencesMax = 1_024
    /// Changes that wait for the disk; more are dropped and counted.
    package static let changesWaitingMax = 512
    /// What a file that is damaged beyond reading answers: a wrong kind, a link, too long, bad blocks.
    static let damageErrorNumbers: Set<Int32> = [EINVAL, ELOOP, EFBIG, EIO, EISDIR]
}
