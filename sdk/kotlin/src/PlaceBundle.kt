package pharos

import java.io.File

/** What the app may show of a place without a network: the lists of `GET /bundle`, kept in [file]. */
class PlaceBundle internal constructor(private val pharos: Pharos, private val file: File) {
    /** The tag, and the parts by number, as the service answers them. A file that cannot be read counts as none. */
    private var kept: Map<*, *> = try {
        Json.parse(file.readText()) as? Map<*, *>
    } catch (_: Exception) {
        null
    } ?: emptyMap<String, Any?>()

    /** Records of one list, such as `beacons`, `floors` or `notifications`; empty before the first [refresh]. */
    fun records(list: String): List<Map<*, *>> = all(list).filterIsInstance<Map<*, *>>()

    /** Addresses of what is shown, for the app to keep. */
    val pictures: List<String> get() = all("pictures").filterIsInstance<String>()

    /**
     * Fetches what has changed: at each start with a network, and when the visitor comes to another venue. [venues] are objectIds, [near]
     * those of beacons that the phone hears, [latitude] and [longitude] where it is (degrees, WGS 84); without any, the whole app.
     *
     * @throws PharosException when the service cannot be reached; what was kept stays
     */
    @Synchronized
    fun refresh(
        venues: List<String> = emptyList(),
        near: List<String> = emptyList(),
        latitude: Double? = null,
        longitude: Double? = null,
    ) {
        val named = { ids: List<String> -> ids.joinToString(",").ifEmpty { null } }
        val query = mapOf(
            "venues" to named(venues), "near" to named(near), "since" to kept["tag"] as? String,
            "latitude" to latitude?.toString(), "longitude" to longitude?.toString(),
        )
        val answer = Pharos.result(pharos.call("GET", "/bundle" + Pharos.queryOf(query)))
        val parts = answer["parts"] as? Map<*, *> ?: emptyMap<String, Any?>()
        // A part takes the place of the former one of its number.
        val known = if (answer["isWhole"] == true) emptyMap() else kept["parts"] as? Map<*, *> ?: emptyMap<String, Any?>()
        val next = mapOf("tag" to answer["tag"], "parts" to known + parts)
        writeSafely(file, Json.write(next))
        kept = next
    }

    private fun all(list: String): List<Any?> =
        (kept["parts"] as? Map<*, *>).orEmpty().values.flatMap { part -> ((part as? Map<*, *>)?.get(list) as? List<*>).orEmpty() }
}
