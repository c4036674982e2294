import Glibc

/// Limits of the state on disk.
package enum StateLimits {
    /// Bytes of a key or counter file that are read.
    static let recordFileBytesMax = 512
    /// Bytes of the lock file that are read: the number of a process, and the path of a control socket.
    static let lockFileBytesMax = 128
    /// Bytes of the kernel's list of locks that are read: some ten thousand locks.
    static let lockTableBytesMax = 1 << 20
    /// Starts of a node between a backup of its identity and the restoration: a start a minute for two years.
    package static let startsSinceBackupMax: UInt64 = 1 << 20
    /// Bytes of a mesh file that are read; the largest that is written has 25,219.
    static let meshFileBytesMax = 25_600
    /// The entry of an epoch, as it is sent.
    package static let epochEntryBytesMax = 16_569
    /// Nodes that have proved the newest epoch of a mesh, or that its maker keeps.
    package static let rememberedMax = 256
    /// UTF-8 of the name of a mesh.
    package static let meshNameBytesMax = 64
    /// UTF-8 of a code as it was typed.
    package static let codeBytesMax = 256
    /// Remembered peers. A further one replaces the peer that was not seen for the longest time.
    package static let knownPeersMax = 256
    /// Known keys. A further one replaces a key about which the person has said nothing (`KnownKeys`).
    package static let knownKeysMax = 1_024
    /// Addresses of one remembered peer.
    package static let endpointsPerPeerMax = 8
    /// Peers with settings of the user. A further one replaces the peer whose settings are unchanged for the longest
    /// time.
    package static let preferencesMax = 1_024
    /// Changes that wait for the disk; further ones are dropped and counted.
    package static let changesWaitingMax: UInt64 = 512
    /// The wait before the changes that the disk refused are tried again. As many of them wait as changes may wait.
    static let writingAgainSeconds = 60
    /// This many changes more than `changesWaitingMax` may wait if a person has ordered them.
    static let changesOfPersonMax: UInt64 = 128
    /// The longest wait for changes of a request. After this wait the disk counts as not answering, and the next
    /// request of the client, perhaps a talk key, goes on.
    static let settlingSecondsMax = 1
    /// Values of `errno` that mean that a file is damaged: not a regular file, a symbolic link, too long, bad blocks.
    static let damageErrorNumbers: Set<Int32> = [EINVAL, ELOOP, EFBIG, EIO, EISDIR]

    /// Hidden channels that are read at the start.
    static let hiddenChannelsMax = 512
    /// Joined channels that are kept for the next start.
    package static let joinedChannelsMax = 32
    /// Codes of channels, of all meshes together. A further one replaces the oldest. The codes of joined channels are
    /// replaced only if there is no other.
    package static let channelCodesMax = 2 * joinedChannelsMax
    /// Fields of the node's profile.
    static let profileFieldsMax = 16
}
