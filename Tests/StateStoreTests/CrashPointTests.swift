import Glibc
import Primitives
import StateStore
import Testing

/// Starts that end at every possible operation, on a disk that keeps more or less of them.
@Suite("State after a crash at any point")
struct CrashPointTests {
    private static let firstKey = [UInt8](repeating: 7, count: 32)

    private func open(_ files: CrashingFileSystem, key: UInt8 = 7) -> StateOpening.Outcome {
        StateOpening.open(folder: "/s", files: files, unixSeconds: 1_800_000_000) {
            [UInt8](repeating: key, count: 32)
        }
    }

    @Test("an instance that was used is never used again", arguments: CrashingFileSystem.Loss.allCases)
    func neverUsedTwice(loss: CrashingFileSystem.Loss) {
        let measure = CrashingFileSystem()
        for _ in 0..<3 { _ = open(measure) }
        var crashes = 0
        for point in 0...measure.operations {
            let files = CrashingFileSystem()
            files.fail(after: point)
            var highestUsed: UInt64 = 0
            for _ in 0..<3 {
                let outcome = open(files)
                // A guest did not use the identity, so its instance does not count.
                if !outcome.isGuest { highestUsed = max(highestUsed, outcome.instance.number) }
            }
            files.crash(loss)
            let after = open(files)
            #expect(!after.isGuest)
            #expect(highestUsed < after.instance.number, "crash after \(point) operations")
            crashes += 1
        }
        #expect(20 < crashes)
    }

    @Test("an identity that was used is never lost", arguments: CrashingFileSystem.Loss.allCases)
    func identityStays(loss: CrashingFileSystem.Loss) {
        let measure = CrashingFileSystem()
        for _ in 0..<2 { _ = open(measure) }
        for point in 0...measure.operations {
            let files = CrashingFileSystem()
            files.fail(after: point)
            let outcomes = [open(files), open(files)]
            files.crash(loss)
            let after = open(files, key: 9)
            if outcomes.contains(where: { !$0.isGuest }) {
                #expect(after.key == Self.firstKey, "crash after \(point) operations")
                #expect(!after.warnings.contains(.identityWasDamaged))
            }
        }
    }

    @Test("a file that the disk does not take whole is named")
    func namedFile() {
        for (point, operation) in [(0, "create"), (1, "write"), (2, "write"), (3, "sync")] {
            let files = CrashingFileSystem()
            files.fail(after: point, errorNumber: ENOSPC)
            #expect(throws: StateFileError(operation, "/s/new", ENOSPC)) { try files.writeNew("/s/new", [1, 2]) }
        }
    }

    @Test("a full disk at any point makes a guest that says so, and the next start is whole")
    func fullDisk() {
        let measure = CrashingFileSystem()
        _ = open(measure)
        for point in 0..<measure.operations {
            let files = CrashingFileSystem()
            files.fail(after: point, errorNumber: ENOSPC)
            let outcome = open(files)
            #expect(outcome.isGuest)
            guard case .guest(let error)? = outcome.warnings.first else {
                Issue.record("no warning after \(point) operations")
                continue
            }
            #expect(error.errorNumber == ENOSPC)
            files.fail(after: .max)
            #expect(!open(files).isGuest)
        }
    }

    @Test(
        "a raise that a crash cuts short leaves the old count or the new one",
        arguments: CrashingFileSystem.Loss.allCases)
    func advanceCutShort(loss: CrashingFileSystem.Loss) throws {
        for point in 0...14 {
            let files = CrashingFileSystem()
            let first = open(files)
            files.crash(.unsyncedIsKept)
            files.fail(after: point)
            let target = try #require(Instance(exactly: 500))
            let isRaised = (try? InstanceCounter(folder: "/s", files: files).write(target)) != nil
            files.crash(loss)
            let next = open(files).instance.number
            #expect(isRaised ? next == 501 : next == first.instance.number + 1 || next == 501)
        }
    }
}
