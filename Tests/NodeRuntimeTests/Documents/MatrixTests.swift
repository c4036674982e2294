import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("who hears whom")
struct MatrixTests {
    private let nodes = (1...3).map { NodeID(words: ($0, 0, 0, 1)) }

    private func entry(_ peer: Int, _ path: PathKind, loss lossClass: UInt8, rtt rttClass: UInt8 = 0) -> AdvertisedLink
    {
        AdvertisedLink(
            peer: nodes[peer], instance: Instance(exactly: 1)!, path: path, rttClass: rttClass, lossClass: lossClass)
    }

    private func row(_ node: Int, _ entries: [AdvertisedLink]) -> AdvertisedLinks {
        AdvertisedLinks(node: nodes[node], name: SafeText("N\(node)"), entries: entries)
    }

    @Test("each path has its word, and an empty list of links counts as unknown and not as missing links")
    func words() {
        let rows = [
            row(0, [entry(1, .relay, loss: 0)]), row(1, [entry(0, .carrier, loss: 0), entry(2, .direct, loss: 0)]),
            row(2, []),
        ]
        let matrix = StatusDocument.Matrix(rows, saidBy: nodes[0])
        #expect(
            matrix.rows.map { $0.map(\.path) } == [
                ["self", "via", "none"], ["carrier", "self", "direct"], ["unknown", "unknown", "self"],
            ])
        #expect(StatusDocument.Matrix([row(0, []), row(1, [])], saidBy: nodes[0]).rows[0][1].path == "none")
    }

    @Test("the worst link shows the most loss", arguments: zip([UInt8](0...6), [0, 0.1, 1, 5, 10, 20, nil]))
    func loss(lossClass: UInt8, percent: Double?) {
        let rows = [row(0, [entry(1, .direct, loss: lossClass, rtt: 15)]), row(1, [])]
        let cell = StatusDocument.Matrix(rows, saidBy: nodes[0]).rows[0][1]
        #expect(cell.lossPct == percent)
        #expect(cell.rttMs == nil)
    }
}
