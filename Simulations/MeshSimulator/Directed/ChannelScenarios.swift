import Channels
import Mesh
import Primitives
import Voice

/// A node that joins a channel hears the next words of the talkers there, also where TCP is stalled and up to two of
/// the three datagrams with the node's list of channels are lost. Where TCP flows, all three may be lost. A node also
/// hears the next words where its channel is added to the talker's key, or takes the place of the one that the key had.
package struct FirstWordsAreHeard: DirectedScenario {
    package init() {}
    package static let promises = "V4"
    package var nodeCount: Int { 2 }
    package var speech: SpeechRule? { SpeechRule(talkerCount: 1, talkFor: .seconds(600), pauseFor: .milliseconds(10)) }
    /// Time between two datagrams with the list, as docs/WIRE.md says.
    private static let interval = Interval.milliseconds(20)
    /// A block of the cards each, and the frame that was being spoken.
    private static let handling = SimVoice.block * 3
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        for lost in 0...2 as ClosedRange<Int64> { join(stage, lost: lost, isStalled: true) }
        join(stage, lost: 3, isStalled: false)
        changeKey(stage)
    }

    /// Node 1 joins while the talker talks. The first datagrams with its list are lost.
    private func join(_ stage: DirectedStage, lost: Int64, isStalled: Bool) {
        let world = stage.world
        world.change(.part(SimLimits.channel), of: 1)
        // The carrier tells the talker of the part.
        stage.advance(.seconds(2))
        if isStalled { world.apply(.blockStreams(0, 1)) }
        if 0 < lost { loseDatagrams(true, world) }
        world.change(.join(ListeningEntry(SimLimits.channel)), of: 1)
        // Without TCP, the talker waits for the first datagram that is not lost.
        let toldAt = world.now + (isStalled ? Self.interval * lost : .zero) + rule.delayMax
        listen(world, since: toldAt)
        if 0 < lost {
            stage.advance(Self.interval * lost - .milliseconds(10))
            loseDatagrams(false, world)
        }
        requireWords(stage, since: toldAt, permilleMin: 990, "with \(lost) datagrams lost")
        world.apply(.setAllRules(rule))
        stage.need("a carrier", within: SimLimits.convergenceMax) {
            $0.carriers.flowsSince(from: 1, to: 0, over: $0.network) != nil
        }
    }

    /// The talker's key gets the channel of node 1, first beside its own channel and then in place of it.
    private func changeKey(_ stage: DirectedStage) {
        let (world, other) = (stage.world, SpeechRule.channel(1))
        world.change(.join(ListeningEntry(other, manner: .talkOnly)), of: 0)
        world.change(.join(ListeningEntry(other)), of: 1)
        world.change(.part(SimLimits.channel), of: 1)
        for channels in [[SimLimits.channel, other], [other]] {
            talk(on: [SimLimits.channel], world)
            stage.advance(.seconds(2))
            talk(on: channels, world)
            let changedAt = world.now
            listen(world, since: changedAt)
            // The spurt begins with these words, and the first ones may find a delay that is too short.
            requireWords(stage, since: changedAt, permilleMin: 980, "by a key with \(channels.count) channels")
        }
    }

    private func talk(on channels: [ChannelID], _ world: World) {
        world.change(.talk(on: channels), of: 0)
        world.press(.first, of: 0, to: SpokenTo(channels: channels))
    }

    private func loseDatagrams(_ isLosing: Bool, _ world: World) {
        var route = world.network[1, 0]
        route.dropsDatagrams = isLosing
        world.apply(.setRule(from: 1, to: 0, route))
    }

    /// Counts the words of a second.
    /// - Parameter toldAt: when the talker knows that it speaks to node 1.
    private func listen(_ world: World, since toldAt: Instant) {
        world.listen(from: toldAt + Self.handling, until: toldAt + Self.handling + .seconds(1))
    }

    private func requireWords(
        _ stage: DirectedStage, since toldAt: Instant, permilleMin: Int, _ circumstance: String
    ) {
        let soundMax = toldAt + rule.delayMax + Self.handling + .milliseconds(20)
        stage.need("sound of 0 at 1, \(circumstance)", within: soundMax - stage.world.now) {
            0 < $0.hearing(of: 0, at: 1)?.sounded ?? 0
        }
        stage.advance(.seconds(2))
        stage.requireHearing(
            of: 0, at: 1, permilleMin: permilleMin, delayMax: rule.delayMax + Self.handling + .milliseconds(20))
    }
}

