/// The state of the talk key after `partyline talk`.
package struct TalkDocument: Codable, Hashable, Sendable {
    /// Always `partyline.talk/1`.
    package var schema: String
    /// `ptt`, `latch` or `open`.
    package var talkMode: String
    /// Whether voice leaves this node now.
    package var talking: Bool

    package init(schema: String = TalkDocument.schemaName, talkMode: String, talking: Bool) {
        self.schema = schema
        self.talkMode = talkMode
        self.talking = talking
    }

    package static let schemaName = "partyline.talk/1"

    private enum CodingKeys: String, CodingKey {
        case schema, talking
        case talkMode = "talk_mode"
    }
}
