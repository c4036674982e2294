import Foundation
import Primitives
import StateStore
import Testing

@Suite("Remembered things")
struct StateDatabaseTests {
    private func start(_ folder: TestFolder) throws -> NodeState {
        try NodeState(folder: folder.path, unixSeconds: 1) { [UInt8](repeating: 7, count: 32) }
    }

    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 0, 0, 1)) }

    private func code(_ number: Int, low: UInt64) -> RememberedCode { code("code:\(number)", low: low) }

    private func code(_ name: String, low: UInt64) -> RememberedCode {
        RememberedCode(
            channel: ChannelID(high: 1, low: low, hasCode: true), name: name,
            codeKey: [UInt8](repeating: 1, count: 32))
    }

    @Test("codes of channels outlive the node, as keys, until they are forgotten")
    func codes() throws {
        let folder = TestFolder()
        let ids = (1...2).map { ChannelID(high: 1, low: $0, hasCode: true) }
        let codes = ids.map { id in
            RememberedCode(channel: id, name: "code:lights", codeKey: [UInt8](repeating: UInt8(id.low), count: 32))
        }
        do {
            let database = try start(folder).database
            let former = [UInt8](repeating: 9, count: 32)
            database.remember(
                joined: [], with: .keep(RememberedCode(channel: ids[0], name: "x", codeKey: former)))
            for code in codes { database.remember(joined: [], with: .keep(code)) }
            database.flush()
        }
        do {
            let database = try start(folder).database
            #expect(try database.load().channelCodes == codes)
            #expect(!"\(codes[0])".contains("1, 1"))
            database.remember(joined: [], with: .forget(ids[0]))
            database.flush()
        }
        #expect(try start(folder).database.load().channelCodes == [codes[1]])
    }

    @Test("hidden channels outlive the node, each of its kind, until they are shown")
    func hiddenChannels() throws {
        let folder = TestFolder()
        let channels = [ChannelID(high: 1, low: 1), ChannelID(high: 1, low: 2, hasCode: true)]
        do {
            let database = try start(folder).database
            for channel in channels { database.remember(isHidden: true, channel) }
            database.flush()
            #expect(try database.load().hiddenChannels == channels)
        }
        let database = try start(folder).database
        #expect(try database.load().hiddenChannels == channels)
        for channel in channels { database.remember(isHidden: false, channel) }
        database.flush()
        #expect(try database.load().hiddenChannels.isEmpty)
    }

    @Test("all entries of channels are read, however many, and many are forgotten in one change")
    func manyEntries() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let entries = (1...601).map { low in
            RememberedEntry(channel: ChannelID(high: 1, low: low), bytes: [7, UInt8(low % 9)])
        }
        for entry in entries {
            database.remember(entry: entry.bytes, of: entry.channel)
            // Only so many changes may wait for the disk.
            if entry.channel.low % 100 == 0 { database.flush() }
        }
        database.flush()
        #expect(try database.load().channelEntries == entries)
        database.forgetEntries(of: entries.dropLast().map(\.channel))
        database.flush()
        #expect(try database.load().channelEntries == [entries[600]])
        #expect(database.changes.lost == 0)
    }

    @Test("of too many codes of channels the one that was kept first goes")
    func manyCodes() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let countMax = StateLimits.channelCodesMax
        let codes = (0...countMax).map { number in
            // The least id is kept last.
            code(number, low: 1_000 - UInt64(number))
        }
        for code in codes.dropLast() + [codes[0], codes[countMax]] {
            database.remember(joined: [], with: .keep(code))
        }
        database.flush()
        #expect(database.changes.lost == 0)
        #expect(try database.load().channelCodes == codes[2..<countMax] + [codes[0], codes[countMax]])
    }

    @Test("the code of a joined channel stays, however many are kept after it")
    func codeOfJoinedChannel() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let countMax = StateLimits.channelCodesMax
        let codes = (0...countMax).map { code($0, low: UInt64($0)) }
        for code in codes { database.remember(joined: [channel("main"), channel("code:0")], with: .keep(code)) }
        database.flush()
        #expect(try database.load().channelCodes == [codes[0]] + codes[2...])
    }

    @Test("the code of a joined channel stays where the channel is written in another case, in any script")
    func codeOfChannelInOtherCase() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let countMax = StateLimits.channelCodesMax
        let own = [code("code:Küche", low: 1_000), code("code:сцена", low: 1_001)]
        let others = (0..<countMax).map { code($0, low: UInt64($0)) }
        let joined = [channel("code:KÜCHE"), channel("code:Сцена")]
        for code in own + others { database.remember(joined: joined, with: .keep(code)) }
        database.flush()
        #expect(try database.load().channelCodes == own + others[2...])
    }

    @Test("peers, preferences, channels and port outlive the node")
    func outlive() throws {
        let folder = TestFolder()
        let endpoints = try ["192.0.2.1:7400", "[2001:db8::1]:7401"].map { try #require(Endpoint($0)) }
        let peer = KnownPeer(node: node(1), name: SafeText("SM"), endpoints: endpoints, lastSeenUnixSeconds: 5)
        let preference = PeerPreference(
            node: node(1), gainDecibels: -6.5, isMuted: true, isBlocked: false, pan: -40, hasPriority: true)
        do {
            let database = try start(folder).database
            database.remember(peer)
            database.remember(preference)
            database.remember(joined: [channel("main"), channel("lights")])
            database.remember(joined: [channel("stage"), channel("main")])
            database.remember(port: 7402)
            database.remember(profile: ["nick": "FOH", "role": "sound"])
            database.remember(profile: ["role": ""])
            database.flush()
            #expect(database.changes.lost == 0 && database.changes.waiting == 0)
        }
        let remembered = try start(folder).database.load()
        #expect(remembered.peers == [peer])
        #expect(remembered.preferences == [preference])
        #expect(remembered.joinedChannels == [channel("stage"), channel("main")])
        #expect(remembered.port == 7402)
        #expect(remembered.profile == ["nick": "FOH", "role": ""])
    }

    private func channel(_ name: String) -> RememberedChannel {
        RememberedChannel(name: name, levelTenths: -60, ear: .left, listens: true, talks: false, isChosen: false)
    }

    @Test("a change that the disk refuses is lost, counted, and told with the reason; the next one is written")
    func refused() async throws {
        let folder = TestFolder()
        let database = try start(folder).database
        // SQLite cannot write its journal where a folder is.
        let journal = "\(folder.path)/partyline.sqlite-journal"
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        _ = database.changesOfPerson { database.remember(port: 7401) }
        #expect(await database.settle())
        #expect(database.changes.lost == 1 && database.changes.waiting == 0 && database.changes.lastLost?.number == 1)
        #expect(database.changes.lastLostOfPerson == database.changes.lastLost)
        try FileManager.default.removeItem(atPath: journal)
        #expect(database.changes.trouble != nil && database.changes.trouble == database.changes.lastLost?.why)
        database.remember(port: 7402)
        #expect(await database.settle())
        #expect(database.changes.lost == 1 && database.changes.written == 1 && database.changes.trouble == nil)
        #expect(try database.load().port == 7402)
    }

    @Test("changes that the disk refused are written when it takes them again, in order, and the trouble ends")
    func refusedForAWhile() async throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let journal = "\(folder.path)/partyline.sqlite-journal"
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        for port: UInt16 in 7401...7402 { database.remember(port: port) }
        database.remember(profile: ["nick": "FOH"])
        database.writeAgain()
        #expect(await database.settle())
        #expect(database.changes.lost == 3 && database.changes.waiting == 0 && database.changes.trouble != nil)
        try FileManager.default.removeItem(atPath: journal)
        database.writeAgain()
        #expect(await database.settle())
        #expect(database.changes.lost == 3 && database.changes.waiting == 0 && database.changes.trouble == nil)
        let kept = try database.load()
        #expect(kept.port == 7402 && kept.profile == ["nick": "FOH"])
    }

    @Test("changes that the disk refused until the node ended are not written over those of the next node")
    func refusedUntilTheEnd() throws {
        let folder = TestFolder()
        let former = try start(folder)
        let journal = "\(folder.path)/partyline.sqlite-journal"
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        former.database.remember(port: 7401)
        former.close()
        try FileManager.default.removeItem(atPath: journal)
        let next = try start(folder).database
        next.remember(port: 7402)
        next.flush()
        former.database.writeAgain()
        former.database.flush()
        #expect(try next.load().port == 7402)
    }

    @Test("known keys and the person's decisions about them outlive the node, and forgotten ones do not")
    func knownKeys() throws {
        let folder = TestFolder()
        var keys = KeyTrust.allCases.enumerated().map { index, trust in
            KnownKey(node: node(UInt64(index)), name: SafeText("N\(index)"), seenUnixSeconds: 9, trust: trust)
        }
        (keys[0].namedUnixSeconds, keys[0].firstSeenUnixSeconds) = (8, 7)
        keys[1].ownName = SafeText("own")
        do {
            let database = try start(folder).database
            #expect(database.isKept)
            for key in keys { database.remember(key) }
            database.forgetKey(of: node(3))
            database.flush()
            #expect(database.changes.lost == 0)
        }
        #expect(try start(folder).database.load().knownKeys == Array(keys.dropLast()))
    }

    @Test("of too many known keys those go about which the person has said nothing, whatever their ids")
    func manyKeys() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let strangerCount = UInt64(StateLimits.knownKeysMax + 20)
        let denied = KnownKey(
            node: node(strangerCount + 1), name: SafeText("pest"), seenUnixSeconds: 9, trust: .denied)
        database.remember(denied)
        for number in 1...strangerCount {
            database.remember(
                KnownKey(node: node(number), name: SafeText("n"), seenUnixSeconds: Int64(number), trust: .met))
            // Only so many changes may wait for the disk.
            if number % 100 == 0 { database.flush() }
        }
        database.flush()
        let keys = try database.load().knownKeys
        #expect(database.changes.lost == 0 && keys.count == StateLimits.knownKeysMax)
        #expect(keys.last == denied)
        #expect(keys.first?.node == node(22))
    }

    @Test("a forgotten peer is not dialled at the next start")
    func forgottenPeer() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        for number: UInt64 in [1, 2] {
            database.remember(
                KnownPeer(node: node(number), name: SafeText("N"), endpoints: [], lastSeenUnixSeconds: 1))
        }
        database.forgetPeer(node(1))
        database.flush()
        #expect(try database.load().peers.map(\.node) == [node(2)])
    }

    @Test("the last change of a peer is the one that is kept")
    func lastWins() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        for gain in [1.0, 2.0, 3.0] {
            database.remember(PeerPreference(node: node(1), gainDecibels: gain, isMuted: false, isBlocked: false))
        }
        database.flush()
        #expect(try database.load().preferences.map(\.gainDecibels) == [3])
    }

    @Test("above their bound the peers unseen for longest are forgotten")
    func bounded() throws {
        let folder = TestFolder()
        let database = try start(folder).database
        let count = StateLimits.knownPeersMax + 20
        for number in 1...count {
            database.remember(
                KnownPeer(
                    node: node(UInt64(number)), name: SafeText("n"), endpoints: [],
                    lastSeenUnixSeconds: Int64(number)))
            if number % 100 == 0 { database.flush() }
        }
        database.flush()
        let peers = try database.load().peers
        #expect(peers.count == StateLimits.knownPeersMax)
        #expect(peers.first?.lastSeenUnixSeconds == Int64(count))
        #expect(peers.last?.lastSeenUnixSeconds == 21)
    }

    @Test("a file that is no database is set aside and a new one is made", arguments: [0, 600, 4_096])
    func corrupt(count: Int) throws {
        let folder = TestFolder()
        do { _ = try start(folder) }
        let bytes = [UInt8](repeating: 0x5A, count: count)
        folder.write("partyline.sqlite", bytes)
        let state = try start(folder)
        // An empty file is an empty database to SQLite, and as good as a lost one.
        #expect(state.warnings == (count == 0 ? [] : [.databaseSetAside]))
        if 0 < count { #expect(folder.bytes("partyline.sqlite.damaged") == bytes) }
        state.database.remember(joined: [channel("again")])
        state.database.flush()
        #expect(try state.database.load().joinedChannels == [channel("again")])
    }

    @Test("a database with a broken page is set aside")
    func brokenPage() throws {
        let folder = TestFolder()
        do {
            let database = try start(folder).database
            for number in 1...200 {
                database.remember(
                    KnownPeer(
                        node: node(UInt64(number)), name: SafeText("name \(number)"), endpoints: [],
                        lastSeenUnixSeconds: 1))
            }
            database.flush()
        }
        var bytes = try #require(folder.bytes("partyline.sqlite"))
        // The root page of the largest table and all that follows it; the header stays whole.
        for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
        folder.write("partyline.sqlite", bytes)
        let state = try start(folder)
        #expect(state.warnings == [.databaseSetAside])
        #expect(try state.database.load().peers.isEmpty)
    }

    @Test("a database that opens and cannot be read is set aside, and does not pass for an empty one")
    func unreadableTable() throws {
        let folder = TestFolder()
        do {
            let database = try start(folder).database
            database.remember(joined: [channel("main")])
            database.flush()
        }
        // All pages are whole, but a table has another name.
        var bytes = Data(try #require(folder.bytes("partyline.sqlite")))
        while let name = bytes.range(of: Data("joined_channel".utf8)) {
            bytes.replaceSubrange(name, with: Data("joined_chunnel".utf8))
        }
        folder.write("partyline.sqlite", [UInt8](bytes))
        let state = try start(folder)
        #expect(state.warnings == [.databaseSetAside] && state.database.isKept)
        let kept = try #require(folder.bytes("partyline.sqlite.damaged"))
        #expect(Data(kept).range(of: Data("joined_chunnel".utf8)) != nil)
    }

    @Test("what the start has read stays if the file cannot be read any more, and does not pass for what is there now")
    func unreadableLater() throws {
        let folder = TestFolder()
        do {
            let database = try start(folder).database
            database.remember(joined: [channel("main")])
            database.flush()
        }
        let database = try start(folder).database
        let length = try #require(folder.bytes("partyline.sqlite")).count
        let file = try #require(FileHandle(forWritingAtPath: "\(folder.path)/partyline.sqlite"))
        try file.write(contentsOf: Data(repeating: 0xA5, count: length))
        try file.close()
        #expect(database.atOpening.joinedChannels == [channel("main")])
        #expect(throws: UnreadableDatabase.self) { try database.load() }
    }

    @Test("a folder in the database's place is no reason not to start")
    func folderInPlace() throws {
        let folder = TestFolder()
        do { _ = try start(folder) }
        folder.remove("partyline.sqlite")
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/partyline.sqlite", withIntermediateDirectories: false)
        let state = try start(folder)
        #expect(!state.isGuest)
        let why = "partyline.sqlite, or a file beside it, cannot be opened"
        #expect(state.warnings == [.databaseInMemory(why)] && state.database.fault == why)
        state.database.remember(port: 7500)
        state.database.flush()
        #expect(try state.database.load().port == 7500)
    }
}
