import Testing
import Voice

/// The same statistics to the last packet: packets 5 ms apart, each counted at its sending time.
@Suite("loss, counted exactly")
struct LossCountTests {
    private struct Way: ~Copyable {
        var loss = LossStatistics()
        deinit { loss.destroy() }

        mutating func add(_ numbers: some Sequence<Int64>, step: Int64 = 240, spurt: UInt8 = 1, at time: Int64 = 0) {
            for number in numbers {
                loss.countPacket(spurt: spurt, position: 5_000 + number * step, step: step, at: time)
            }
        }

        var lossPermille: UInt16 { loss.rates().lossPermille }
    }

    @Test("a packet counts as lost when 32 later ones were due, and not before")
    func settling() {
        var way = Way()
        way.add((0...36).filter { $0 != 5 })
        let before = way.lossPermille
        #expect(before == 0)
        way.add([37])
        // Of the packets 0 … 5.
        let after = way.lossPermille
        #expect(after == 166)
    }

    @Test(
        "a packet that is 31 packets late is in time, and one that is 32 late is lost",
        arguments: [(31, 0), (32, 9)] as [(Int64, UInt16)])
    func late(packets: Int64, permille: UInt16) {
        var way = Way()
        way.add((0...100 + packets).filter { $0 != 100 })
        way.add([100])
        way.add((101 + packets)...140)
        // Packets 0 … 108 are settled: 1 of 109 is lost.
        let lost = way.lossPermille
        #expect(lost == permille)
    }

    @Test(
        "a jump of up to 64 packets, or 160 ms of shorter ones, is a loss; a longer one starts a new sequence",
        arguments: [(240, 64), (120, 64), (60, 128), (3_840, 64)] as [(Int64, Int64)])
    func jump(step: Int64, far: Int64) {
        for jump in [far, far + 1] {
            var way = Way()
            way.add(0...200, step: step)
            way.add((200 + jump)...(300 + jump), step: step)
            way.add([0], spurt: 2)
            let lost = way.lossPermille
            #expect(lost == (jump == far ? UInt16((far - 1) * 1_000 / (301 + far)) : 0))
        }
    }

    @Test(
        "a packet up to 64 behind is ignored, and one further behind starts a new sequence",
        arguments: [(136, 0, 0), (135, 132, 310)] as [(Int64, UInt16, UInt16)])
    func behind(number: Int64, permille: UInt16, run: UInt16) {
        var way = Way()
        way.add(0...200)
        // In the new sequence 31 of these 33 are lost, besides the 201 that came.
        way.add([number, number + 32])
        way.add([0], spurt: 2)
        let rates = way.loss.rates()
        #expect(rates.lossPermille == permille && rates.lossRunTenths == run)
    }

    @Test("the end of a spurt settles the last 32 packets, once")
    func ending() {
        var way = Way()
        way.add((0...99).filter { $0 != 60 && $0 != 98 })
        way.add([0], spurt: 2)
        let rates = way.loss.rates()
        #expect(rates.lossPermille == 20 && rates.lossRunTenths == 10)
        way.add([0], spurt: 3)
        let one = way.lossPermille
        #expect(one == 2_000 / 101)
    }

    @Test("a packet between two steps counts as the later one", arguments: [1, 60, 239] as [Int64])
    func offStep(samples: Int64) {
        var way = Way()
        way.add(0...3)
        way.loss.countPacket(spurt: 1, position: 5_000 + 4 * 240 + samples, step: 240, at: 0)
        way.add([0], spurt: 2)
        // Packet 4 is missing, and packet 5 is there.
        let lost = way.lossPermille
        #expect(lost == 1_000 / 6)
    }

    @Test(
        "losses are rounded down to 1/1,000, and runs to a tenth",
        arguments: [
            ([], 3, 0, 0), ([1, 2], 3, 500, 20), ([1, 2, 3, 4], 5, 666, 40), ([1, 3], 4, 400, 10),
            ([1, 2, 4], 5, 500, 15), ([1, 2, 4, 6, 7], 8, 555, 16),
        ] as [([Int64], Int64, UInt16, UInt16)])
    func rounding(lost: [Int64], newest: Int64, permille: UInt16, run: UInt16) {
        var way = Way()
        way.add((0...newest).filter { !lost.contains($0) })
        way.add([0], spurt: 2)
        let rates = way.loss.rates()
        #expect(rates.lossPermille == permille && rates.lossRunTenths == run)
    }

    @Test(
        "late frames are rounded down to 1/1,000",
        arguments: [(0, 5, 0), (1, 2, 500), (2, 3, 666), (1, 1, 1_000)] as [(Int, Int, UInt16)])
    func lateRounding(late: Int, frames: Int, permille: UInt16) {
        var way = Way()
        for number in 0..<frames { way.loss.countFrame(isLate: number < late, at: 0) }
        let rate = way.loss.rates().latePermille
        #expect(rate == permille)
    }

    @Test(
        "the window of two seconds has eight buckets of 250 ms",
        arguments: [
            (0, 95_999, 500), (0, 96_000, 0), (11_999, 95_999, 500), (11_999, 96_000, 0),
            (12_000, 107_999, 500), (12_000, 108_000, 0),
        ] as [(Int64, Int64, UInt16)])
    func window(first: Int64, second: Int64, late: UInt16) {
        var loss = LossStatistics()
        defer { loss.destroy() }
        loss.countFrame(isLate: true, at: first)
        #expect(loss.rates().latePermille == 1_000)
        loss.countFrame(isLate: false, at: second)
        #expect(loss.rates().latePermille == late)
        // A frame that is older than the latest one counts with it.
        loss.countFrame(isLate: true, at: first)
        #expect(loss.rates().latePermille == (late == 0 ? 500 : 666))
    }

    @Test("a run that is longer than two seconds has no beginning in the window, and is one run")
    func longRun() {
        var loss = LossStatistics()
        defer { loss.destroy() }
        let step: Int64 = 3_840
        // Packets of 80 ms. Packets 40 … 79 are lost, and each is settled 32 packets later.
        for number in Int64(0)..<105 where !(40..<80).contains(number) {
            loss.countPacket(spurt: 1, position: number * step, step: step, at: number * step)
        }
        let rates = loss.rates()
        // At packet 104 the buckets hold what was settled since packet 82: 50 … 72, all lost.
        #expect(rates.lossPermille == 1_000 && rates.lossRunTenths == 230)
    }

    @Test("another talker in the slot starts without losses")
    func another() {
        var way = Way()
        way.add((0...40).filter { $0 < 2 || 30 < $0 })
        way.loss.removeAll()
        way.add([41], at: 0)
        way.add([42], spurt: 2)
        let rates = way.loss.rates()
        #expect(rates == (0, 0, 0))
    }
}
