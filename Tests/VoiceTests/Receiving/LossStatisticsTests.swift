import Testing
import Voice

@Suite("loss of packets, in what runs")
struct LossStatisticsTests {
    private static let step: Int64 = 240

    /// Packets by number that came; every packet is sent 5 ms after the one before.
    private func rates(
        came numbers: [Int64], spurt: UInt8 = 1, at time: (Int64) -> Int64 = { $0 * 240 }
    ) -> (loss: UInt16, run: UInt16, late: UInt16) {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in numbers {
            loss.countPacket(
                spurt: spurt, position: 1_000 + number * Self.step, step: Self.step, at: 1_000_000 + time(number))
        }
        let rates = loss.rates()
        return (rates.lossPermille, rates.lossRunTenths, rates.latePermille)
    }

    @Test("nothing heard is nothing lost")
    func empty() { #expect(rates(came: []) == (0, 0, 0)) }

    @Test("everything heard is nothing lost")
    func whole() { #expect(rates(came: Array(0..<200)) == (0, 0, 0)) }

    @Test(
        "losses are told with the length of their runs",
        arguments: [
            // Of each ten, the places that are lost; per mille; mean run in tenths.
            ([3], 100, 10), ([3, 4], 200, 20), ([2, 6], 200, 10), ([0, 1, 2, 3, 4], 500, 50),
        ] as [([Int64], UInt16, UInt16)])
    func runs(lost: [Int64], loss: UInt16, run: UInt16) {
        let rates = rates(came: (1..<332).filter { !lost.contains($0 % 10) || $0 < 10 })
        #expect(abs(Int(rates.loss) - Int(loss)) <= 40)
        #expect(abs(Int(rates.run) - Int(run)) <= 3)
    }

    @Test("a packet is lost only when 32 later ones were due: what comes out of order is not")
    func order() {
        var shuffled = Array(Int64(0)..<300)
        for index in stride(from: 0, to: 290, by: 30) { shuffled.swapAt(index + 1, index + 20) }
        #expect(rates(came: shuffled).loss == 0)

        var late = Array(Int64(0)..<300).filter { $0 != 100 }
        late.insert(100, at: 100 + 40)
        #expect(0 < rates(came: late).loss)
    }

    @Test("a copy changes nothing")
    func copies() { #expect(rates(came: (0..<200).flatMap { [$0, $0, max(0, $0 - 3)] }) == (0, 0, 0)) }

    @Test("a jump of more than 64 packets is a new line, not a loss")
    func jump() { #expect(rates(came: Array(0..<50) + Array(115..<165)) == (0, 0, 0)) }

    @Test("a new spurt counts what the one before still owed")
    func nextSpurt() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in [0, 1, 2, 5, 6] as [Int64] {
            loss.countPacket(spurt: 255, position: number * 240, step: 240, at: number * 240)
        }
        #expect(loss.rates().lossPermille == 0)
        // The spurt's number wraps.
        loss.countPacket(spurt: 0, position: 48_000, step: 240, at: 48_000)
        let rates = loss.rates()
        #expect(rates.lossPermille == 2_000 / 7 && rates.lossRunTenths == 20)
    }

    @Test("packets before the first of a spurt never were")
    func beforeTheFirst() { #expect(rates(came: [4, 2, 3, 0, 1] + Array(5..<100)) == (0, 0, 0)) }

    @Test("what lies more than two seconds back is forgotten")
    func forgets() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in Int64(0)..<200 where number % 2 == 0 {
            loss.countPacket(spurt: 1, position: number * 240, step: 240, at: number * 240)
        }
        #expect(400 < loss.rates().lossPermille)
        for number in Int64(200)..<800 {
            loss.countPacket(spurt: 1, position: number * 240, step: 240, at: number * 240)
        }
        #expect(loss.rates().lossPermille == 0)
        loss.countFrame(isLate: true, at: 800 * 240)
        loss.countFrame(isLate: false, at: 100_000_000_000)
        #expect(loss.rates().latePermille == 0)
    }

    @Test("late frames are a part of all frames, and another talker starts from nothing")
    func late() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in Int64(0)..<10 { loss.countFrame(isLate: number < 3, at: number * 240) }
        #expect(loss.rates().latePermille == 300)
        loss.removeAll()
        #expect(loss.rates().latePermille == 0)
    }

    @Test("packets of another length in the middle of a spurt are no losses, and those owed still count")
    func anotherLength() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in Int64(0)..<100 where number != 95 {
            loss.countPacket(spurt: 1, position: number * 240, step: 240, at: number * 240)
        }
        for number in Int64(0)..<300 {
            let position = 24_000 + number * 120
            loss.countPacket(spurt: 1, position: position, step: 120, at: position)
        }
        let rates = loss.rates()
        #expect(rates.lossPermille == 1_000 / 368 && rates.lossRunTenths == 10)
    }

    @Test("packets that bring two frames lie two frames apart", arguments: [1, 2, 4] as [Int64])
    func bundles(frames: Int64) {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in Int64(0)..<200 where number % 10 != 3 {
            loss.countPacket(
                spurt: 1, position: number * 240 * frames, step: 240 * frames, at: number * 10)
        }
        let rates = loss.rates()
        #expect(abs(Int(rates.lossPermille) - 100) <= 10 && rates.lossRunTenths == 10)
    }
}
