import ControlPlane
import Discovery
import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("nodes that were found and are not linked", .serialized, .timeLimit(.minutes(1)))
struct DiscoverDocumentTests {
    private struct Row: Sendable {
        var state: PeerStatus.State = .down
        var presence = PeerPresence.unmet
        var failure: LinkFailure?
        var isBlocked = false
        var isMissed = false
        var why: DiscoverDocument.Why?
    }

    private static let rows: [Row] = [
        Row(state: .up, presence: .present, why: nil), Row(state: .verifying, presence: .present, why: nil),
        Row(state: .connecting, why: .connecting), Row(state: .inviting, why: .connecting), Row(why: .connecting),
        Row(failure: .refused(.otherMesh), why: .refused), Row(failure: .refused(.full), why: .refused),
        Row(failure: .dial(.timedOut), why: .unreachable), Row(failure: .noAddress, why: .unreachable),
        Row(state: .connecting, failure: .noHello, why: .unreachable), Row(failure: .silent, why: .unreachable),
        Row(state: .quarantined, failure: .dial(.refused), why: .quarantined),
        Row(state: .awaitingDecision, why: .waiting), Row(state: .up, isBlocked: true, why: .blocked),
        Row(presence: .left, why: nil), Row(presence: .dead(since: .zero), failure: .silent, why: nil),
        Row(presence: .dead(since: .zero), failure: .dial(.timedOut), isMissed: true, why: .unreachable),
        Row(presence: .left, isMissed: true, why: nil),
    ]

    @Test("each has its reason, in a word and in words", arguments: rows.indices)
    func reasons(index: Int) {
        let row = Self.rows[index]
        var status = PeerStatus(node: NodeID(words: (1, 0, 0, 1)), name: SafeText("SM"), state: row.state)
        (status.presence, status.failure, status.failures) = (row.presence, row.failure, 5)
        let reason = status.reasonWithoutLink(isBlocked: row.isBlocked, isMissed: row.isMissed)
        #expect(reason?.why == row.why)
        #expect(reason?.text.isEmpty != true)
    }

    @Test("a peer that is kept out here shows no refusal; one whose person said no refuses, and is not waited for")
    func directions() {
        var status = PeerStatus(node: NodeID(words: (1, 0, 0, 1)), name: SafeText("SM"), state: .awaitingDecision)
        status.failure = .refused(.undecided)
        #expect(status.told(isLetIn: true, isThere: true).reasonWithoutLink(isBlocked: false)?.why == .waiting)
        for reason in [RefusalReason.notAllowed, .blocked] {
            status.failure = .refused(reason)
            #expect(status.told(isLetIn: true, isThere: true).reasonWithoutLink(isBlocked: false)?.why == .refused)
            #expect(status.told(isLetIn: false, isThere: true).failure == nil)
        }
        status.failure = .dial(.timedOut)
        #expect(status.told(isLetIn: false, isThere: true).failure == .dial(.timedOut))
    }

    @Test("a peer that has said good-bye is listed again as soon as a later boot is known, also one that refuses")
    func startedAgain() {
        var status = PeerStatus(node: NodeID(words: (1, 0, 0, 1)), name: SafeText("SM"), state: .down)
        status.presence = .left
        func why(isThere: Bool) -> DiscoverDocument.Why? {
            status.told(isLetIn: true, isThere: isThere).reasonWithoutLink(isBlocked: false)?.why
        }
        #expect(why(isThere: false) == nil && why(isThere: true) == .connecting)
        for reason in [RefusalReason.notAllowed, .full] {
            status.failure = .refused(reason)
            #expect(why(isThere: false) == nil && why(isThere: true) == .refused)
        }
        status.presence = .dead(since: .zero)
        #expect(why(isThere: true) == nil)
    }

