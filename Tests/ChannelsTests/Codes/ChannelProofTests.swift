import Channels
import Primitives
import Testing
import Trust
import Wire

/// What happens to a proof in each of its states. A member without the code plays the peer.
@Suite("states of a proof of a channel's code")
struct ChannelProofTests {
    enum State: CaseIterable {
        case rests, waits, begins, waitsForAnswer, confirms, answers, waitsForConfirmation, proved, hasNot
    }

    enum Event: CaseIterable {
        /// Steps of the peer; the second and the third do not fit the code.
        case start, answer, confirm
        case peerDown, timeout
    }

    enum Outcome {
        case nothing
        /// The step is counted as one that belongs to no run, or as a run that has crossed one of this node.
        case unexpected, crosses
        /// The slow work of the next step begins.
        case answers, confirms
        case fails
        /// The run is lost, and another one begins.
        case beginsAgain
    }

    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let wrongAnswer = JoinStep.answer(share: zeros, tag: zeros + zeros)
    private static let peersRun: UInt32 = 100

    private func start() -> JoinStep {
        .start(share: TransparentCode().element(ofUniform: [UInt8](repeating: 3, count: CodeSizes.uniformBytes)))
    }

    /// The channel pointer is the same in each bench.
    private func channelPointer() -> [UInt8] {
        let bench = CodeBench()
        bench.link()
        bench.hold(1, at: 0)
        return bench.sent.first?.join.channelPointer ?? []
    }

    /// Brings a node into a state.
    private func bench(_ state: State, of node: (CodeBench) -> Int) -> CodeBench {
        let bench = CodeBench()
        let (node, channelPointer) = (node(bench), channelPointer())
        func inject(_ run: UInt32, _ step: JoinStep) {
            bench.inject(ChannelJoin(channelPointer: channelPointer, run: run, step: step), from: 1 - node, to: node)
        }
        bench.drops = { _ in state != .proved }
        if state == .proved { bench.hold(1, at: 1 - node) }
        switch state {
        case .begins, .waitsForAnswer, .confirms, .hasNot:
            bench.link()
            bench.leavesWork = state == .begins
            bench.hold(1, at: node)
            bench.leavesWork = state == .confirms
            if state == .confirms || state == .hasNot { inject(1, Self.wrongAnswer) }
        case .rests, .waits, .answers, .waitsForConfirmation, .proved:
            bench.hold(1, at: node)
            bench.link()
            bench.leavesWork = state == .answers
            if state == .answers || state == .waitsForConfirmation { inject(Self.peersRun, start()) }
            if state == .rests { bench.input(node, .peerDown(CodeBench.slot(1 - node))) }
            if state == .proved { bench.run(for: .seconds(3)) }
        }
        bench.leavesWork = true
        bench.drops = { _ in true }
        return bench
    }

    /// Lets something happen to a node, and returns what became of it.
    private func outcome(of event: Event, at node: Int, _ bench: CodeBench) -> Outcome {
        let before = bench.nodes[node].counters
        let works = bench.works.count
        let steps: [Event: (UInt32, JoinStep)] = [
            .start: (Self.peersRun + 1, start()), .answer: (1, Self.wrongAnswer),
            .confirm: (Self.peersRun, .confirm(tag: Self.zeros + Self.zeros)),
        ]
        switch event {
        case .start, .answer, .confirm:
            guard let (run, step) = steps[event] else { break }
            bench.inject(ChannelJoin(channelPointer: channelPointer(), run: run, step: step), from: 1 - node, to: node)
        case .peerDown: bench.input(node, .peerDown(CodeBench.slot(1 - node)))
        case .timeout: bench.run(for: ChannelCodeLimits.stepWait)
        }
        let after = bench.nodes[node].counters
        func rises(_ counter: ChannelCodeCounter) -> Bool { before[counter] < after[counter] }
        if rises(.channelJoinsUnexpected) { return .unexpected }
        if rises(.channelJoinsCrossed) { return .crosses }
        if rises(.channelProofsFailed) { return .fails }
        if rises(.channelProofsLost) { return .beginsAgain }
        switch bench.works.dropFirst(works).last(where: { $0.of == node })?.work {
        case .answer: return .answers
        case .confirm: return .confirms
        case .begin, nil: return .nothing
        }
    }

    private static let outcomes: [State: [Outcome]] = [
        .rests: [.unexpected, .unexpected, .unexpected, .nothing, .nothing],
        .waits: [.answers, .unexpected, .unexpected, .nothing, .nothing],
        .begins: [.crosses, .unexpected, .unexpected, .nothing, .beginsAgain],
        .waitsForAnswer: [.crosses, .confirms, .unexpected, .nothing, .beginsAgain],
        .confirms: [.answers, .unexpected, .unexpected, .nothing, .beginsAgain],
        .answers: [.answers, .unexpected, .unexpected, .nothing, .fails],
        .waitsForConfirmation: [.answers, .unexpected, .fails, .nothing, .fails],
        .proved: [.answers, .unexpected, .unexpected, .nothing, .nothing],
        .hasNot: [.answers, .unexpected, .unexpected, .nothing, .nothing],
    ]

    @Test("each event in each state, at the node with the greater id", arguments: State.allCases)
    func greater(_ state: State) throws {
        for (event, expected) in zip(Event.allCases, try #require(Self.outcomes[state])) {
            let bench = bench(state, of: \.greater)
            #expect(outcome(of: event, at: bench.greater, bench) == expected, "\(event)")
        }
    }

    @Test("the node with the lesser id answers the run of the other one although it has begun one")
    func lesser() throws {
        for state in State.allCases {
            for (event, atGreater) in zip(Event.allCases, try #require(Self.outcomes[state])) {
                let isCrossed = event == .start && (state == .begins || state == .waitsForAnswer)
                let bench = bench(state, of: \.lesser)
                let found = outcome(of: event, at: bench.lesser, bench)
                #expect(found == (isCrossed ? .answers : atGreater), "\(event) in \(state)")
            }
        }
    }
}
