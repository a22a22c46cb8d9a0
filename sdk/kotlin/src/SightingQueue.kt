package pharos

import java.io.File
import java.io.FileOutputStream
import java.util.UUID

/** What the service has made of sightings. */
class SightingAnswer(
    val events: List<Map<*, *>>,
    /** Messages to show, each of them once. */
    val messages: List<Map<*, *>>,
    /** Sightings that could not be used, and why. */
    val problems: List<Map<*, *>>,
)

/**
 * Keeps sightings on the disk, in their order, until the service has them. Each has the time at which it was sensed and an id of its own, so
 * that one that is sent late keeps its time, and one that is sent twice counts once. One queue to a file.
 */
class SightingQueue internal constructor(
    private val pharos: Pharos,
    private val file: File,
    private val capacity: Int = 10_000,
) {
    private val lock = Any()
    private val waiting = ArrayDeque<String>()
    /** Only one flush at a time. */
    private val sending = Any()

    /** Called with how many of the oldest were dropped because there was no room, or were refused for good. */
    @Volatile
    var onDropped: (count: Int, why: String) -> Unit = { _, _ -> }

    init {
        // The last line may be half of one: the app was killed while it was written.
        if (file.isFile) file.readLines().filterTo(waiting) { isWhole(it) }
    }

    private fun isWhole(line: String) = try {
        Json.parse(line) is Map<*, *>
    } catch (_: IllegalArgumentException) {
        false
    }

    /** How many wait. */
    val size get() = synchronized(lock) { waiting.size }

    /**
     * A sample of a beacon. [sensedAt]: epoch milliseconds. [sender]: `androidBackground` where the system has woken the app. [motion]:
     * `still`, `walking` or `vehicle`, as the system recognises it.
     */
    fun add(
        uuid: String,
        major: Int,
        minor: Int,
        rssi: Int,
        sensedAt: Long = pharos.now(),
        sender: String = "phone",
        motion: String? = null,
    ) {
        val told = if (motion == null) emptyMap() else mapOf("motion" to motion)
        keep(mapOf("uuid" to uuid, "major" to major, "minor" to minor, "rssi" to rssi, "sender" to sender) + told, sensedAt)
    }

    /** The phone has entered (`ENTER`) or left (`EXIT`) a region of a whole venue. */
    fun addPlace(venueId: String, event: String, sensedAt: Long = pharos.now()) =
        keep(mapOf("place" to pointer("Venue", venueId), "event" to event), sensedAt)

    private fun pointer(className: String, objectId: String) =
        mapOf("__type" to "Pointer", "className" to className, "objectId" to objectId)

    private fun keep(sighting: Map<String, Any?>, sensedAt: Long) {
        val line = Json.write(sighting + mapOf("occurredAt" to sensedAt, "eventId" to "${UUID.randomUUID()}"))
        val dropped = synchronized(lock) {
            waiting.addLast(line)
            val tooMany = waiting.size - capacity
            // A tenth at once, so that the file is not written anew for each sample.
            val going = if (tooMany > 0) maxOf(tooMany, capacity / 10) else 0
            repeat(going) { waiting.removeFirst() }
            if (going > 0) rewrite() else append(line)
            going
        }
        if (dropped > 0) onDropped(dropped, "There are too many.")
    }

    private fun append(line: String) {
        // Behind a half line, a new one must not go on.
        val isTorn = file.length() > 0 && !endsWithNewline()
        FileOutputStream(file, true).use { it.write(((if (isTorn) "\n" else "") + line + "\n").toByteArray()) }
    }

    private fun endsWithNewline() = file.inputStream().use { stream ->
        stream.skip(file.length() - 1)
        stream.read() == '\n'.code
    }

    private fun rewrite() = writeSafely(file, waiting.joinToString("") { "$it\n" })

    /**
     * Sends what waits, at most a thousand at once. What was not acknowledged stays; call it again later.
     *
     * @throws PharosException where the service cannot be reached, does not know the installation ([PharosException.isUnregistered]),
     * or wants to be asked later
     */
    fun flush(): SightingAnswer = synchronized(sending) {
        val events = ArrayList<Map<*, *>>()
        val messages = LinkedHashMap<Any?, Map<*, *>>()
        val problems = ArrayList<Map<*, *>>()
        while (true) {
            val batch = synchronized(lock) { waiting.take(1_000) }
            if (batch.isEmpty()) break
            val answer = send(batch) ?: continue
            events += Pharos.list(answer["events"])
            for (message in Pharos.list(answer["messages"])) messages[message["deliveryId"]] = message
            problems += Pharos.list(answer["problems"])
        }
        SightingAnswer(events, messages.values.toList(), problems)
    }

    /** Null: they were refused for good. */
    private fun send(batch: List<String>): Map<*, *>? {
        // Each try has its own time of sending, by which the service corrects a wrong clock.
        val body = mapOf(
            "installationId" to pharos.installationId,
            "sentAt" to pharos.now(),
            "sightings" to batch.map(Json::parse),
        )
        try {
            val answer = Pharos.result(pharos.call("POST", "/sightings", body))
            forget(batch)
            return answer
        } catch (refused: PharosException) {
            if (refused.status != 400 || refused.code == 0) throw refused
            forget(batch)
            onDropped(batch.size, refused.message ?: "They were refused.")
            return null
        }
    }

    /** Some may have been dropped meanwhile. */
    private fun forget(sent: List<String>) = synchronized(lock) {
        val gone = sent.toHashSet()
        waiting.removeAll { it in gone }
        rewrite()
    }
}
