/// How a node tries senders of beacons, and nodes of services, that it cannot read.
enum SenderSearch {
    case off
    /// The node is linked, but has no link to some known member: one in `MeshLimits.slowSenderInterval`.
    case slow
    /// The node has no link.
    case full
}
