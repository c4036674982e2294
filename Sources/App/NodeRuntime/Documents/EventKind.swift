/// Every kind of event. The raw value is `kind` in `partyline.event/1`. Raw values and fields must not change, since
/// programs read them. docs/CONTROL.md shows this table.
package enum EventKind: String, CaseIterable, Sendable {
    case peerUp = "peer_up"
    case peerDown = "peer_down"
    case peerVerifying = "peer_verifying"
    case pathChanged = "path_changed"
    case peerSuspected = "peer_suspected"
    case peerDead = "peer_dead"
    case peerFlapping = "peer_flapping"
    case peerAdvanced = "peer_advanced"
    case ownInstanceAdvanced = "own_instance_advanced"
    case peerChannels = "peer_channels"
    case peerProfile = "peer_profile"
    case peerRecording = "peer_recording"
    case talking
    case privateTalk = "private_talk"
    case talkToAll = "talk_to_all"
    case talkUnheard = "talk_unheard"
    case talkEnded = "talk_ended"
    case keyChanged = "key_changed"
    case wordsCompared = "words_compared"
    case invitationAsked = "invitation_asked"
    case refused
    case quarantined
    case duplicateIdentity = "duplicate_identity"
    case ghostDropped = "ghost_dropped"
    case holeRepaired = "hole_repaired"
    case probeAnswered = "probe_answered"
    case channelCreated = "channel_created"
    case channelDeleted = "channel_deleted"
    case channelJoined = "channel_joined"
    case channelLeft = "channel_left"
    case channelProved = "channel_proved"
    case channelUnshared = "channel_unshared"
    case call
    case callAnswered = "call_answered"
    case callWithdrawn = "call_withdrawn"
    case callMissed = "call_missed"
    case callExpired = "call_expired"
    case microphoneAsked = "microphone_asked"
    case microphoneClosed = "microphone_closed"
    case microphoneAnswered = "microphone_answered"
    case cliqueComplete = "clique_complete"
    case cliqueBroken = "clique_broken"
    case discovered, lost
    case closedMesh = "closed_mesh"
    case codeChanged = "code_changed"
    case leftBehind = "left_behind"
    case paired
    case pairingFailed = "pairing_failed"
    case pairingClosed = "pairing_closed"
    case meshSplit = "mesh_split"
    case meshHealed = "mesh_healed"
    case resumed
    case networkLost = "network_lost"
    case networkBack = "network_back"
    case deviceLost = "device_lost"
    case deviceBack = "device_back"
    case deviceChanged = "device_changed"
    case talkKeyStuck = "talk_key_stuck"
    case howl
    case powerSaving = "power_saving"
    case batteryLow = "battery_low"
    case recordingStarted = "recording_started"
    case recordingStopped = "recording_stopped"
    case recordingFailed = "recording_failed"

    /// The meaning of the kind, and the keys that `details` may have.
    package var entry: (meaning: String, fields: [String]) {
        switch self {
        case .peerUp: ("the link to a peer is up", ["instance"])
        case .peerDown:
            (
                "the link to a peer is down: `left`, `silent`, `newer_instance`, `replaced`, `blocked`, `declined`, "
                    + "`local_leave`, `keys_expired` or `no_proof`", ["instance", "reason"]
            )
        case .peerVerifying: ("a peer is silent and is being asked", [])
        case .pathChanged:
            (
                "voice takes another path to a peer: `direct`, `carrier` or `relay`; with `relay`, `via` is the whole "
                    + "id of the neighbour", ["path", "via"]
            )
        case .peerSuspected: ("a peer may be dead; neighbours are asked", [])
        case .peerDead: ("a peer counts as dead", ["instance"])
        case .peerFlapping:
            ("a peer comes and goes, so its changes are not reported; or it is steady again", ["flapping"])
        case .peerAdvanced:
            (
                "a peer goes on under a higher instance: its identity was seen with a later start, of a copy or from "
                    + "before a backup was restored", ["instance"]
            )
        case .ownInstanceAdvanced: ("this node goes on under a higher instance, for the same reason", ["instance"])
        case .peerChannels:
            (
                "a peer listens on other channels; `channels` has those whose names this node knows, one a line",
                ["channels"]
            )
        case .peerProfile:
            (
                "a peer has another profile; `former` is the name that it had, if it has another one",
                ["former"] + ProfileWords.fields.map(\.key.rawValue).filter { $0 != RunKey.nick.rawValue }
            )
        case .peerRecording: ("a peer records what it hears, or no more", ["recording"])
        case .talking:
            (
                "a peer begins or stops to talk, or talks on other channels than before; `channels` has those whose "
                    + "names this node knows, one a line; `private_talk` and `talk_to_all` are kinds of their own",
                ["talking", "channels"]
            )
        case .privateTalk: ("a peer begins or stops to talk privately to this node", ["talking"])
        case .talkToAll: ("a peer begins or stops to talk to all", ["talking"])
        case .talkUnheard:
            (
                "nobody gets the voice of a talk key that went down, lost its last listener, or lost its channels by a "
                    + "reload", ["key"]
            )
        case .talkEnded:
            (
                "the talk key without targets of its own was down and has been let go: a join, a part, a reload or a "
                    + "renaming has led it to other channels, which `channels` has, one a line", ["key", "channels"]
            )
        case .keyChanged:
            (
                "a peer has the name of another known key, or a name that looks like it",
                ["id", "known_id", "known_name", "last_seen_unix_s"]
            )
        case .wordsCompared:
            (
                "this node and a peer have drawn words, which both persons read aloud; `own` if this node began",
                ["id", "words", "own"]
            )
        case .invitationAsked: ("a node asks to be linked; `requests` lists it", ["id"])
        case .refused:
            (
                "a peer refuses to link to this node: `other_mesh`, `version`, `stale_instance`, "
                    + "`duplicate_identity`, `full`, `undecided`, `not_allowed`, `blocked`, `cooling_down`, "
                    + "`already_linked`, `off_link`, `no_proof` or `wrong_code`", ["reason"]
            )
        case .quarantined: ("a peer failed too often and is left alone for a while", [])
        case .duplicateIdentity:
            (
                "two living nodes have one identity; `address` where beacons of another node with that of this one "
                    + "come from", ["address"]
            )
        case .ghostDropped: ("a message of an older instance of a peer was dropped", ["instance"])
        case .holeRepaired: ("a peer was found through a neighbour", [])
        case .probeAnswered: ("a ping was answered", ["rtt_us"])
        case .channelCreated: ("a channel is new in the directory", ["channel", "creator"])
        case .channelDeleted:
            (
                "a channel was deleted, or renamed: `now` is its new name, or the corrected spelling of its name",
                ["channel", "by", "now"]
            )
        case .channelJoined:
            ("a peer joins a channel to which this node listens, is met there, or follows its renaming", ["channel"])
        case .channelLeft: ("a peer leaves a channel to which this node listens, or its link is down", ["channel"])
        case .channelProved: ("a peer has proved the code of a channel that this node has too", ["channel"])
        case .channelUnshared: ("no linked peer has a channel with the code that was typed here", ["channel"])
        case .call:
            (
                "a peer calls; under do-not-disturb `shown` is `false`, and the caller is told that it is declined",
                ["call", "target", "channel", "text", "urgent", "shown"]
            )
        case .callAnswered: ("a peer shows, accepts or declines a call of this node", ["call", "answer"])
        case .callWithdrawn: ("a peer has taken its call back", ["call"])
        case .callMissed: ("the time of a peer's call is over, and nobody here has answered", ["call"])
        case .callExpired:
            ("the time of a call of this node is over; `peers` have not answered, one a line", ["call", "peers"])
        case .microphoneAsked: ("a peer asks another node to close its microphone", ["subject", "channel"])
        case .microphoneClosed:
            ("a peer asks this node to close its microphone, which it does if `obeyed`", ["channel", "obeyed"])
        case .microphoneAnswered:
            (
                "a peer that this node has asked closes its microphone, or not; `unknown` without an answer",
                ["obeyed"]
            )
        case .cliqueComplete: ("everybody hears everybody; while lost peers are missed, all that are left", [])
        case .cliqueBroken: ("somebody does not hear somebody", [])
        case .discovered: ("a node of this mesh was found; the link to it may follow", ["id"])
        case .lost: ("a node is no longer in the mesh: it has left, counts as dead, or was not seen for long", ["id"])
        case .closedMesh: ("a closed mesh was noticed on the network; this node is in an open one", [])
        case .codeChanged:
            (
                "the code of the closed mesh was changed; `left_behind` names the nodes that are left behind, "
                    + "one a line", ["epoch", "left_behind"]
            )
        case .leftBehind:
            (
                "a member refuses this node: the code of the closed mesh was changed, and this node was left behind",
                []
            )
        case .paired:
            (
                "a node was given the secret by a pairing code, which closes the window; again when it is linked",
                ["id"]
            )
        case .pairingFailed:
            (
                "a node had a wrong code in the pairing window, or broke off; the window takes `left` more failures",
                ["id", "left"]
            )
        case .pairingClosed:
            (
                "a pairing window is closed, unused: `failures`, `time`, `person`, `replaced` or `code_changed`",
                ["reason"]
            )
        case .meshSplit:
            (
                "two or more peers are out of reach at once, without a good-bye; `peers` has their names, one a line",
                ["peers", "linked"]
            )
        case .meshHealed:
            ("each peer of the last `mesh_split` is linked again, or nobody expects it back", ["linked"])
        case .resumed: ("this node stood still: its process was stopped, or the machine asleep", ["gap_s"])
        case .networkLost:
            ("this machine has no network, at the start or later, or none with the address of `--listen`", [])
        case .networkBack: ("this machine has a network again", [])
        case .deviceLost:
            (
                "a sound device is gone or cannot be opened, or a disk refuses sound of its file; silence stands for "
                    + "what is missing", ["side", "device", "reason"]
            )
        case .deviceBack: ("a sound device that was lost runs again", ["side", "device"])
        case .deviceChanged: ("a person chose another sound device, and it runs", ["side", "device"])
        case .talkKeyStuck: ("a talk key was held for too long and has been let go", ["key", "limit_s"])
        case .howl: ("feedback: the microphone has been turned down", ["count"])
        case .powerSaving: ("the machine has gone over to its battery, or back", ["on_battery"])
        case .batteryLow: ("the machine runs on its battery, which has 15 % or less", ["charge_pct"])
        case .recordingStarted: ("this node records", ["folder"])
        case .recordingStopped:
            ("this node has ended its recording; `lost_s` of sound are lost", ["folder", "lost_s"])
        case .recordingFailed:
            (
                "the recording has ended by itself, or the disk has not taken it whole, or files of it were removed; "
                    + "`lost_s` of sound are lost up to its end", ["folder", "reason", "lost_s"]
            )
        }
    }

    /// The kind whose word is most similar to a mistyped one; nil if more than two letters differ.
    package static func nearest(to text: String) -> EventKind? { NearestWord.of(text, among: allCases) }

    /// Whether the event asks for the attention of a person: it stands in the log of a node that is not asked for more.
    package var isForPeople: Bool {
        switch self {
        case .call, .microphoneClosed, .talkUnheard, .talkEnded, .channelUnshared, .closedMesh, .keyChanged,
            .invitationAsked, .duplicateIdentity, .wordsCompared, .codeChanged, .leftBehind, .paired, .pairingFailed,
            .pairingClosed, .networkLost, .networkBack, .deviceLost, .deviceBack, .batteryLow, .recordingFailed:
            true
        default: false
        }
    }

    /// Whether the event is kept for clients that ask for the latest ones. People who talk, and a program that pings a
    /// peer each second, would soon take most places.
    var isKept: Bool {
        switch self {
        case .talking, .privateTalk, .talkToAll, .probeAnswered: false
        default: true
        }
    }

    /// Whether the event is a change of a link. Such events are not published while the peer is flapping.
    var isTurn: Bool {
        switch self {
        case .peerUp, .peerDown, .peerVerifying, .peerSuspected, .pathChanged, .holeRepaired, .channelJoined,
            .channelLeft:
            true
        default: false
        }
    }
}
