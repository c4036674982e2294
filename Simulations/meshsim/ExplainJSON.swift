import MeshSimulator
import Primitives

extension PairExplanation {
    /// Schema `partyline.sim.explain/1`; instants in seconds of the run.
    func json(subject: String) -> JSONText {
        .object([
            ("schema", .text("partyline.sim.explain/1")), ("subject", .text(subject)),
            ("at_s", seconds(state.at)), ("asked_at_s", seconds(state.question.at)),
            ("observer", side(state.observer, ofObserver)), ("peer", side(state.peer, ofPeer)),
            ("between", .list(state.obstacles.map { .text($0) })),
            (
                "dials",
                .list(
                    dials.map {
                        .object([
                            ("at_s", seconds($0.at)), ("by", .text($0.by)), ("what", .text($0.what)),
                            ("outcome", .text($0.outcome)),
                        ])
                    })
            ),
            (
                "timeline",
                .list(
                    timeline.map {
                        .object([("at_s", seconds($0.at)), ("kind", .text($0.kind)), ("text", .text($0.text))])
                    })
            ),
        ])
    }

    private func side(_ side: PairState.Side, _ sight: Sight) -> JSONText {
        .object([
            ("name", .text(side.name)), ("process", .text(side.process)),
            ("instance", side.instance.map { .integer($0) } ?? .null), ("address", .text(side.address)),
            ("sees", .text(sight.look.words)), ("since_s", seconds(sight.since)),
            ("up_again_at_s", sight.upAgainAt.map(seconds) ?? .null),
            ("state", side.state.map { .text($0) } ?? .null), ("is_leader", .flag(side.isLeader)),
            ("failures", .integer(UInt64(side.failures))),
            ("last_failure", side.lastFailure.map { .text($0) } ?? .null),
            ("next", side.next.map(next) ?? .null), ("known", side.known.map(knowledge) ?? .null),
            ("addresses", .list(side.addresses.map { .text($0) })), ("has_carrier", .flag(side.hasCarrier)),
            ("paths", .list(side.paths.map(path))),
        ])
    }

    private func next(_ next: PairState.Next) -> JSONText {
        .object([("at_s", seconds(next.at)), ("what", .text(next.what)), ("why", .text(next.why))])
    }

    private func knowledge(_ known: PairState.Knowledge) -> JSONText {
        .object([
            ("instance", .integer(known.instance)), ("sequence", .integer(UInt64(known.sequence))),
            ("seen_at_s", seconds(known.seenAt)), ("is_current", .flag(known.isCurrent)),
        ])
    }

    private func path(_ path: PairState.Path) -> JSONText {
        .object([
            ("kind", .text(path.kind)), ("endpoint", path.endpoint.map { .text($0) } ?? .null),
            ("via", path.via.map { .text($0) } ?? .null),
            ("is_proved", .flag(path.isProved)), ("is_chosen", .flag(path.isChosen)),
            ("echoed_at_s", path.echoedAt.map(seconds) ?? .null),
            ("rtt_s", path.rtt.map { .precise($0.asSeconds) } ?? .null),
        ])
    }

    private func seconds(_ instant: Instant) -> JSONText { .precise((instant - .zero).asSeconds) }
}
