import Primitives
import Trust
import Wire

/// One run of JOIN on a carrier: the dialler and the acceptor find out whether they have one code.
///
///     dialler   begins ──► waitsForAnswer ──► confirms ──────────────► both have one code
///                  START │        ▲ ANSWER        │ CONFIRM                    ▲
///     acceptor  waitsForStart ──► answers ──► waitsForConfirmation ────────────┘
///
/// In `begins`, `answers` and `confirms` the shell works on a task.
struct JoinRun: Sendable {
    private enum Progress {
        case begins
        case waitsForAnswer(CodeShare)
        case confirms
        case waitsForStart
        case answers
        case waitsForConfirmation(tag: [UInt8])
    }

    /// How this run of JOIN goes on after a frame of the peer, or after the result of a task of the shell.
    enum Outcome {
        case goesOn([AdmissionDirective])
        /// Both have one code. The directives are carried out first.
        case succeeds([AdmissionDirective])
        case codesDiffer
        /// The peer broke the protocol.
        case isBroken
    }

    /// Whether this side is the newcomer.
    let isNewcomer: Bool
    let kind: CodeKind
    private let exchange: CodeExchange
    private var progress: Progress

    /// - Parameter side: this node's.
    init(
        _ ends: CarrierEnds, _ side: CarrierSide, isNewcomer: Bool, _ kind: CodeKind, codeKey: [UInt8],
        with sealing: any Sealing
    ) {
        self.isNewcomer = isNewcomer
        self.kind = kind
        let run = CodeRun(on: ends, newcomer: isNewcomer ? side : side.other, by: kind, with: sealing)
        exchange = CodeExchange(run, codeKey: codeKey)
        progress =
            switch side {
            case .dialler: .begins
            case .acceptor: .waitsForStart
            }
    }

    /// Returns the task with which the dialler begins. The acceptor waits.
    func firstDirectives(with sealing: any Sealing) -> [AdmissionDirective] {
        guard case .begins = progress else { return [] }
        return [.work(.begin(exchange, uniform: sealing.randomBytes(count: CodeSizes.uniformBytes)))]
    }

    /// Whether the code of this run has this key.
    func isOf(codeKey: [UInt8]?) -> Bool { exchange.isOf(codeKey: codeKey) }

    /// Whether this side, as the acceptor, has sent its tag in ANSWER. By this tag the peer finds out whether both
    /// sides have one code.
    var isJudged: Bool { if case .waitsForConfirmation = progress { true } else { false } }

    /// Whether this side compares codes, or waits for its turn to do so: the acceptor from START on.
    var hasBegun: Bool { if case .waitsForStart = progress { false } else { true } }

    /// Whether a step of the peer may come now.
    var awaitsStep: Bool {
        switch progress {
        case .begins, .confirms, .answers: false
        case .waitsForAnswer, .waitsForStart, .waitsForConfirmation: true
        }
    }

    mutating func receive(_ step: JoinStep, with sealing: any Sealing) -> Outcome {
        switch (progress, step) {
        case (.waitsForStart, .start(let share)):
            progress = .answers
            let uniform = sealing.randomBytes(count: CodeSizes.uniformBytes)
            return .goesOn([.work(.answer(exchange, uniform: uniform, peerShare: share))])
        case (.waitsForAnswer(let own), .answer(let share, let tag)):
            progress = .confirms
            return .goesOn([.work(.confirm(exchange, own, peerShare: share, peerTag: tag))])
        case (.waitsForConfirmation(let awaited), .confirm(let tag)):
            return awaited.isEqualInConstantTime(to: tag) ? .succeeds([]) : .codesDiffer
        case (_, _): return .isBroken
        }
    }

    mutating func finish(_ result: CodeResult) -> Outcome {
        switch (progress, result) {
        case (.begins, .begun(let own)):
            progress = .waitsForAnswer(own)
            return .goesOn([.send(.join(.start(share: own.element)))])
        case (.answers, .answered(let share, let tag, let awaited, _)):
            progress = .waitsForConfirmation(tag: awaited)
            return .goesOn([.send(.join(.answer(share: share, tag: tag)))])
        case (.confirms, .confirmed(let tag, _)): return .succeeds([.send(.join(.confirm(tag: tag)))])
        case (.begins, .failed), (.answers, .failed), (.confirms, .failed): return .codesDiffer
        case (_, _): illegal("another result than that of the step", in: "a run of JOIN")
        }
    }
}
