import Handover
import Synchronization
import Testing

@Suite("flags, numbers and locked values between threads")
struct SharedFlagTests {
    @Test("a flag and a number have the value that was written last")
    func newest() {
        let (flag, number) = (SharedFlag(), SharedNumber(7))
        #expect(!flag.isOn && number.value == 7)
        (flag.isOn, number.value) = (true, .max)
        #expect(flag.isOn && number.value == .max)
        flag.isOn = false
        #expect(!flag.isOn)
        #expect(SharedFlag(true).isOn)
    }

    @Test("two threads: a new number shows everything that was written before it")
    func order() {
        let (first, second) = (SharedNumber(), SharedNumber())
        let failures = Atomic<Int>(0)
        let total: UInt64 = 200_000
        onTwoThreads {
            for round in 1...total {
                first.value = round
                second.value = round
            }
        } and: {
            var seen: UInt64 = 0
            while seen < total {
                seen = second.value
                if first.value < seen { failures.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("two threads change one locked value, and no change is lost")
    func locked() {
        let value = LockedValue([0])
        onTwoThreads {
            for _ in 0..<1_000 { value.update { $0.append($0.count) } }
        } and: {
            for _ in 0..<1_000 { value.update { $0.append($0.count) } }
        }
        #expect(value.current == Array(0...2_000))
    }
}
