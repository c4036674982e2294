import Testing
import Voice

#if os(Linux)
import Glibc

/// In its own process, in which nothing else allocates.
@Suite("the receiver's memory")
struct ReceiverMemoryTests {
    @Test("a receiver releases its memory")
    func released() async {
        await #expect(processExitsWith: .success) {
            /// All mapped pages of the process.
            func pages() -> Int {
                guard let file = fopen("/proc/self/statm", "r") else { return 0 }
                defer { fclose(file) }
                var text = [CChar](repeating: 0, count: 64)
                guard fgets(&text, 63, file) != nil else { return 0 }
                return Int(strtol(text, nil, 10))
            }
            func make(_ count: Int) {
                for _ in 0..<count { _ = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1) }
            }
            // Allocations that happen once happen now.
            make(4)
            let before = pages()
            make(16)
            let after = pages()
            // One receiver alone has more than this. The system's own share may move a little.
            if before == 0 || before + 64 < after {
                print("\(before) pages, then \(after)")
                exit(1)
            }
        }
    }

    @Test("a receiver has at least one channel")
    func noChannel() async {
        await #expect(processExitsWith: .failure) {
            _ = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 0)
        }
        await #expect(processExitsWith: .failure) {
            var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
            receiver.outputChannels = 0
        }
    }
}
#endif
