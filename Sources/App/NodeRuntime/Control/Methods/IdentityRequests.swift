package import ControlPlane

/// Asks for the identity of the node.
package struct IdentityRequest: NodeRequest {
    package static let method = ControlMethod("id", since: "0.1.0", does: "The node's identity.")
    package typealias Answer = IdentityDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> IdentityDocument {
        let description = handler.description
        return try await handler.visit { IdentityDocument(of: $0, description) }
    }
}

/// Changes how this node introduces itself.
package struct IntroduceRequest: NodeRequest {
    package static let method = ControlMethod(
        "introduce", since: "0.1.0",
        does: "Changes how this node introduces itself, for example its name; kept for the next start.")
    package typealias Answer = DoneDocument

    /// The fields that change. An absent field stays as it is; an empty text means none.
    package var profile: ProfileWords

    package init(_ profile: ProfileWords) { self.profile = profile }

    package func check() throws(ControlFailure) {
        do throws(ProfileFault) {
            try profile.check()
        } catch {
            throw ControlFailure(.invalidParameters, error.description)
        }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let wish = profile
        let warnings = try await handler.visit { node in
            var changed = node.profile
            try? wish.change(&changed)
            node.introduce(as: changed)
            node.keepProfile(wish)
            return node.warningsOfNextStart(after: wish)
        }
        return DoneDocument(warnings: warnings)
    }
}
