import Commands
import NodeRuntime
import Testing

@Suite("Problems with peers in doctor")
struct PeerTroubleTests {
    private func peer(
        _ state: String, _ change: (inout StatusDocument.Peer) -> Void = { _ in }
    ) -> StatusDocument.Peer {
        StatusDocument.Peer.sample("Ann", "1fee-6c18", 1, state, leader: true, change)
    }

    private func remedy(_ words: String, of peer: StatusDocument.Peer) -> String? {
        PeerTrouble("peer Ann: \(words)", among: [peer])?.remedy
    }

    @Test("each has the remedy of its kind, and none of them is about files")
    func remedies() {
        let cases: [(StatusDocument.Peer, String)] = [
            (peer("awaitingDecision"), "partyline accept"),
            (peer("down") { $0.lastFailure = FailureText.notAllowed }, "partyline trust"),
            (peer("quarantined"), "partyline discover"),
            (peer("up") { $0.path = "via Emma" }, "TCP and UDP"), (peer("up") { $0.path = "carrier" }, "TCP and UDP"),
            (peer("up") { ($0.path, $0.carrierVia) = ("direct", "Emma") }, "TCP and UDP"),
            (peer("up") { ($0.path, $0.lossInPct) = ("direct", 10.3) }, "network"),
            (peer("up") { $0.flapping = true }, "network"), (peer("verifying"), "network"),
            (peer("down") { $0.suspicionEndsInS = 3 }, "network"),
        ]
        for (peer, part) in cases {
            let remedy = remedy("words", of: peer)
            #expect(remedy?.contains(part) == true && remedy?.contains("reload") == false, "\(peer.state) \(part)")
        }
    }

    @Test("a peer without a name is found by its short id; lines about no single peer stay with the node")
    func lines() {
        var asked = peer("awaitingDecision")
        #expect(PeerTrouble("peer Ann: its person is asked", among: [asked])?.finding == "Ann: its person is asked")
        #expect(PeerTrouble("peer Ann (1fee-6c18) has another key than the Ann known here", among: [asked]) == nil)
        #expect(PeerTrouble("the battery of this machine is at 9 %", among: [asked]) == nil)
        asked.name = ""
        #expect(PeerTrouble("peer 1fee-6c18: its person is asked", among: [asked]) != nil)
        #expect(PeerTrouble("peer Bert: its person is asked", among: [asked]) == nil)
    }
}
