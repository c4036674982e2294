import AudioIO
import Handover
import Testing

@Suite("the feed of the second output")
struct SecondFeedTests {
    @Test("left and right lose the same samples in an overflow, also if one ring has got room before the other")
    func overflow() {
        let (leftRing, rightRing) = (SampleRing(capacity: 64), SampleRing(capacity: 64))
        let feed = SecondFeed(left: leftRing.takeProducer(), right: rightRing.takeProducer())
        let left = leftRing.takeConsumer()
        let right = rightRing.takeConsumer()
        let samples = (0..<60).map(Float.init)
        feed.push(samples, samples, count: 60)
        var (heardLeft, heardRight) = ([Float](repeating: -1, count: 64), [Float](repeating: -1, count: 64))
        right.take(into: &heardRight, count: 30)
        feed.push(samples, samples, count: 20)
        left.take(into: &heardLeft, count: 30)
        #expect(left.count == 34 && right.count == 34)
        left.take(into: &heardLeft, count: 34)
        right.take(into: &heardRight, count: 34)
        #expect(heardLeft == heardRight)
    }
}
