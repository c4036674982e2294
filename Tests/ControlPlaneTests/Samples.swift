import ControlPlane

/// A status with every kind of peer, for tests that need one.
enum Samples {
    static var status: StatusDocument {
        StatusDocument(
            node: StatusDocument.Node(
                name: "FOH", id: "ID", shortID: "4f2a-91c0", instance: 17, boot: "0011223344556677",
                uptimeSeconds: 8_040, mesh: "partyline", channel: "main", listen: ["192.0.2.1:7400"]),
            audio: StatusDocument.Audio(
                input: "alsa:default", output: "alsa:default", state: "running", talkMode: "ptt", talking: false,
                profile: "low", realTime: "no: null device"),
            mesh: StatusDocument.Mesh(peersKnown: 1, linksUp: 1, cliqueComplete: true, digestAgree: 1))
    }

    static func event(_ sequence: UInt64, text: String = "LX-DESK is up") -> EventDocument {
        EventDocument(
            sequence: sequence, atUnixSeconds: 1, uptimeSeconds: 2, kind: "peer_up", peer: "91c3-0b11",
            name: "LX-DESK", text: text)
    }
}
