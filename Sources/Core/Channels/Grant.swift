/// The peers to which this node gives a permission. Roles come with admission: until then, any node can claim any role.
package enum Grant: String, CaseIterable, Hashable, Sendable {
    case anyone
    case nobody
}