    @Test("a node that a change of the code has left behind has another code, as in its row of the status")
    func otherCode() {
        var status = PeerStatus(node: NodeID(words: (1, 0, 0, 1)), name: SafeText("SM"), state: .down)
        let failure = LinkFailure.refused(.noProof)
        status.failure = failure
        #expect(FailureText.brief(failure.description) == "has another code")
        #expect(
            status.reasonWithoutLink(isBlocked: false)?.text
                == "it has another code: a change of the code has left it or this node behind")
    }

    private static func address(_ number: UInt8) -> Endpoint {
        Endpoint(address: IPAddress(v4: 10, 0, 0, number), port: 0)
    }

    @Test("a mesh is noted by its addresses, whatever the port, and a link-local one has its interface")
    func linkLocal() throws {
        let loopback = try #require(NetworkInterface.current()?.first(where: { $0.medium == .loopback }))
        var meshes = OtherMeshes()
        func note(scope: UInt32, port: UInt16) {
            let endpoint = Endpoint(address: IPAddress(high: 0xFE80 << 48, low: 1), port: port, scope: scope)
            meshes.note("m", at: endpoint, by: .beacon, now: .zero)
        }
        for port: UInt16 in 1...2 { note(scope: loopback.index, port: port) }
        // No machine has so many interfaces.
        note(scope: .max, port: 1)
        let found = try #require(meshes.current(now: .zero).first)
        #expect(found.addresses.map(\.writtenAddress) == ["fe80::1%\(loopback.name)", "fe80::1"])
        let peer = Endpoint(address: found.addresses[0].address, port: 7_400, scope: loopback.index)
        #expect(peer.written == "[fe80::1%\(loopback.name)]:7400" && Self.address(1).written == "10.0.0.1:0")
    }

    @Test("meshes of other names are kept with their addresses, up to their bounds, and forgotten without a sign")
    func otherMeshes() {
        var meshes = OtherMeshes()
        func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
        func address(_ number: UInt64) -> Endpoint { Self.address(UInt8(number)) }
        for number: UInt64 in 0..<100 { meshes.note("big", at: address(number), by: .beacon, now: at(1)) }
        meshes.note("big", at: address(0), by: .avahi, now: at(2))
        let big = meshes.current(now: at(2))
        #expect(big.map(\.name) == ["big"] && big[0].addresses.count == OtherMeshes.addressesMax)
        #expect(big[0].signs == [.beacon, .avahi] && big[0].seenAt == at(2))
        for number: UInt64 in 1...40 {
            meshes.note("m\(number)", at: address(1), by: .beacon, now: at(2 + Int64(number)))
        }
        let names = meshes.current(now: at(50)).compactMap(\.name)
        #expect(names.count == OtherMeshes.meshesMax && !names.contains("big") && names == names.sorted())
        #expect(meshes.current(now: at(700)).isEmpty)
    }

    @Test("closed meshes are one entry without a name, and news if none was seen for ten minutes")
    func closedMeshes() {
        var meshes = OtherMeshes()
        let (here, there) = (Self.address(1), Self.address(2))
        func isNews(_ name: String?, at address: Endpoint, afterSeconds seconds: Int64) -> Bool {
            meshes.note(name, at: address, by: .beacon, now: .zero + .seconds(seconds))
        }
        #expect(isNews(nil, at: here, afterSeconds: 0) && !isNews(nil, at: there, afterSeconds: 599))
        #expect(isNews("open", at: here, afterSeconds: 600))
        let known = meshes.current(now: .zero + .seconds(600))
        #expect(known.map(\.name) == [nil, "open"] && known[0].addresses == [here, there])
        #expect(meshes.hasClosed(now: .zero + .seconds(1_198)) && !meshes.hasClosed(now: .zero + .seconds(1_199)))
        #expect(isNews(nil, at: here, afterSeconds: 1_199))
        for number in 0..<2 * OtherMeshes.meshesMax { _ = isNews("invented \(number)", at: there, afterSeconds: 1_200) }
        #expect(!isNews(nil, at: here, afterSeconds: 1_201), "names that somebody makes up do not make it news again")
    }

    @Test(
        "a mesh that was forgotten and comes back is listed without its former addresses",
        arguments: [nil, "open"] as [String?])
    func returned(name: String?) {
        var meshes = OtherMeshes()
        let (former, present) = (Self.address(1), Self.address(2))
        func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
        let isNews = [
            meshes.note(name, at: former, by: .avahi, now: at(0)),
            meshes.note(name, at: present, by: .beacon, now: at(600)),
            meshes.note(name, at: present, by: .beacon, now: at(601)),
        ]
        #expect(isNews == [true, true, false])
        let found = meshes.current(now: at(601))
        #expect(found.map(\.addresses) == [[present]] && found.map(\.signs) == [[.beacon]])
    }

    @Test("a node names those that are not linked, and the mesh of a neighbour by its beacon; it may be unannounced")
    func wholeNodes() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .discovery: "beacon"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        let name = "theatre-\(UInt32.random(in: .min ... .max))"
        let other = try await bench.start("o", [.input: "null", .discovery: "beacon", .mesh: name])
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            #expect(try a.ask(DiscoverRequest()).nodes == [])
            #expect(try [a, other].map { try $0.ask(DiscoverRequest()).linked } == [1, 0])
            try a.ask(BlockRequest(peer: "b"))
            let nodes = try a.ask(DiscoverRequest()).nodes
            #expect(nodes.map(\.name) == ["b"] && nodes.map(\.why) == [.blocked])
            // A verb that needs the link says the same.
            #expect(try a.refusal(of: PingRequest(peer: "b")) == nodes.first.map { "no link to b: \($0.text)" })
            try a.awaitStatus("the beacon of the other mesh has come") { _ in
                let meshes = (try? a.ask(DiscoverRequest()).meshes) ?? []
                return meshes.contains { $0.name == name && $0.signs == ["beacon"] && !$0.addresses.isEmpty }
            }
            #expect(try a.ask(DiscoverRequest()).advertised)
            try a.ask(AdvertiseRequest(advertised: false))
            let hidden = try a.ask(StatusRequest())
            #expect(!hidden.node.advertised)
            let sent = hidden.mesh.counters["beacons_sent"]
            // Beacons leave at once when they are switched on, and none is due now.
            try a.ask(AdvertiseRequest(advertised: true))
            try a.awaitStatus("beacons leave again") { (sent ?? 0) + 3 <= $0.mesh.counters["beacons_sent"] ?? 0 }
            // The second node has neither a beacon nor Avahi.
            #expect(try b.ask(StatusRequest()).node.advertised == false)
            #expect(try b.ask(DiscoverRequest()).advertised == false)
            let refusal = try b.refusal(of: AdvertiseRequest(advertised: true))
            #expect(refusal?.hasPrefix("this node has no discovery, so nothing was changed; ") == true)
            try b.ask(AdvertiseRequest(advertised: false))
            for node in [a, b, other] { try node.stop() }
        }
        for node in [a, b, other] { try await node.ended() }
    }

    @Test("the node that feeds programme is announced while its node is, also if it starts later than the order")
    func programme() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [
            .input: "null", .discovery: "beacon", .programme: "null", .programmeChannel: "music",
        ]
        let a = try await bench.start("a", settings)
        let address = try await NodeBench.onThread {
            try a.ask(AdvertiseRequest(advertised: false))
            return try a.address()
        }
        let music = try await bench.startProgramme(of: "a", settings, beside: address)
        a.watchProgramme(of: music)
        try await NodeBench.onThread {
            try music.awaitStatus("it follows at its start") { !$0.node.advertised }
            for isOn in [true, false] {
                try a.ask(AdvertiseRequest(advertised: isOn))
                #expect(try music.ask(StatusRequest()).node.advertised == isOn)
            }
            for node in [a, music] { try node.stop() }
        }
        for node in [a, music] { try await node.ended() }
    }
}
