import CFailingDisk
import Foundation
import Primitives
import StateStore
import Testing

/// Lives that end at every operation of the database, while all that a person decides changes.
@Suite("The database after a crash at any point", .serialized)
struct DatabaseCrashTests {
    enum Loss: CaseIterable, Sendable {
        /// The process is killed: the system writes what was not synced.
        case nothing
        case unsynced
    }

    private typealias Change = (StateDatabase) -> Void

    /// Decisions about keys, channels and their codes, as verbs make them.
    private static var changes: [Change] {
        let key = { (number: UInt64, trust: KeyTrust) in
            KnownKey(
                node: NodeID(words: (number, 0, 0, 1)), name: SafeText("LX"), seenUnixSeconds: 1, trust: trust)
        }
        let code = { (number: UInt64, byte: UInt8) in
            RememberedCode(
                channel: ChannelID(high: 1, low: number, hasCode: true), name: "code:\(number)",
                codeKey: [UInt8](repeating: byte, count: 32))
        }
        let joined = { (names: [String]) in
            names.map { name in
                RememberedChannel(
                    name: name, levelTenths: -60, ear: .left, listens: true, talks: true, isChosen: false)
            }
        }
        let blocked = { (isBlocked: Bool) in
            PeerPreference(
                node: NodeID(words: (1, 0, 0, 1)), gainDecibels: 0, isMuted: false, isBlocked: isBlocked)
        }
        return [
            { $0.remember(key(1, .trusted)) }, { $0.remember(key(2, .denied)) }, { $0.remember(blocked(true)) },
            { $0.remember(joined: joined(["main", "code:1"]), with: .keep(code(1, 1))) },
            { $0.remember(key(1, .verified)) },
            { $0.remember(joined: joined(["main", "code:1"]), with: .keep(code(1, 2))) },
            { $0.remember(blocked(false)) },
            { $0.remember(entry: [UInt8](repeating: 7, count: 300), of: ChannelID(high: 2, low: 1)) },
            { $0.remember(joined: joined(["main"]), with: .forget(ChannelID(high: 1, low: 1, hasCode: true))) },
            { $0.forgetKey(of: NodeID(words: (2, 0, 0, 1))) },
        ]
    }

    private func start(_ folder: TestFolder) throws -> NodeState {
        try NodeState(folder: folder.path, unixSeconds: 1) { [UInt8](repeating: 7, count: 32) }
    }

    /// Makes the changes one after the other, each awaited. Returns how many were on the disk, by the word of the
    /// database.
    private func life(
        in folder: TestFolder, dyingAfter operations: Int, noting: (StateDatabase) throws -> Void = { _ in }
    ) throws -> Int {
        let state = try start(folder)
        defer { state.close() }
        failing_disk_watch(folder.path, operations)
        var keptCount = 0
        for change in Self.changes {
            change(state.database)
            state.database.flush()
            if state.database.changes.lost == 0 { keptCount += 1 }
            try noting(state.database)
        }
        return keptCount
    }

    @Test("a change that a person has ordered is kept although changes that peers cause fill all places")
    func placesOfPerson() throws {
        failing_disk_install()
        let folder = TestFolder()
        let state = try start(folder)
        defer { state.close() }
        failing_disk_watch(folder.path, .max)
        failing_disk_hang()
        for number in 1...StateLimits.changesWaitingMax + 1 {
            let node = NodeID(words: (number, 0, 0, 1))
            state.database.remember(KnownPeer(node: node, name: SafeText("N"), endpoints: [], lastSeenUnixSeconds: 1))
        }
        let none = state.database.changesOfPerson {}.first
        let first = state.database.changesOfPerson { state.database.remember(port: 7_500) }.first
        state.database.remember(port: 7_501)
        failing_disk_answer()
        state.database.flush()
        failing_disk_watch("", 0)
        #expect(none == nil && first == StateLimits.changesWaitingMax + 2)
        #expect(try state.database.load().port == 7_500)
        #expect(state.database.changes.lastLost?.number == StateLimits.changesWaitingMax + 3)
        #expect(state.database.changes.lost == 2 && state.database.changes.lastLostOfPerson == nil)
    }

    @Test(
        "each acknowledged change is there, and the next one whole or not at all",
        arguments: Loss.allCases)
    func everyPoint(loss: Loss) throws {
        failing_disk_install()
        let whole = TestFolder()
        var states = try [start(whole)].map { state in
            defer { state.close() }
            return try state.database.load()
        }
        let all = try life(in: whole, dyingAfter: .max) { states.append(try $0.load()) }
        #expect(all == Self.changes.count && Set(states).count == states.count)
        let pointCount = failing_disk_operations()
        #expect(60 < pointCount)
        let fresh = TestFolder()
        try start(fresh).close()
        // The last disk dies when all is done.
        for point in 0...pointCount {
            let folder = TestFolder()
            try FileManager.default.copyItem(atPath: fresh.path, toPath: folder.path)
            let keptCount = try life(in: folder, dyingAfter: point)
            #expect(keptCount <= all)
            if loss == .unsynced { failing_disk_lose_power() } else { failing_disk_watch("", 0) }
            let after = try start(folder)
            let found = try after.database.load()
            #expect(after.warnings.isEmpty, "death after \(point) operations")
            #expect(states[keptCount...].prefix(2).contains(found), "death after \(point) operations")
            after.close()
        }
    }
}
