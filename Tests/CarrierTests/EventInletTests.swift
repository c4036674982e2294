import Carrier
import Foundation
import NIOCore
import NIOPosix
import Primitives
import Synchronization
import Testing

@Suite("events for the node's loop", .timeLimit(.minutes(1)))
struct EventInletTests {
    private static let carrier = CarrierID(number: 7)

    private struct Log: Sendable {
        var frames: [[UInt8]] = []
        /// After how many frames each hop was told to be taken, and the loop was asked what else it has.
        var taken: [Int] = []
        var looks: [Int] = []
    }

    /// Twenty frames, each of which keeps the loop for `work`, beside a timer that stands for a socket. They come in
    /// hops of `hopFrames`, each a task of its own where `areTasks`.
    private func play(
        work: Interval, hopFrames: Int = 10, areTasks: Bool = false,
        split: @escaping @Sendable ([UInt8]) -> [[UInt8]] = { [$0] }
    ) async throws -> Log {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let log = Mutex(Log())
        let done = loop.makePromise(of: Void.self)
        let taken = loop.submit {
            let inlet = EventInlet(loop: loop, limits: .standard, split: split) { event in
                guard case .frame(_, let frame) = event else {
                    Issue.record("\(event)")
                    return
                }
                let end = NIODeadline.now() + .nanoseconds(work.nanoseconds)
                while .now() < end {}
                log.withLock { $0.frames.append(frame) }
            }
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(10)) { _ in
                log.withLock { if $0.looks.last != $0.frames.count { $0.looks.append($0.frames.count) } }
            }
            for hop in 0..<(20 / hopFrames) {
                let numbers = hop * hopFrames..<(hop + 1) * hopFrames
                let take: @Sendable () -> Void = {
                    inlet.take(numbers.map { .frame(Self.carrier, [UInt8($0)]) }) {
                        log.withLock { $0.taken.append($0.frames.count) }
                        if numbers.upperBound == 20 { done.succeed() }
                    }
                }
                if areTasks { loop.execute(take) } else { take() }
            }
        }
        try await taken.flatMap { done.futureResult }.get()
        try await group.shutdownGracefully()
        return log.withLock { $0 }
    }

    @Test("in order, each hop told when all of it is there")
    func order() async throws {
        let log = try await play(work: .zero)
        #expect(log.frames == (0..<20).map { [UInt8($0)] })
        #expect(log.taken == [10, 20])
    }

    @Test("events that take long let the loop look elsewhere after each")
    func pauses() async throws {
        let log = try await play(work: .microseconds(300))
        #expect(log.frames == (0..<20).map { [UInt8($0)] } && log.taken == [10, 20])
        // A look may miss its turn on a busy machine; without pauses there would be two.
        #expect(10 <= log.looks.count, "\(log.looks)")
    }

    @Test("hops that come one after another, each short, let the loop look elsewhere too")
    func shortHops() async throws {
        let log = try await play(work: .microseconds(60), hopFrames: 1, areTasks: true)
        #expect(log.frames == (0..<20).map { [UInt8($0)] } && log.taken == Array(1...20))
        // As above.
        #expect(4 <= log.looks.count, "\(log.looks)")
    }

    @Test("a frame that is taken apart is handed on in its pieces, in its place")
    func pieces() async throws {
        let log = try await play(work: .zero) { $0 == [3] ? [[3, 1], [3, 2]] : [$0] }
        #expect(log.frames[2...5] == [[2], [3, 1], [3, 2], [4]])
        #expect(log.taken == [11, 21])
    }

    @Test("what was handed on is freed, although more comes before all of it is")
    func freed() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let flood = Mutex(Flood())
        let done = loop.makePromise(of: Void.self)
        let started = loop.submit {
            // A turn is over after each frame, so that the next hop always finds the last one waiting.
            var limits = CarrierLimits()
            limits.turnMax = .zero
            let inlet = EventInlet(loop: loop, limits: limits, split: { [$0] }) { _ in
                flood.withLock { flood in
                    flood.handed += 1
                    if flood.handed == 100 || flood.handed == 2_100 { flood.memory.append(residentBytes()) }
                }
            }
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(10)) { task in
                // Never more than a few wait, and never none.
                while flood.withLock({ $0.given < 2_200 && $0.given - $0.handed < 4 }) {
                    flood.withLock { $0.given += 1 }
                    inlet.take([.frame(Self.carrier, [UInt8](repeating: 1, count: Flood.frameBytes))]) {}
                }
                guard flood.withLock({ $0.handed == 2_200 }) else { return }
                task.cancel()
                done.succeed()
            }
        }
        try await started.flatMap { _ in done.futureResult }.get()
        try await group.shutdownGracefully()
        let memory = flood.withLock { $0.memory }
        #expect(memory[1] - memory[0] < 2_000 * Flood.frameBytes / 10, "grew by \(memory[1] - memory[0]) bytes")
    }

    private struct Flood: Sendable {
        static let frameBytes = 50_000
        var (given, handed) = (0, 0)
        /// Of the process, after 100 frames and after 2,100.
        var memory: [Int] = []
    }
}

/// Memory of this process that lies in RAM (proc(5), statm).
private func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let fields = text.split(separator: " ")
    return fields.count < 2 ? 0 : (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
