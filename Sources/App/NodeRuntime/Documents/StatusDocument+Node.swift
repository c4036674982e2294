extension StatusDocument {
    /// The node itself.
    package struct Node: Codable, Hashable, Sendable {
        /// What people read.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// A label, proof of nothing.
        package var shortID: String
        /// Which start this is.
        package var instance: UInt64
        /// The boot nonce, 16 hexadecimal digits.
        package var boot: String
        /// Since the start of the process.
        package var uptimeSeconds: Double
        /// Nodes of other meshes never link.
        package var mesh: String
        /// Where it talks and listens.
        package var channel: String
        /// Where it can be reached, `address:port`.
        package var listen: [String]
        /// The identity lives in memory alone and is gone with the process.
        package var guest: Bool
        /// What the start found missing or damaged.
        package var warnings: [String]

        package init(
            name: String, id: String, shortID: String, instance: UInt64, boot: String,
            uptimeSeconds: Double, mesh: String, channel: String, listen: [String] = [],
            guest: Bool = false, warnings: [String] = []
        ) {
            self.name = name
            self.id = id
            self.shortID = shortID
            self.instance = instance
            self.boot = boot
            self.uptimeSeconds = uptimeSeconds
            self.mesh = mesh
            self.channel = channel
            self.listen = listen
            self.guest = guest
            self.warnings = warnings
        }

        private enum CodingKeys: String, CodingKey {
            case name, id, instance, boot, mesh, channel, listen, guest, warnings
            case shortID = "short_id"
            case uptimeSeconds = "uptime_s"
        }
    }
}
