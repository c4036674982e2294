package import ControlPlane
import Primitives
import SystemClock

/// Works a talk key.
package struct TalkRequest: NodeRequest {
    package static let method = ControlMethod(
        "talk", since: "0.1.0", does: "Works a talk key, or switches the microphone off for a cough.")
    package typealias Answer = TalkDocument

    /// What a key can be told. `press`, `release` and `tap` tell of a finger, so their effect depends on the mode.
    package enum Action: String, ControlWord { case on, off, toggle, hold, press, release, tap, cough, uncough }

    /// `on`, `off` and `toggle` mean the same in every mode; `press` and `release` act as a finger on the key. `tap`
    /// takes the place of the `release` of a smart key: its press counts as a short one, however late the `tap` comes.
    /// Without a `press` before it, or in another mode, it changes nothing. A `hold` after the `press` of a smart key
    /// bounds that press: a client repeats it, and the key is let go if the client ends.
    package var action: Action
    /// Seconds until the end of `hold`, which needs them, or of `cough`, which else lasts until `uncough`. Above 0 and
    /// at most 3600.
    package var forS: Double?
    /// The name of the key, or its letter or digit on the terminal; absent for the first one. A cough silences every
    /// key.
    package var key: String?

    package init(_ order: TalkOrder, key: String? = nil) {
        self.key = key
        (action, forS) =
            switch order {
            case .on: (.on, nil)
            case .off: (.off, nil)
            case .toggle: (.toggle, nil)
            case .hold(let seconds): (.hold, seconds)
            case .press: (.press, nil)
            case .release: (.release, nil)
            case .tap: (.tap, nil)
            case .cough(let seconds): (.cough, seconds)
            case .uncough: (.uncough, nil)
            }
    }

    package func check() throws(ControlFailure) {
        switch (action, forS) {
        case (.hold, let seconds?), (.cough, let seconds?):
            guard 0 < seconds, seconds <= ControlLimits.holdSecondsMax else { throw TalkRequest.wrongTime }
        case (.hold, nil): throw TalkRequest.wrongTime
        case (_, nil): break
        case (_, .some): throw ControlFailure(.invalidParameters, "\"for_s\" goes with hold and cough alone")
        }
    }

    private static var wrongTime: ControlFailure {
        let bound = Int(ControlLimits.holdSecondsMax)
        return ControlFailure(.invalidParameters, "\"for_s\" must be above 0 and at most \(bound)")
    }

    private var order: TalkOrder {
        switch action {
        case .on: .on
        case .off: .off
        case .toggle: .toggle
        case .hold: .hold(seconds: forS ?? 0)
        case .press: .press
        case .release: .release
        case .tap: .tap
        case .cough: .cough(seconds: forS)
        case .uncough: .uncough
        }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> TalkDocument {
        let (order, name) = (order, key)
        return try await handler.visit { node in
            let key = try node.key(named: name)
            node.changeTalk { $0.perform(order, key: key, now: .monotonicNow()) }
            return TalkDocument(of: node, key: key)
        }
    }
}

/// Asks for the talk keys of this node.
package struct KeysRequest: NodeRequest {
    package static let method = ControlMethod(
        "keys", since: "0.1.0", does: "Lists the talk keys: to whom each speaks, whether it is down, and who hears it.")
    package typealias Answer = KeysDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeysDocument {
        try await handler.visit { KeysDocument(of: $0) }
    }
}

/// An order for the talk key.
package enum TalkOrder: Hashable, Sendable {
    case on
    case off
    case toggle
    /// Presses the key now. It is released after `seconds` unless the order is repeated. A terminal without key-up
    /// events holds the key in this way. After the `press` of a smart key it bounds that press.
    case hold(seconds: Double)
    /// The key was pressed. The effect depends on the mode of the key.
    case press
    /// The key was released. The effect depends on the mode of the key.
    case release
    /// The press of a smart key was a short one, and is over. It takes the place of `release` where a keyboard reports
    /// no releases. It changes nothing in other modes, or if the key is not pressed.
    case tap
    /// Switches the microphone off for `seconds`, or until `uncough` if nil.
    case cough(seconds: Double?)
    case uncough
}