/// A listener that drops out of the targets of a talk key hears the spurt end: nothing is made up or counted as lost.
/// Listeners that stay hear on without a gap.
package struct LeaversHearAnEnd: DirectedScenario {
    package init() {}
    package static let promises = "V5"
    package var nodeCount: Int { 3 }
    package var rule: LinkRule { LinkRule(delayMin: .milliseconds(2), delayMean: .microseconds(10)) }
    package var speech: SpeechRule? { SpeechRule(talkerCount: 1, talkFor: .seconds(600), pauseFor: .milliseconds(10)) }
    /// A receiver counts a talker as silent when its end has sounded.
    private static let endMax = Interval.milliseconds(300)
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let (world, other) = (stage.world, SpeechRule.channel(1))
        world.change(.join(ListeningEntry(other, manner: .talkOnly)), of: 0)
        world.change(.join(ListeningEntry(other)), of: 2)
        stage.advance(.seconds(3))
        for _ in 0..<10 {
            world.listen(from: world.now, until: world.now + .milliseconds(1_500))
            stage.require(statistics(world)?.isTalking == true, "1 does not hear 0")
            let before = statistics(world)
            world.change(.talk(on: [other]), of: 0)
            stage.need("the end at 1", within: Self.endMax) { statistics($0)?.isTalking == false }
            stage.advance(.milliseconds(500))
            let after = statistics(world)
            stage.require(
                after?.concealedSamples == before?.concealedSamples && after?.lostSamples == before?.lostSamples,
                "1 heard no proper end: \(world.account(of: 0, at: 1))")
            world.change(.talk(on: [SimLimits.channel]), of: 0)
            stage.advance(.milliseconds(1_500))
            stage.requireHearing(of: 0, at: 2, permilleMin: 1_000, delayMax: .milliseconds(40))
        }
    }

    private func statistics(_ world: World) -> VoiceStatistics? { world.voice(of: 1)?.statistics(of: 0) }
}

/// A member tries to create 10,000 channels. It gets as many as a creator may have, and is refused the others. The
/// other nodes keep their links and their own channels.
package struct ChannelFloodsAreBounded: DirectedScenario {
    package init() {}
    package static let promises = "I20"
    package var nodeCount: Int { 3 }
    private static let wanted = 10_000
    /// Limits of docs/WIRE.md for the directory entries of one creator: live channels, and live channels and tombstones
    /// (entries of deleted channels) together.
    private static let liveMax = 32
    private static let entriesMax = 32 + 64
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let (world, lost) = (stage.world, stage.world.counts.linksLost)
        var refusals: [DirectoryRefusal] = []
        for number in 0..<Self.wanted {
            if let refusal = create("flood \(number)", by: 0, world) { refusals.append(refusal) }
            if number == Self.wanted / 2 { stage.require(create("stage", by: 1, world) == nil, "1 was refused") }
            if number % 100 == 0 { stage.advance(.milliseconds(100)) }
        }
        stage.require(
            refusals.count == Self.wanted - Self.liveMax && refusals.allSatisfy { $0 == .full },
            "\(refusals.count) of \(Self.wanted) channels were refused")
        stage.need("equal directories", within: SimLimits.directoriesEqualMax) { areEqual($0, count: Self.liveMax + 1) }
        // Deleted channels leave room for new ones, and their entries stay bounded.
        for number in 0..<300 {
            if Self.liveMax <= number { remove("flood \(number - Self.liveMax)", by: 0, world) }
            _ = create("flood \(number)", by: 0, world)
            stage.advance(.milliseconds(100))
        }
        stage.advance(.seconds(5))
        for node in 0..<3 {
            let table = world.directory(of: node)
            stage.require(table.entries.count <= Self.entriesMax + 1, "\(table.entries.count) entries at \(node)")
            stage.require(table.entries.contains { $0.name.string == "stage" }, "\(node) lost the channel of 1")
        }
        stage.require(world.counts.linksLost == lost, "the flood cost a link")
    }

    private func areEqual(_ world: World, count: Int) -> Bool {
        (0..<3).allSatisfy {
            world.directory(of: $0).entries == world.directory(of: 0).entries
                && world.directory(of: $0).entries.count == count
        }
    }

    private func create(_ text: String, by node: Int, _ world: World) -> DirectoryRefusal? {
        ChannelName(text).flatMap { world.order(.create($0), of: node) }
    }

    private func remove(_ text: String, by node: Int, _ world: World) {
        if let name = ChannelName(text) { _ = world.order(.delete(name), of: node) }
    }
}

