import Handover
import Primitives
import SystemClock

/// The period and buffer that a thread asks its device for, on mains and while the machine runs on its battery.
struct DeviceRequests {
    let onMains: EndpointRequest
    let onBattery: EndpointRequest

    func current(savesPower: Bool) -> EndpointRequest { savesPower ? onBattery : onMains }
}

/// Gives an audio thread another device while it runs, and takes back the former one.
///
/// ```
///           opened                  the thread takes it
///  empty ───────────▶ offered ─────────────────────────────▶ taken(the former device)
///    ▲                   │ the thread does not come in time       │ the thread has let go of it
///    └───────────────────┴────────────────── closed ──────────────┘
/// ```
/// Opening and closing a device may take long. The thread that gives the order waits for both, while the audio thread
/// goes on with the former device. So a device that cannot be opened, or not in time, changes nothing, and a change
/// costs no more sound than is queued in the former device.
final class DeviceExchange<Endpoint>: @unchecked Sendable {
    /// An opened device for the audio thread.
    struct Offer {
        let source: EndpointSource<Endpoint>
        let endpoint: Endpoint
        let realTime: AudioConfiguration.RealTimePolicy
        /// Whether the device was opened for the battery.
        let savesPower: Bool
    }

    /// One thread at a time uses the devices in it.
    private enum Place: @unchecked Sendable {
        case empty
        case offered(Offer)
        /// Nil if no device ran before.
        case taken(former: Endpoint?)
    }

    let requests: DeviceRequests
    private let savesPower: SharedFlag
    private let opening = DeviceOpening<Endpoint>()
    private let place = LockedValue(Place.empty)
    /// Counts the offers.
    private let offers = SharedNumber()
    /// The number of the latest offer for which the audio thread has let go of its former device. A device closes with
    /// its last reference, so the thread that gave the order must have that one.
    private let offersDone = SharedNumber()
    /// The number of offers that the audio thread has seen. Only that thread uses it.
    private var offersSeen: UInt64 = 0

    init(_ requests: DeviceRequests, savesPower: SharedFlag) {
        self.requests = requests
        self.savesPower = savesPower
    }

    /// Opens a device and waits until the audio thread runs on it. Call it on an ordinary thread, one call at a time.
    /// - Returns: the former device, which the caller closes; nil if none ran.
    /// - Throws: if the device cannot be opened, or not within `AudioLimits.openingMax`, or if the audio thread hangs
    ///   in its present device. That device goes on.
    func change(
        to source: EndpointSource<Endpoint>, realTime: AudioConfiguration.RealTimePolicy
    ) throws(DeviceOpenError) -> Endpoint? {
        let isSaving = savesPower.isOn
        let endpoint = try opening.open(source, requests.current(savesPower: isSaving))
        place.update {
            $0 = .offered(Offer(source: source, endpoint: endpoint, realTime: realTime, savesPower: isSaving))
        }
        offers.value += 1
        let latest = Instant.monotonicNow() + AudioLimits.exchangeMax
        while .monotonicNow() < latest {
            sleep(for: AudioLimits.exchangeStep)
            if offersDone.value == offers.value { break }
        }
        var left = Place.empty
        place.update { (left, $0) = ($0, .empty) }
        guard case .taken(let former) = left else {
            source.undo?(endpoint)
            throw DeviceOpenError("the present device does not answer, so it cannot be replaced")
        }
        return former
    }

    /// For the audio thread: whether a device may have been offered since the last call of `take`. Takes no lock.
    var isOffered: Bool { offers.value != offersSeen }

    /// For the audio thread: gives up `former`, the device that it runs, for the offered one. Call `finish`
    /// afterwards, when the thread has no reference to `former` any more.
    /// - Returns: nil if the offer was withdrawn. Then the thread keeps `former`.
    func take(giving former: Endpoint?) -> Offer? {
        offersSeen = offers.value
        var taken: Offer?
        place.update {
            guard case .offered(let offer) = $0 else { return }
            taken = offer
            $0 = .taken(former: former)
        }
        return taken
    }

    /// For the audio thread: it is done with the offer. If it took the device, it has let go of the former one.
    func finish() { offersDone.value = offersSeen }
}
