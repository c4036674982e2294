import Channels
import Primitives
import Testing
import Wire

@Suite("the channels of a node, and the labels of its peers")
struct ListeningTests {
    private let peer = PeerSlot(index: 3)

    private static func channel(_ number: UInt64) -> ChannelID { ChannelID(high: 9, low: number) }

    /// A node that listens to channels 1 to `count`.
    private func listening(_ count: UInt64) throws -> Listening {
        var list = ListeningList()
        for number in 0..<count { try list.join(ListeningEntry(Self.channel(number + 1))) }
        return Listening(list)
    }

    /// No proof of the peer counts.
    private let none: @Sendable (ChannelID) -> Bool = { _ in false }

    private static let whole = LineSetting(levelTenths: 0, ear: .both)

    @Test("orders change the list, the lines and the talk channels, each only where it must")
    func orders() throws {
        var listening = try listening(2)
        #expect(listening.startDirectives == [.setLine(0, Self.whole), .setLine(1, Self.whole)])
        let three = ListeningEntry(Self.channel(3), levelTenths: -60, ear: .left)
        #expect(
            try listening.handle(.join(three)) == [
                .setLine(2, LineSetting(levelTenths: -60, ear: .left)),
                .advertise([Self.channel(1), Self.channel(2), Self.channel(3)]),
            ])
        #expect(try listening.handle(.join(three)) == [])
        #expect(
            try listening.handle(.setLevel(Self.channel(3), tenths: -1_000))
                == [.setLine(2, LineSetting(levelTenths: -600, ear: .left))])
        #expect(
            try listening.handle(.part(Self.channel(1)))
                == [.closeLine(0), .advertise([Self.channel(2), Self.channel(3)])])
        #expect(listening.list.talked == [Self.channel(2)])
        #expect(try listening.handle(.talk(on: [Self.channel(3), Self.channel(2)])) == [])
        #expect(listening.list.talked == [Self.channel(2), Self.channel(3)])
        // The free line is used again, after it was closed.
        #expect(
            try listening.handle(.join(ListeningEntry(Self.channel(4))))
                == [.setLine(0, Self.whole), .advertise([2, 3, 4].map(Self.channel))])
    }

    @Test("a listen-only channel is not talked on, and a talk-only channel is not told to peers and has no line")
    func manners() throws {
        var listening = Listening(ListeningList())
        let first = ListeningEntry(Self.channel(1), manner: .listenOnly)
        #expect(try listening.handle(.join(first)) == [.setLine(0, Self.whole), .advertise([Self.channel(1)])])
        #expect(
            try listening.handle(.join(ListeningEntry(Self.channel(2), manner: .talkOnly)))
                == [.advertise([Self.channel(1)], talks: [Self.channel(2)])])
        #expect(listening.list.talked == [Self.channel(2)])
        #expect(throws: ListeningRefusal.notJoined) { try listening.handle(.talk(on: [Self.channel(1)])) }
        #expect(throws: ListeningRefusal.notJoined) {
            try listening.handle(.setLevel(Self.channel(2), tenths: 0))
        }
        let talkOnly = ListeningEntry(Self.channel(1), manner: .talkOnly)
        #expect(
            try listening.handle(.join(talkOnly))
                == [.closeLine(0), .advertise([], talks: [Self.channel(1), Self.channel(2)])])
        #expect(listening.list.talked == [Self.channel(1)])
    }

    @Test("a channel that carries programme still does so after it was renamed")
    func followingProgramme() throws {
        var list = ListeningList()
        let music = ListeningEntry(Self.channel(1), manner: .listenOnly, programmeDimTenths: 140)
        try list.join(music)
        try list.follow(Self.channel(1), to: Self.channel(2))
        var renamed = music
        renamed.channel = Self.channel(2)
        #expect(list.entries == [renamed])
    }

    @Test("a channel that was renamed is followed at its place, with its level, ear and manner, and the key follows")
    func following() throws {
        var listening = try listening(3)
        _ = try listening.handle(.join(ListeningEntry(Self.channel(2), levelTenths: -60, ear: .left)))
        _ = try listening.handle(.talk(on: [Self.channel(2)]))
        #expect(
            try listening.handle(.follow(Self.channel(2), to: Self.channel(9))) == [
                .closeLine(1), .setLine(1, LineSetting(levelTenths: -60, ear: .left)),
                .advertise([1, 9, 3].map(Self.channel)),
            ])
        #expect(listening.list.talked == [Self.channel(9)])
        #expect(listening.list.isChosen(Self.channel(9)) && !listening.list.isChosen(Self.channel(2)))
        #expect(throws: ListeningRefusal.notJoined) {
            try listening.handle(.follow(Self.channel(2), to: Self.channel(8)))
        }
    }

    @Test("a renamed channel whose successor is joined already is parted, and the key speaks on the successor")
    func followingIntoJoined() throws {
        var listening = try listening(14)
        _ = try listening.handle(.talk(on: [Self.channel(2)]))
        _ = try listening.handle(.follow(Self.channel(2), to: Self.channel(5)))
        #expect(listening.list.listened.count == 13 && listening.list[Self.channel(2)] == nil)
        #expect(listening.list.talked == [Self.channel(5)])
        // A full list has room for the successor.
        _ = try listening.handle(.join(ListeningEntry(Self.channel(20))))
        _ = try listening.handle(.follow(Self.channel(1), to: Self.channel(30)))
        #expect(listening.list.listened.first == Self.channel(30) && listening.list.listened.count == 14)
    }

    @Test("a node does not talk on the successor of a channel if it only listens to it")
    func followingListenOnly() throws {
        var listening = try listening(1)
        _ = try listening.handle(.join(ListeningEntry(Self.channel(2), manner: .listenOnly)))
        _ = try listening.handle(.talk(on: [Self.channel(1)]))
        _ = try listening.handle(.follow(Self.channel(1), to: Self.channel(2)))
        #expect(listening.list.talked.isEmpty && !listening.list.isChosen(Self.channel(2)))
    }

    @Test("fourteen channels can be listened to, and a fifteenth is refused; so is a channel that was not joined")
    func limits() throws {
        var listening = try listening(14)
        #expect(throws: ListeningRefusal.listenedFull) {
            try listening.handle(.join(ListeningEntry(Self.channel(15))))
        }
        #expect(listening.list.listened.count == 14)
        #expect(throws: Never.self) {
            try listening.handle(.join(ListeningEntry(Self.channel(15), manner: .talkOnly)))
        }
        #expect(throws: ListeningRefusal.notJoined) { try listening.handle(.part(Self.channel(99))) }
        for number in 16..<33 as Range<UInt64> {
            _ = try listening.handle(.join(ListeningEntry(Self.channel(number), manner: .talkOnly)))
        }
        #expect(throws: ListeningRefusal.talkOnlyFull) {
            try listening.handle(.join(ListeningEntry(Self.channel(40), manner: .talkOnly)))
        }
    }

    @Test("a label is read by the list of its generation, and a channel that was parted has no line")
    func labels() throws {
        var listening = try listening(3)
        listening.handle(.advertised([1, 2, 3].map(Self.channel), generation: 7, to: peer))
        _ = try listening.handle(.part(Self.channel(1)))
        listening.handle(.advertised([2, 3].map(Self.channel), generation: 8, to: peer))
        let all: VoiceLabel = [.place(0), .place(1), .place(2), .place(13)]
        #expect(listening.lines(of: all, generation: 7, from: peer, of: nil, hasProved: none) == 0b110)
        #expect(listening.lines(of: .place(0), generation: 7, from: peer, of: nil, hasProved: none) == 0)
        #expect(listening.lines(of: .place(0), generation: 8, from: peer, of: nil, hasProved: none) == 0b010)
        #expect(listening.lines(of: all, generation: 9, from: peer, of: nil, hasProved: none) == nil)
        #expect(listening.lines(of: all, generation: 7, from: PeerSlot(index: 4), of: nil, hasProved: none) == nil)
        #expect(
            listening.lines(of: [.privately, .toAll], generation: 0, from: peer, of: nil, hasProved: none) == 0b11 << 14
        )
        #expect(
            listening.lines(of: [.privately, .place(0)], generation: 9, from: peer, of: nil, hasProved: none) == 1 << 14
        )
        let directives = try listening.handle(.grant(TalkGrants(privately: .nobody)))
        #expect(
            directives == [
                .closeLine(ListeningLimits.privateLine), .advertiseGrants(TalkGrants(privately: .nobody)),
            ])
        #expect(
            listening.lines(of: [.privately, .toAll], generation: 0, from: peer, of: nil, hasProved: none) == 1 << 15)
        #expect(listening.refuses(.privately, of: nil) && !listening.refuses(.toAll, of: nil))
        #expect(listening.channels(ofLines: 0b110) == [2, 3].map(Self.channel))
    }

    @Test("private talk and talk to all may be granted to single nodes; a line closes only if a node loses a grant")
    func grantsByNode() throws {
        var listening = Self.advertised(ListeningList(), to: peer)
        let nodes = (1...2).map { NodeID(words: (UInt64($0), 0, 0, 1)) }
        func lines(_ node: NodeID?) -> UInt16? {
            listening.lines(of: [.privately, .toAll], generation: 0, from: peer, of: node, hasProved: none)
        }
        let one = TalkGrants(privately: .nodes([nodes[0]]), toAll: .nobody)
        let closed = try listening.handle(.grant(one))
        #expect(
            closed == [
                .closeLine(ListeningLimits.privateLine), .closeLine(ListeningLimits.allLine), .advertiseGrants(one),
            ])
        #expect(lines(nodes[0]) == 1 << 14 && lines(nodes[1]) == 0 && lines(nil) == 0)
        #expect(!listening.refuses(.privately, of: nodes[0]) && listening.refuses(.privately, of: nodes[1]))
        let both = TalkGrants(privately: .nodes(Set(nodes)), toAll: .nodes([nodes[1]]))
        #expect(try listening.handle(.grant(both)) == [.advertiseGrants(both)])
        #expect(lines(nodes[0]) == 1 << 14 && lines(nodes[1]) == 0b11 << 14)
        #expect(try listening.handle(.grant(one)).count == 3)
    }

    @Test("a channel with a code has a line while the peer's proof counts, whatever list the peer names")
    func codedLabels() throws {
        let lights = ChannelID(high: 9, low: 2, hasCode: true)
        var list = ListeningList()
        for channel in [Self.channel(1), lights] { try list.join(ListeningEntry(channel)) }
        let listening = Self.advertised(list, to: peer)
        let both: VoiceLabel = [.place(0), .place(1)]
        #expect(listening.lines(of: both, generation: 1, from: peer, of: nil) { $0 == lights } == 0b11)
        #expect(listening.lines(of: both, generation: 1, from: peer, of: nil, hasProved: none) == 0b01)
        #expect(listening.lines(of: .place(1), generation: 1, from: peer, of: nil, hasProved: none) == 0)
    }

    private static func advertised(_ list: ListeningList, to peer: PeerSlot) -> Listening {
        var listening = Listening(list)
        listening.handle(.advertised(list.listened, generation: 1, to: peer))
        return listening
    }

    @Test("a generation is kept until the peer names a later one, four at most, and none for the next peer in the slot")
    func generations() throws {
        var listening = try listening(1)
        let nodes = (1...2).map { NodeID(words: (UInt64($0), 0, 0, 1)) }
        listening.handle(.peerUp(peer, nodes[0]))
        let list = [Self.channel(1)]
        func kept() -> [UInt8] {
            (1...9).filter {
                listening.lines(of: .place(0), generation: $0, from: peer, of: nil, hasProved: none) != nil
            }
        }
        for generation in 1...5 as ClosedRange<UInt8> {
            listening.handle(.advertised(list, generation: generation, to: peer))
        }
        #expect(kept() == [2, 3, 4, 5])
        listening.handle(.confirmed(generation: 4, by: peer))
        #expect(kept() == [4, 5])
        listening.handle(.confirmed(generation: 9, by: peer))
        #expect(kept() == [4, 5])
        listening.handle(.peerUp(peer, nodes[0]))
        #expect(kept() == [4, 5], "the link was down")
        listening.handle(.peerUp(peer, nodes[1]))
        #expect(kept() == [])
    }

    @Test("the talk channel is the first one on which the node may talk, until a person chooses")
    func talking() throws {
        var list = ListeningList()
        #expect(list.talked.isEmpty)
        try list.join(ListeningEntry(Self.channel(1), manner: .listenOnly))
        try list.join(ListeningEntry(Self.channel(2)))
        try list.join(ListeningEntry(Self.channel(3)))
        #expect(list.talked == [Self.channel(2)])
        try list.talk(on: [Self.channel(3)])
        #expect(list.talked == [Self.channel(3)])
        try list.part(Self.channel(3))
        #expect(list.talked == [Self.channel(2)])
    }
}