/// Listeners follow a channel that its creator renames, also twice, and also where they were cut off meanwhile.
package struct RenamingsAreFollowed: DirectedScenario {
    package init() {}
    package static let promises = "L16"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1, 2])
        let world = stage.world
        let names = ["lights", "stage", "house"].compactMap { ChannelName($0) }
        stage.require(world.order(.create(names[0]), of: 0) == nil, "0 was refused")
        for node in 1...2 { world.change(.join(ListeningEntry(world.channelID(names[0], at: node))), of: node) }
        stage.advance(.seconds(3))
        stage.require(world.order(.rename(names[0], to: names[1]), of: 0) == nil, "0 was refused")
        stage.need("1 and 2 on the new channel", within: .seconds(1)) { follow(world: $0, names[1], [1, 2]) }
        world.apply(.partition(0b100))
        stage.advance(.seconds(3))
        stage.require(world.order(.rename(names[1], to: names[0]), of: 0) == nil, "0 was refused")
        stage.advance(.seconds(3))
        stage.require(world.order(.rename(names[0], to: names[2]), of: 0) == nil, "0 was refused")
        stage.need("1 on the third channel", within: .seconds(1)) { follow(world: $0, names[2], [1]) }
        stage.require(follow(world: world, names[1], [2]), "2 was cut off, and is not on the channel that it knows")
        stage.advance(.seconds(20))
        world.apply(.mendAll)
        stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
        stage.need("2 on the third channel", within: SimLimits.directoriesEqualMax) { follow(world: $0, names[2], [2]) }
    }

    private func follow(world: World, _ name: ChannelName, _ nodes: [Int]) -> Bool {
        nodes.allSatisfy { node in
            let named = world.listened(by: node).filter { $0 != SimLimits.channel }
            return named == [world.channelID(name, at: node)]
        }
    }
}

/// A node creates a channel while it has a link but no carrier to its peer. The channel is in the peer's directory soon
/// after a carrier is back.
package struct EntriesOutliveTheirCarrier: DirectedScenario {
    package init() {}
    package static let promises = "L15"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        stage.assemble([0, 1])
        let (world, lost) = (stage.world, stage.world.counts.linksLost)
        world.apply(.blockStreams(0, 1))
        world.apply(.resetCarriers(0, 1))
        stage.advance(.milliseconds(50))
        let refusal = ChannelName("lights").flatMap { world.order(.create($0), of: 0) }
        stage.require(refusal == nil, "0 was refused")
        stage.advance(.seconds(2))
        stage.require(0 < world.counted(.tableFramesWithoutCarrier, at: 0), "0 had a carrier for its entry")
        stage.require(world.directory(of: 1).entries.isEmpty, "an entry came without a carrier")
        world.apply(.setAllRules(rule))
        stage.need("a carrier", within: SimLimits.convergenceMax) { world in
            (0...1).allSatisfy { world.status(of: $0)?.peers.allSatisfy(\.hasCarrier) == true }
        }
        stage.need("the entry at 1", within: SimLimits.directoriesEqualMax) {
            $0.directory(of: 1).entries == $0.directory(of: 0).entries
        }
        stage.require(world.counts.linksLost == lost, "the pair lost its link")
    }
}
