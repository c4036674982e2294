/// What `partyline devices --json` prints.
package struct DevicesDocument: Codable, Hashable, Sendable {
    /// Always `partyline.devices/1`.
    package var schema: String
    /// What can be spoken into.
    package var inputs: [Device]
    /// What can be heard from.
    package var outputs: [Device]

    package init(
        schema: String = DevicesDocument.schemaName, inputs: [Device], outputs: [Device]
    ) {
        self.schema = schema
        self.inputs = inputs
        self.outputs = outputs
    }

    package static let schemaName = "partyline.devices/1"

    /// A sound device.
    package struct Device: Codable, Hashable, Sendable {
        /// As `--input` and `--output` take it, for example `alsa:hw:0,0`.
        package var name: String
        /// What the driver calls it.
        package var text: String
        /// Whether the node that answers was started with it; false where no node runs.
        package var inUse: Bool

        package init(name: String, text: String, inUse: Bool = false) {
            self.name = name
            self.text = text
            self.inUse = inUse
        }

        private enum CodingKeys: String, CodingKey {
            case name, text
            case inUse = "in_use"
        }
    }
}
