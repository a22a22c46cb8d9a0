package pharos

import java.io.File
import java.io.IOException
import java.net.URLEncoder
import java.security.SecureRandom

/**
 * Why a call has failed. [code] and [name] are those of the service's catalogue of errors, or 0 and `Unreachable` where nothing
 * of the service came back.
 */
class PharosException(
    val status: Int,
    val code: Int,
    val name: String,
    message: String,
    val requestId: String? = null,
    /** Seconds after which the service wants to be asked again. */
    val retryAfter: Int? = null,
    cause: Throwable? = null,
) : Exception(message, cause) {
    /** Whether the same call can succeed later. */
    val isRetriable get() = code == 0 || status == 429 || status >= 500

    /** The installation is not known any more: register it, and send again. */
    val isUnregistered get() = status == 404 && code == 101
}

/** A region to monitor while the app sleeps. */
data class Region(
    val identifier: String,
    val uuid: String,
    val major: Int?,
    val minor: Int?,
    /** All of it is in this venue (objectId): report entering and leaving it with [SightingQueue.addPlace]. */
    val venueId: String?,
    val beaconId: String?,
)

/** What the visitor has done with a message. */
data class Receipt(val deliveryId: String, val event: String)

/**
 * One app on one phone, for Android and the JVM. Calls block: make them on a thread of your own. What has to outlive the app (its
 * name, its secret, what could not be sent) is in [folder], which only the app may read, in a folder for each app of the service.
 */
class Pharos(
    private val baseUrl: String,
    private val appId: String,
    private val appKey: String,
    folder: File,
    private val http: Http = UrlHttp(),
    internal val now: () -> Long = System::currentTimeMillis,
) {
    /** Of another app nothing is shown, and nothing told to this one. */
    private val ownFolder = File(folder, appId)

    init {
        if (!ownFolder.isDirectory && !ownFolder.mkdirs()) throw IOException("$ownFolder cannot be made.")
    }

    /** The name of this installation: random, made once and kept. */
    val installationId: String = kept("installation")
    private val secret = kept("secret")

    /** Where sightings wait. */
    val sightings = SightingQueue(this, File(ownFolder, "sightings.jsonl"))

    /** What is known of the place, with a network or without. */
    val bundle = PlaceBundle(this, File(ownFolder, "bundle.json"))

    /**
     * Registers the installation, or updates it; call it at each start. [members] are those of `POST /installations`, such as
     * `localeIdentifier`, `deviceToken`, `consents` or `sensing`. Returns its objectId.
     *
     * @throws PharosException
     */
    fun register(members: Map<String, Any?> = emptyMap()): String {
        val body = mapOf("deviceType" to "android") + members + mapOf("installationId" to installationId)
        return result(call("POST", "/installations", body))["objectId"] as String
    }

    /**
     * Which regions to monitor, the most important first, from where the phone is or was last. [venueId]: where it is expected, as
     * long as nothing was heard.
     *
     * @throws PharosException
     */
    fun regions(venueId: String? = null, maxRegions: Int = 20): List<Region> {
        val query = mapOf("installationId" to installationId, "maxRegions" to "$maxRegions", "venueId" to venueId)
        return list(result(call("GET", "/regions" + queryOf(query)))["regions"]).map { one ->
            val idOf = { member: String -> (one[member] as? Map<*, *>)?.get("objectId") as String? }
            val numberOf = { member: String -> (one[member] as? Number)?.toInt() }
            Region(
                one["identifier"] as String, one["uuid"] as String, numberOf("major"), numberOf("minor"),
                idOf("place"), idOf("beaconId"),
            )
        }
    }

    /**
     * Tells what became of messages: `received` or `opened`.
     *
     * @throws PharosException
     */
    fun report(receipts: List<Receipt>) {
        for (portion in receipts.chunked(500)) {
            val told = portion.map { mapOf("deliveryId" to it.deliveryId, "event" to it.event) }
            call("POST", "/receipts", mapOf("installationId" to installationId, "receipts" to told))
        }
    }

    /**
     * Any other call of the interface, below `/api/v2`.
     *
     * @throws PharosException
     */
    fun call(method: String, path: String, body: Any? = null): Map<String, Any?> {
        val headers = mapOf(
            "X-Service-AppId" to appId,
            "X-Service-AppKey" to appKey,
            "Installation-Secret" to secret,
            "Accept" to "application/json",
            "Content-Type" to "application/json",
        )
        val answer = try {
            http.send(method, "${baseUrl.trimEnd('/')}/api/v2$path", headers, body?.let(Json::write))
        } catch (cause: IOException) {
            throw PharosException(0, 0, "Unreachable", "The service cannot be reached.", cause = cause)
        }
        val read = try {
            Json.parse(answer.body) as? Map<*, *>
        } catch (_: IllegalArgumentException) {
            null
        }
        // Something between answers with pages, whatever the status.
            ?: throw PharosException(answer.status, 0, "Unreadable", "Something else than the service has answered.")
        @Suppress("UNCHECKED_CAST")
        if (answer.status < 400) return read as Map<String, Any?>
        throw refusal(answer, read)
    }

    private fun refusal(answer: HttpAnswer, read: Map<*, *>): PharosException {
        val error = read["error"] as? Map<*, *>
            ?: return PharosException(answer.status, 0, "Unreadable", "Something else than the service has answered.")
        return PharosException(
            answer.status,
            (error["code"] as? Number)?.toInt() ?: 0,
            error["name"] as? String ?: "Unreadable",
            error["error"] as? String ?: "The service has answered with ${answer.status}.",
            error["requestId"] as? String,
            answer.headers["retry-after"]?.toIntOrNull(),
        )
    }

    /** Stored before it is ever sent: a phone that lost it could not prove itself any more. */
    private fun kept(name: String): String {
        val file = File(ownFolder, name)
        if (file.isFile) return file.readText()
        val made = ByteArray(32).also(SecureRandom()::nextBytes).joinToString("") { "%02x".format(it) }
        writeSafely(file, made)
        return made
    }

    internal companion object {
        fun result(answer: Map<String, Any?>): Map<*, *> = answer["result"] as? Map<*, *> ?: emptyMap<String, Any?>()

        fun list(value: Any?): List<Map<*, *>> = (value as? List<*>).orEmpty().filterIsInstance<Map<*, *>>()

        fun queryOf(members: Map<String, String?>): String =
            members.filterValues { it != null }.entries.joinToString("&", "?") { (name, value) ->
                "$name=${URLEncoder.encode(value, "UTF-8")}"
            }
    }
}

/** Half a file is never seen: it is renamed when it is on the disk. */
internal fun writeSafely(file: File, text: String) {
    val fresh = File("${file.path}.new")
    fresh.outputStream().use {
        it.write(text.toByteArray())
        it.fd.sync()
    }
    if (!fresh.renameTo(file)) throw IOException("$file cannot be written.")
}
