/// How a node tries senders of beacons, and nodes of services, that it cannot read.
enum SenderSearch {
    case off
    /// The node is linked, and a member that it knows has no link: one in `MeshLimits.slowSenderInterval`.
    case slow
    /// The node has no link.
    case full
}
