import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Limited places: slots and the user's list")
struct PlacesTests {
    // MARK: Slots

    struct Holder: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let givesWay: Bool
        let become: @Sendable (LinkPuppet) throws -> Void
    }

    private static let holders = [
        Holder(testDescription: "a peer that has left", givesWay: true) {
            try $0.link(on: 1)
            $0.stage.frame(.leave, on: 1)
        },
        Holder(testDescription: "a waiting peer that was never seen", givesWay: true) {
            $0.open(1)
            $0.stage.frame(.leave, on: 1)
        },
        Holder(testDescription: "a peer that has failed too often", givesWay: true) {
            for carrier: UInt64 in 1...5 {
                $0.stage.pass(.seconds(2))
                $0.open(carrier)
                $0.stage.frame(.leave, on: carrier)
            }
        },
        Holder(testDescription: "a linked peer", givesWay: false) { try $0.link(on: 1) },
        Holder(testDescription: "a peer whose link is down", givesWay: false) {
            try $0.link(on: 1)
            $0.isAnswering = false
            $0.stage.close(1)
            $0.stage.pass(.milliseconds(500))
        },
        Holder(testDescription: "a peer with agreed keys", givesWay: false) {
            $0.isAnswering = false
            $0.greet(1)
            try $0.agree(on: 1)
            $0.stage.close(1)
        },
        Holder(testDescription: "a formerly linked peer that is wanted again", givesWay: false) {
            try $0.link(on: 1)
            $0.stage.frame(.leave, on: 1)
            $0.stage.input(.discovered(PeerHint(source: .avahi, node: $0.id, endpoints: [$0.endpoint])))
        },
    ]

    @Test("a new visitor gets the slot of a peer that no longer matters, and no other slot", arguments: holders)
    func slots(_ holder: Holder) throws {
        let stage = LinkStage()
        try holder.become(stage.puppet(.leads))
        for place in 1..<64 { stage.puppet(.leads, place).greet(UInt64(100 + place)) }
        stage.puppet(.leads, 64).open(1_000)
        #expect(stage.refusal(on: 1_000) == (holder.givesWay ? nil : LinkStage.Refusal(.full, 30_000)))
        #expect(stage.counter(.peersTableFull) == (holder.givesWay ? 0 : 1))
    }

    @Test("strangers that say nothing after TLS keep no visitor out: the one whose carrier is the oldest gives way")
    func silentStrangers() {
        let stage = LinkStage()
        let peers = (0...64).map { stage.puppet(.leads, $0) }
        for (place, stranger) in peers.prefix(64).enumerated() {
            stranger.open(UInt64(1 + place))
            stage.pass(.milliseconds(1))
        }
        // A peer that has sent HELLO keeps its slot, although its carrier is the oldest.
        peers[0].hello(on: 1)
        peers[64].greet(65)
        #expect(stage.refusal(on: 65) == nil && stage.invites(on: 65).count == 1)
        #expect(stage.closed == [2] && stage.counter(.peersTableFull) == 0)
    }

    // MARK: The user's list

    @Test("the node remembers 1,024 peers that the user has accepted", arguments: [1_022, 1_023, 1_024])
    func known(_ count: Int) {
        let strangers = (0..<UInt64(count)).map { NodeID(words: ($0, 7, 7, 7)) }
        let stage = LinkStage(admissionPolicy: .ask(known: strangers))
        let (first, second) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        // A repeated answer takes one place.
        for peer in [first, first, second] { stage.command(.decideAdmission(peer.id, isAccepted: true)) }
        first.greet(1)
        second.greet(2)
        #expect(stage.invites(on: 1).count == (count < 1_024 ? 1 : 0))
        #expect(stage.invites(on: 2).count == (count < 1_023 ? 1 : 0))
    }

    @Test("a peer that the user denies is refused without a question; one that is on neither list is asked about")
    func takenOff() {
        let stage = LinkStage()
        let (denied, known, forgotten) = (stage.puppet(.leads), stage.puppet(.leads, 1), stage.puppet(.leads, 2))
        stage.command(.setAdmissionPolicy(.ask(known: [denied.id, known.id, forgotten.id])))
        stage.command(.decideAdmission(denied.id, isAccepted: false))
        stage.command(.setAdmissionPolicy(.ask(known: [known.id], denied: [denied.id])))
        for (carrier, peer) in [denied, known, forgotten].enumerated() { peer.greet(UInt64(carrier + 1)) }
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.notAllowed, 30_000))
        #expect(stage.invites(on: 2).count == 1)
        #expect(stage.events == [.admissionAsked(forgotten.id, name: SafeText("p"))])
    }

    @Test("as many peers as there are slots ask the user at once, then one in ten seconds; all stand in the list")
    func questions() {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        func asked() -> Int { stage.events.count { if case .admissionAsked = $0 { true } else { false } } }
        func ask(_ places: Range<Int>) {
            for place in places {
                let peer = stage.puppet(.leads, place)
                peer.greet(UInt64(place + 1))
                #expect(stage.peer(peer)?.request != nil)
                stage.close(UInt64(place + 1))
            }
        }
        ask(0..<70)
        #expect(asked() == MeshScale.peersMax && stage.counter(.questionsOverRate) == 6)
        stage.pass(.seconds(10))
        ask(70..<72)
        #expect(asked() == MeshScale.peersMax + 1)
    }

    @Test("the last decision of the user about a peer counts, also where the list of the denied is full")
    func changedMind() {
        let stage = LinkStage(
            admissionPolicy: .ask(known: [], denied: (0..<1_024).map { NodeID(words: ($0, 7, 7, 7)) }))
        let (peer, other) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        for isAccepted in [false, true] { stage.command(.decideAdmission(peer.id, isAccepted: isAccepted)) }
        stage.command(.decideAdmission(other.id, isAccepted: false))
        peer.greet(1)
        other.greet(2)
        #expect(stage.invites(on: 1).count == 1)
        // There is no room to keep the second refusal, so the user is asked.
        #expect(stage.events == [.admissionAsked(other.id, name: SafeText("p"))])
    }

    /// A policy that comes while a peer is linked, and does not allow that link.
    enum Stricter: CaseIterable {
        case asks, asksAndDenies, listsOthers

        func policy(about peer: NodeID) -> AdmissionPolicy {
            switch self {
            case .asks: .ask(known: [])
            case .asksAndDenies: .ask(known: [], denied: [peer])
            case .listsOthers: .allowList([])
            }
        }
    }

    @Test(
        "a stricter policy ends the link of a peer that it does not allow; the user is asked once where it asks",
        arguments: LinkSide.allCases, Stricter.allCases)
    func stricterWhileLinked(_ side: LinkSide, _ stricter: Stricter) throws {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        stage.forget()
        stage.command(.setAdmissionPolicy(.ask(known: [peer.id])))
        #expect(stage.state(peer) == .up && stage.events.isEmpty && stage.closed.isEmpty)
        for _ in 0..<2 { stage.command(.setAdmissionPolicy(stricter.policy(about: peer.id))) }
        let isAsked = stricter == .asks
        let reason = isAsked ? RefusalReason.undecided : .notAllowed
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(reason, side == .leads ? 30_000 : nil))
        #expect(stage.closed == [1] && stage.wait(for: peer) == nil)
        #expect(stage.state(peer) == (isAsked ? .awaitingDecision : .down))
        let down = MeshEvent.peerDown(PeerSlot(index: 0), peer.id, Instance(exactly: 1)!, .blocked)
        #expect(stage.events.contains(down))
        #expect(stage.events.contains(.admissionAsked(peer.id, name: SafeText("p"))) == isAsked)
        #expect(stage.events.count { if case .admissionAsked = $0 { true } else { false } } == (isAsked ? 1 : 0))
        #expect((stage.peer(peer)?.request != nil) == isAsked)
        stage.command(.decideAdmission(peer.id, isAccepted: true))
        stage.pass(.zero)
        // An answer changes no list of allowed peers.
        #expect(stage.dials.map(\.endpoint) == (stricter == .listsOthers ? [] : [peer.endpoint]))
    }

    @Test("a stricter policy also ends a session that sleeps: an echo does not bring its link up again")
    func stricterWhileDown() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.pass(.seconds(5))
        #expect(stage.state(peer) != .up && stage.state(peer) != .verifying)
        stage.command(.setAdmissionPolicy(.allowList([])))
        peer.isAnswering = true
        stage.pass(.seconds(5))
        #expect(stage.state(peer) == .down)
    }

    @Test("a peer whose user is asked about the linked node ends the link by a refusal on its carrier")
    func askedThere() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        stage.frame(.refuse(.undecided, retryAfterMilliseconds: 30_000), on: 1)
        #expect(stage.state(peer) == .awaitingDecision && stage.wait(for: peer) == .seconds(30))
        let down = MeshEvent.peerDown(PeerSlot(index: 0), peer.id, Instance(exactly: 1)!, .declined)
        #expect(stage.closed == [1] && stage.events.contains(down))
    }
}
