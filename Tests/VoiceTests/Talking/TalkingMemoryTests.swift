import Foundation
import Testing
import Voice

@Suite("memory and smallest blocks of the talking side")
struct TalkingMemoryTests {
    @Test("objects that are created and destroyed 1,200 times take no more memory than ten times")
    func memoryIsReturned() async {
        // In its own process, because other tests allocate memory meanwhile.
        await #expect(processExitsWith: .success) {
            /// Resident memory of this process, in KB.
            func resident() throws -> Int {
                let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return try #require(Int(words[1])) * 4
            }
            func make(times: Int) {
                for _ in 0..<times {
                    _ = EchoCanceller()
                    _ = EchoReference()
                    _ = VoiceEffects([])
                    _ = Reblocking(blockSamples: 960, periodSamplesMax: 960)
                }
            }
            make(times: 10)
            let before = try resident()
            make(times: 1_200)
            let grown = try resident() - before
            // The smallest allocation is 1 KB.
            precondition(grown < 700, "\(grown) KB")
        }
    }

    @Test("blocks of one sample pass unchanged in time, and empty blocks are a bug of the program")
    func smallestBlocks() async {
        var reblocking = Reblocking(blockSamples: 1, periodSamplesMax: 1)
        var (samples, befores): ([Float], [Int]) = ([5], [])
        samples.work {
            reblocking.process($0, count: $1) { block, before in
                befores.append(before)
                block[0] += 1
            }
        }
        let delay = reblocking.delaySamples
        #expect(samples == [6] && befores == [0] && delay == 0)
        await #expect(processExitsWith: .failure) { _ = Reblocking(blockSamples: 0, periodSamplesMax: 1) }
        await #expect(processExitsWith: .failure) { _ = Reblocking(blockSamples: 1, periodSamplesMax: 0) }
    }
}
