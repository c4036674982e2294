import AudioIO

/// The state of the talk key after `partyline talk`.
package struct TalkDocument: Codable, Hashable, Sendable {
    /// Always `partyline.talk/1`.
    package var schema = "partyline.talk/1"
    /// `ptt`, `latch`, `smart`, `vox` or `open`.
    package var talkMode: String
    /// Whether the key is down. With vox, voice leaves this node only while a voice is heard; with half-duplex, only
    /// after the others are silent.
    package var keyDown: Bool
    /// Whether voice leaves this node now.
    package var talking: Bool
    /// Whether the microphone is off for a cough.
    package var coughing: Bool
}

extension TalkDocument {
    init(_ talk: TalkSwitch) {
        talkMode = talk.mode.rawValue
        keyDown = talk.position != .released
        talking = talk.isTalking
        coughing = talk.isCoughing
    }
}
