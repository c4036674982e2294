/// The state of the talk key after `partyline talk`.
package struct TalkDocument: Codable, Hashable, Sendable {
    /// Always `partyline.talk/1`.
    package var schema: String
    /// `ptt`, `latch`, `smart`, `vox` or `open`.
    package var talkMode: String
    /// Whether the key is down: voice leaves this node as soon as there is one, and nobody has to be waited for.
    package var keyDown: Bool
    /// Whether voice leaves this node now.
    package var talking: Bool
    /// Whether the microphone is off for a cough.
    package var coughing: Bool

    package init(
        schema: String = TalkDocument.schemaName, talkMode: String, keyDown: Bool, talking: Bool,
        coughing: Bool = false
    ) {
        self.schema = schema
        self.talkMode = talkMode
        self.keyDown = keyDown
        self.talking = talking
        self.coughing = coughing
    }

    package static let schemaName = "partyline.talk/1"

    private enum CodingKeys: String, CodingKey {
        case schema, talking, coughing
        case talkMode = "talk_mode"
        case keyDown = "key_down"
    }
}
