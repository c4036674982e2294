import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Challenges of unproved addresses")
struct PathChallengeTests {
    /// Two linked nodes, and a third address from which an attacker forwards overheard datagrams.
    private final class Overheard {
        let cluster: MeshCluster
        private(set) var byTalker: [[UInt8]] = []
        private(set) var toStranger: [[UInt8]] = []
        let stranger: Endpoint

        init() {
            cluster = MeshPair.linked().cluster
            let thief = cluster.start(seed: 99, mesh: "another")
            stranger = cluster.endpoint(of: thief)
            cluster.tap = { [unowned self] from, to, bytes in
                if from == 0, to == 1 { byTalker.append(bytes) }
                if to == thief { toStranger.append(bytes) }
            }
        }

        /// The talker, node 0, sends `count` datagrams; only their counter matters.
        func talk(_ count: Int, bytes: Int = 8) {
            for number in 0..<count {
                cluster.speak(0, to: 1, [UInt8](repeating: UInt8(number & 255), count: bytes))
                if number % 50 == 49 { cluster.drive(for: .milliseconds(20)) }
            }
        }

        /// The talker's next datagram is lost, and comes to node 1 from the attacker's address instead.
        func forward(bytes: Int) -> [UInt8]? {
            cluster.cuts.insert(.datagrams(from: 0, to: 1))
            talk(1, bytes: bytes)
            cluster.cuts.remove(.datagrams(from: 0, to: 1))
            guard let stolen = byTalker.last else { return nil }
            cluster.inject(stolen, to: 1, from: stranger)
            return stolen
        }
    }

    @Test("are at least as long as the answer, even if the peer's counter is much longer")
    func answerIsNoLonger() throws {
        let overheard = Overheard()
        overheard.talk(300)
        let stolen = try #require(overheard.forward(bytes: 100))
        let challenge = try #require(overheard.toStranger.last)
        #expect(challenge.count <= stolen.count)
        overheard.cluster.inject(challenge, to: 0, from: overheard.stranger)
        let answer = try #require(overheard.toStranger.last)
        #expect(answer != challenge && answer.count <= challenge.count)
        #expect(overheard.toStranger.count == 2)
    }

    @Test("are not sent if fewer bytes came than a challenge has")
    func nothingToAskWith() throws {
        let overheard = Overheard()
        _ = try #require(overheard.forward(bytes: 1))
        #expect(overheard.toStranger.isEmpty)
        #expect(overheard.cluster.counter(.pathChallengesTooLarge, at: 1) == 1)
    }

    @Test("that are short are not answered with more bytes than came")
    func shortChallenge() throws {
        let overheard = Overheard()
        overheard.talk(200)
        let stolen = try #require(overheard.forward(bytes: 8))
        let challenge = try #require(overheard.toStranger.last)
        // The challenge is long enough for an answer with the talker's header as it is now …
        #expect(challenge.count == stolen.count)
        // … and a byte too short from the talker's 256th datagram on.
        overheard.talk(100)
        overheard.cluster.inject(challenge, to: 0, from: overheard.stranger)
        #expect(overheard.toStranger.count == 1)
        #expect(overheard.cluster.counter(.pathAnswersTooLarge, at: 0) == 1)
    }

    @Test("a neighbour that was asked without success is passed over for a while, also after it was asked again")
    func askedInVain() {
        var path = Path(.neighbour(NodeID(words: (7, 0, 0, 0))), trust: .proved)
        var now = Instant.zero
        for _ in 0..<3 {
            #expect(path.mayBeAsked(now: now) && !path.isFruitless(now: now))
            path.askedAt = now
            now += MeshLimits.verificationMax
            #expect(!path.mayBeAsked(now: now) && path.isFruitless(now: now))
            now += MeshLimits.relayAskedAgain - MeshLimits.verificationMax
        }
    }

    @Test("of two addresses that are challenged at once neither replaces the other, in a full table too")
    func askedAtOnce() {
        func place(_ number: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, number), port: 7400) }
        var table = PathTable(direct: place(1))
        let now = Instant.zero + .seconds(3_600)
        for number in 2...UInt8(MeshLimits.directPathsMax) {
            let path = table.add(challenged: place(number), number: UInt64(number), now: now - .seconds(60))
            guard let path else { return #expect(Bool(false), "no place for \(number)") }
            table[path].trust = .proved
            table[path].heardAt = now - .seconds(Int64(number))
        }
        for number: UInt8 in [11, 12] {
            #expect(table.add(challenged: place(number), number: UInt64(number), now: now) != nil)
        }
        #expect(table.index(challengedWith: 11) != nil && table.index(challengedWith: 12) != nil)
        #expect(table.paths.count { $0.kind == .direct } == MeshLimits.directPathsMax)
    }
}
