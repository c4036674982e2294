import Dispatch
import Handover
package import Primitives

/// Opens devices on threads of their own, for a thread that must not wait for ever: a driver or a disk may not answer.
///
/// ```
///           opened or refused
/// waiting ─────────────────────▶ answered ; the caller takes it
///    │ the time is over
///    └─────────────────────────▶ left ; a device that opens later is undone and closed again
/// ```
/// The thread of an opening without an answer stays behind until the driver or disk answers. `AudioLimits.openingsMax`
/// bounds the number of these threads.
package final class DeviceOpening<Endpoint>: Sendable {
    private let limit: Interval
    /// The names of the devices whose openings have not ended. For some of them the wait is over.
    private let running = LockedValue<[String]>([])

    /// - Parameter limit: how long an opening may take. Only tests pass another.
    package init(within limit: Interval = AudioLimits.openingMax) { self.limit = limit }

    /// Opens a device, and waits for it until the limit.
    /// - Throws: if the device cannot be opened, or not in time, or if too many openings hang, or if an earlier opening
    ///   of the device hangs that will be undone: that must not undo this one.
    package func open(
        _ source: EndpointSource<Endpoint>, _ request: EndpointRequest
    ) throws(DeviceOpenError) -> Endpoint {
        let (answer, running) = (OpeningAnswer<Endpoint>(), running)
        var refusal: DeviceOpenError?
        running.update { names in
            if AudioLimits.openingsMax <= names.count {
                refusal = DeviceOpenError(
                    "\(AudioLimits.openingsMax) earlier openings of devices have not ended, so no other one begins")
            } else if source.undo != nil, names.contains(source.name) {
                refusal = DeviceOpenError("an earlier opening of it has not ended")
            } else {
                names.append(source.name)
            }
        }
        if let refusal { throw refusal }
        DispatchQueue(label: "partyline.opening").async {
            answer.open(source, request)
            running.update { names in
                if let ended = names.firstIndex(of: source.name) { names.remove(at: ended) }
            }
            answer.arrival.signal()
        }
        _ = answer.arrival.wait(timeout: .now() + .nanoseconds(Int(limit.nanoseconds)))
        guard let result = answer.endWait() else {
            throw DeviceOpenError("it did not open within \(limit.milliseconds / 1_000) s")
        }
        return try result.get()
    }
}

/// The result of one opening, on its way from the thread that opens to the one that waits.
private final class OpeningAnswer<Endpoint>: Sendable {
    /// One thread at a time uses the device in it.
    private enum Place: @unchecked Sendable {
        case waiting
        case answered(Result<Endpoint, DeviceOpenError>)
        case left
    }

    let arrival = DispatchSemaphore(value: 0)
    private let place = LockedValue(Place.waiting)

    /// Opens the device, and has no reference to it afterwards. If the wait is over, the device is undone and closes
    /// here.
    func open(_ source: EndpointSource<Endpoint>, _ request: EndpointRequest) {
        let result: Result<Endpoint, DeviceOpenError>
        do throws(DeviceOpenError) { result = .success(try source.open(request)) } catch { result = .failure(error) }
        // The lock is not held while a device closes, which may take long.
        let answered = Place.answered(result)
        var isLate = false
        place.update {
            guard case .waiting = $0 else {
                isLate = true
                return
            }
            $0 = answered
        }
        if isLate, case .success(let endpoint) = result { source.undo?(endpoint) }
    }

    /// Ends the wait. Returns the result; nil if there is none yet.
    func endWait() -> Result<Endpoint, DeviceOpenError>? {
        var found = Place.left
        place.update { (found, $0) = ($0, .left) }
        guard case .answered(let result) = found else { return nil }
        return result
    }
}
