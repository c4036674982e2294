import MeshSimulator
import Testing

@Suite("Drawn options as flags")
struct SwarmSettingTests {
    @Test("every option that a seed draws can be given as it is shown")
    func roundTrip() throws {
        for seed in Array(1...60) + Array(200_001...200_060) as [UInt64] {
            let options = SwarmOptions(seed: seed, nodeCount: nil)
            var copy = SwarmOptions(seed: 1_000 + seed, nodeCount: options.nodeCount)
            copy.seed = seed
            for setting in SwarmSetting.all { try setting.set(setting.text(in: options), in: &copy) }
            #expect(copy == options)
        }
    }

    @Test(
        "an invalid value of an option is refused with an explanation",
        arguments: [
            ("loss", "1001"), ("loss", "-1"), ("loss", "5%"), ("delay-min", "fast"), ("bursts", "5s"),
            ("bursts", "0s/1s@5"), ("beacon", "yes"), ("directory-delay", "2s..1s"), ("faults", "kill,dance"),
            ("faults", ""), ("talkers", "-1"), ("lost", "9"), ("lost", "x"), ("queue", "1ms"), ("queue", "1msx0"),
            ("severed", "1"), ("severed", "1-1"), ("severed", "0-4"), ("worse", "1"), ("worse", "4:1/1"),
            ("worse", "1:1/1001"), ("hostile", "dance"), ("duplicate-identity", "yes"), ("tight", "dance"),
            ("voice", "loud"), ("rest", "long"),
        ])
    func refused(name: String, text: String) throws {
        let setting = try #require(SwarmSetting.named(name))
        var options = SwarmOptions(seed: 1, nodeCount: 4)
        let error = #expect(throws: SettingError.self) { try setting.set(text, in: &options) }
        #expect(error?.description.hasPrefix("--\(name) \(text): expected ") == true)
        #expect(options == SwarmOptions(seed: 1, nodeCount: 4))
    }

    @Test("each name is used once")
    func names() {
        #expect(Set(SwarmSetting.all.map(\.name)).count == SwarmSetting.all.count)
    }
}
