import Mesh
import Primitives
import Testing
import Wire

@Suite("Challenges of new addresses")
struct ChallengeTests {
    private let stage = PuppetStage()
    private let tick = Interval(nanoseconds: 1)

    private func place(_ number: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, number), port: 9) }
    private var longVoice: Puppet.Words { .voice([UInt8](repeating: 1, count: 100)) }

    /// The numbers of challenges that came to this address.
    private func challenges(_ puppet: Puppet, at place: Endpoint) -> [UInt64] {
        puppet.inbox.filter { $0.route.endpoint == place }.compactMap(\.body.pathChallenge)
    }

    @Test("an answer proves the address, a probe to it leaves at once, and its echo makes it the path for voice")
    func proves() throws {
        let puppet = stage.link()
        puppet.send(longVoice, by: .address(place(77)))
        let number = try #require(challenges(puppet, at: place(77)).last)
        #expect(stage.counter(.pathChallengesSent) == 1 && number >> 56 != 0)
        #expect(puppet.path(.address(place(77)))?.trust == .challenged(number: number))
        // A wrong number proves nothing.
        puppet.send(.body(DatagramBody(pathAnswer: number ^ 1)), by: .address(puppet.home))
        #expect(stage.counter(.pathAnswersUnknown) == 1 && puppet.blocks.last?.route.endpoint == puppet.home)
        puppet.send(.body(DatagramBody(pathAnswer: number)), by: .address(place(77)))
        #expect(stage.counter(.pathAnswersUnknown) == 1 && stage.counter(.pathChallengesSent) == 1)
        #expect(puppet.path(.address(place(77)))?.trust == .proved)
        let probe = try #require(puppet.blocks.last)
        #expect(probe.route.endpoint == place(77) && probe.block.flags == .probe)
        stage.pass(.milliseconds(701))
        puppet.send(.control(echo: probe.block.sequence), by: .address(place(77)))
        #expect(puppet.status?.endpoint == place(77) && puppet.path(.address(place(77)))?.heardAt == stage.now)
        #expect(challenges(puppet, at: place(77)).count == 1)
    }

    @Test("two new addresses are challenged at once, then one each half second, never with more bytes than came")
    func rate() {
        let puppet = stage.link()
        stage.pass(.milliseconds(900))
        for number: UInt8 in 70..<73 { puppet.send(longVoice, by: .address(place(number))) }
        #expect((70..<73).map { challenges(puppet, at: place($0)).count } == [1, 1, 0])
        #expect(stage.counter(.pathChallengesSent) == 2 && stage.counter(.pathChallengesOverRate) == 1)
        stage.pass(.milliseconds(500) - tick)
        puppet.send(longVoice, by: .address(place(73)))
        #expect(stage.counter(.pathChallengesOverRate) == 2)
        stage.pass(tick)
        puppet.send(.voice([1]), by: .address(place(73)))
        #expect(stage.counter(.pathChallengesTooLarge) == 1 && stage.counter(.pathChallengesSent) == 2)
        #expect(challenges(puppet, at: place(73)).isEmpty && puppet.path(.address(place(73))) == nil)
    }

    @Test("a challenge has 39 bytes, fewer if fewer came, and is not sent if its number does not fit")
    func size() {
        let puppet = stage.link()
        // From the ninth datagram on the counter has its own byte in the header.
        for _ in 0..<9 { _ = puppet.seal(.voice([1])) }
        for (count, expected) in [(100, 39), (39, 39), (38, 38)] {
            let empty = puppet.seal([0x08, 1]).count - 2
            let bytes = puppet.seal(DatagramBody(voice: [UInt8](repeating: 1, count: count - empty - 1)).encoded())
            #expect(bytes.count == count)
            puppet.deliver(bytes, by: .address(place(77)))
            #expect(puppet.inbox.last?.size == expected && puppet.inbox.last?.route.endpoint == place(77))
            stage.pass(.milliseconds(500))
            puppet.send(.control())
        }
    }

    @Test("beside four living addresses no new one is challenged, which is counted")
    func noRoom() throws {
        let puppet = stage.link()
        for number: UInt8 in 71...73 {
            puppet.send(longVoice, by: .address(place(number)))
            let challenge = try #require(challenges(puppet, at: place(number)).last)
            puppet.send(.body(DatagramBody(pathAnswer: challenge)), by: .address(place(number)))
            puppet.send(.control(), by: .address(place(number)))
            stage.pass(.milliseconds(400))
            puppet.send(.control(echo: 0))
        }
        #expect(puppet.link?.paths.count { $0.isAlive(now: stage.now) } == 4)
        puppet.send(longVoice, by: .address(place(74)))
        #expect(stage.counter(.pathTableFull) == 1 && stage.counter(.pathChallengesSent) == 3)
        #expect(challenges(puppet, at: place(74)).isEmpty)
    }

    @Test("an echo by an address that has lost its place brings no link up before the address is proved again")
    func echoFromBefore() throws {
        let puppet = stage.link()
        puppet.answers = { $0.endpoint == puppet.home }
        for number: UInt8 in 71...73 {
            puppet.send(longVoice, by: .address(place(number)))
            let challenge = try #require(challenges(puppet, at: place(number)).last)
            puppet.send(.body(DatagramBody(pathAnswer: challenge)), by: .address(place(number)))
            stage.pass(.milliseconds(500))
        }
        puppet.answers = { _ in false }
        stage.pass(.seconds(3))
        #expect(puppet.status?.state != .up)
        let probe = try #require(puppet.blocks.last { $0.route.endpoint == place(71) })
        #expect(stage.now - probe.at < .seconds(1))
        // The table is full, so one address after the other loses its place.
        for number: UInt8 in [74, 71] { puppet.send(longVoice, by: .address(place(number))) }
        let challenge = try #require(challenges(puppet, at: place(71)).last)
        #expect(puppet.path(.address(place(71)))?.trust == .challenged(number: challenge))
        puppet.send(.control(echo: probe.block.sequence), by: .address(place(71)))
        #expect(puppet.status?.state != .up)
        puppet.send(.body(DatagramBody(pathAnswer: challenge)), by: .address(place(71)))
        let anew = try #require(puppet.blocks.last { $0.route.endpoint == place(71) })
        puppet.send(.control(echo: anew.block.sequence), by: .address(place(71)))
        #expect(puppet.status?.state == .up && puppet.status?.endpoint == place(71))
    }

    @Test(
        "a peer's challenge is answered over the path on which it came, without a challenge in return"
    )
    func answers() {
        let puppet = stage.link()
        func answers(_ body: DatagramBody, by route: Puppet.Way) -> [(Puppet.Way, DatagramBody)] {
            let before = puppet.inbox.count
            puppet.send(.body(body), by: route)
            return puppet.inbox.dropFirst(before).map { ($0.route, $0.body) }
        }
        for route in [Puppet.Way.address(puppet.home), .carrier, .address(place(77))] {
            let answer = answers(DatagramBody(pathChallenge: 4_711, paddingBytes: 12), by: route)
            #expect(answer.map(\.1) == [DatagramBody(pathAnswer: 4_711)])
            #expect(answer[0].0.isCarrier == route.isCarrier && answer[0].0.endpoint == route.endpoint)
        }
        #expect(stage.counter(.pathChallengesSent) == 0 && stage.counter(.pathAnswersTooLarge) == 0)
    }

    @Test("before the first echo a new address is challenged under the agreed keys, and the link can begin there")
    func candidate() throws {
        let puppet = stage.agree()
        puppet.send(longVoice, by: .address(place(77)))
        let number = try #require(challenges(puppet, at: place(77)).last)
        puppet.send(.body(DatagramBody(pathChallenge: 5, pathAnswer: number ^ 1)), by: .address(puppet.home))
        #expect(puppet.inbox.last?.body == DatagramBody(pathAnswer: 5) && stage.counter(.pathAnswersUnknown) == 1)
        puppet.send(.body(DatagramBody(pathAnswer: number)), by: .address(place(77)))
        let probe = try #require(puppet.blocks.last)
        #expect(probe.route.endpoint == place(77) && probe.block.flags == .probe && puppet.status?.state != .up)
        puppet.send(.control(echo: 0, flags: .probe), by: .address(place(77)))
        let answer = try #require(puppet.blocks.last)
        #expect(answer.route.endpoint == place(77) && answer.block.echo == puppet.sequence - 1)
        #expect(answer.block.flags == .probe)
        puppet.send(.control(echo: probe.block.sequence), by: .address(place(77)))
        #expect(puppet.status?.state == .up && puppet.status?.endpoint == place(77))
    }

    @Test("during verification the advertised addresses are challenged, two at once, those not tried yet first")
    func reported() {
        let advertised = (71...73 as ClosedRange<UInt8>).map { Endpoint(address: place($0).address, port: 7400) }
        let puppet = stage.link(endpoints: advertised)
        let asked = { advertised.map { self.challenges(puppet, at: $0).count } }
        let first = asked()
        #expect(first.reduce(0, +) <= 2)
        stage.pass(.seconds(1))
        #expect(puppet.status?.state == .verifying)
        #expect(asked().reduce(0, +) == first.reduce(0, +) + 2 && asked().allSatisfy { 0 < $0 || first == [0, 0, 0] })
        #expect(stage.counter(.pathChallengesOverRate) == 0)
    }

    @Test("while no direct path answers, the advertised addresses are challenged in turn, again and again")
    func againAndAgain() {
        let advertised = (71...75 as ClosedRange<UInt8>).map { Endpoint(address: place($0).address, port: 7400) }
        let puppet = stage.link(endpoints: advertised)
        puppet.answers = { $0.isCarrier }
        stage.pass(.seconds(5))
        #expect(puppet.status?.state == .up && puppet.status?.path == .carrier)
        let before = advertised.map { challenges(puppet, at: $0).count }
        stage.pass(.seconds(60))
        let asked = zip(advertised, before).map { challenges(puppet, at: $0).count - $1 }
        #expect(asked.allSatisfy { 0 < $0 } && (8...12).contains(asked.reduce(0, +)), "\(asked)")
        // The path that was in use keeps its place in the table.
        #expect(puppet.path(.address(puppet.home))?.trust == .proved)
    }

    @Test("a change to another kind of path or another neighbour is reported, and a change of address is not")
    func changes() throws {
        let (puppet, other, third) = (stage.link(), stage.link(), stage.link())
        func changes(_ body: () -> Void) -> [String] {
            stage.outputs(of: body).compactMap {
                guard case .event(.pathChanged(puppet.slot, puppet.id, let kind, let node)) = $0 else { return nil }
                return "\(kind) \(node == nil ? "" : node == other.id ? "other" : node == third.id ? "third" : "?")"
            }
        }
        for peer in [other, third] { peer.answers = { _ in true } }
        for peer in [other, third] { peer.advertiseLinks([puppet]) }
        // First only datagrams inside the carrier are answered, then only those through a neighbour, then direct ones.
        puppet.answers = { $0.isCarrier }
        #expect(changes { stage.pass(.milliseconds(1_100)) } == ["carrier "])
        puppet.answers = { $0.neighbour === other }
        #expect(changes { stage.pass(.milliseconds(1_500)) } == ["relay other"])
        puppet.answers = { $0.neighbour === third }
        #expect(changes { stage.pass(.milliseconds(1_500)) } == ["relay third"])
        puppet.answers = { $0.endpoint != nil }
        #expect(changes { stage.pass(.seconds(5)) } == ["direct "])
        #expect(puppet.status?.state == .up)
    }
}
