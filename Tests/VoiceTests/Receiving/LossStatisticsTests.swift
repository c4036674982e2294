import Testing
import Voice

@Suite("packet loss and its runs")
struct LossStatisticsTests {
    private static let step: Int64 = 240

    /// The rates after packets with these numbers. Packets are sent 5 ms apart.
    private func rates(came numbers: [Int64]) -> (loss: UInt16, run: UInt16, late: UInt16) {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in numbers {
            loss.countPacket(
                spurt: 1, position: 1_000 + number * Self.step, step: Self.step, at: 1_000_000 + number * Self.step)
        }
        let rates = loss.rates()
        return (rates.lossPermille, rates.lossRunTenths, rates.latePermille)
    }

    @Test("without packets there is no loss")
    func empty() { #expect(rates(came: []) == (0, 0, 0)) }

    @Test("without gaps there is no loss")
    func whole() { #expect(rates(came: Array(0..<200)) == (0, 0, 0)) }

    @Test(
        "losses are reported with the mean length of their runs",
        arguments: [
            // The lost places in each ten; per mille; mean run in tenths.
            ([3], 100, 10), ([3, 4], 200, 20), ([2, 6], 200, 10), ([0, 1, 2, 3, 4], 500, 50),
        ] as [([Int64], UInt16, UInt16)])
    func runs(lost: [Int64], loss: UInt16, run: UInt16) {
        let rates = rates(came: (1..<332).filter { !lost.contains($0 % 10) || $0 < 10 })
        #expect(abs(Int(rates.loss) - Int(loss)) <= 40)
        #expect(abs(Int(rates.run) - Int(run)) <= 3)
    }

    @Test("a copy changes nothing")
    func copies() { #expect(rates(came: (0..<200).flatMap { [$0, $0, max(0, $0 - 3)] }) == (0, 0, 0)) }

    @Test("a new spurt counts the losses of the one before that were not settled")
    func nextSpurt() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in [0, 1, 2, 5, 6] as [Int64] {
            loss.countPacket(spurt: 255, position: number * 240, step: 240, at: number * 240)
        }
        #expect(loss.rates().lossPermille == 0)
        // The spurt number wraps.
        loss.countPacket(spurt: 0, position: 48_000, step: 240, at: 48_000)
        let rates = loss.rates()
        #expect(rates.lossPermille == 2_000 / 7 && rates.lossRunTenths == 20)
    }

    @Test("packets that come before the first of a spurt in sending order do not count as lost")
    func beforeTheFirst() { #expect(rates(came: [4, 2, 3, 0, 1] + Array(5..<100)) == (0, 0, 0)) }

    @Test("packets of more than two seconds ago are forgotten")
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

    @Test("two seconds after a talker has fallen silent, nothing is lost or late any more")
    func silence() {
        var conversation = Conversation()
        conversation.spurts = [0..<3_000]
        conversation.network = { number, _ in number % 10 == 3 ? nil : 200_000 }
        conversation.lengthMilliseconds = 3_000
        let talking = conversation.run(seed: 1).statistics
        #expect(50 < talking.lossPermille && talking.lossRunTenths == 10)
        conversation.lengthMilliseconds = 6_000
        let silent = conversation.run(seed: 1).statistics
        #expect((silent.lossPermille, silent.lossRunTenths, silent.latePermille) == (0, 0, 0))
    }

    @Test("late frames count as a share of all frames, and another talker starts at zero")
    func late() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        for number in Int64(0)..<10 { loss.countFrame(isLate: number < 3, at: number * 240) }
        #expect(loss.rates().latePermille == 300)
        loss.removeAll()
        #expect(loss.rates().latePermille == 0)
    }

    @Test("packets of another length within a spurt are no losses, and unsettled losses still count")
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

    @Test("packets with several frames lie that many frames apart", arguments: [1, 2, 4] as [Int64])
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
