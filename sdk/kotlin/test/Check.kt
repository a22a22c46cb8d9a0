package pharos

import java.io.File
import java.io.IOException

/** Does what the test says, line by line, against the running service; answers each with a line of JSON. */
fun main(args: Array<String>) {
    val (baseUrl, appId, appKey, folder) = args
    var network = "up"
    val real = UrlHttp()
    val http = Http { method, url, headers, body ->
        if (network == "down") throw IOException("There is no network.")
        if (network == "hotel") return@Http HttpAnswer(200, emptyMap(), "<html>Welcome to our hotel</html>")
        val answer = real.send(method, url, headers, body)
        if (network == "answer lost") throw IOException("The answer was lost.")
        answer
    }
    var clock = 0L
    val now = { if (clock == 0L) System.currentTimeMillis() else clock }
    var pharos = Pharos(baseUrl, appId, appKey, File(folder), http, now)
    val dropped = ArrayList<String>()
    fun command(words: Map<*, *>): Any? = when (words["do"]) {
        "network" -> network = words["is"] as String
        "clock" -> clock = words["at"] as Long
        // As after a restart of the app: nothing in memory is left.
        "restart" -> pharos = Pharos(baseUrl, appId, appKey, File(folder), http, now)
        "size" -> pharos.sightings.size
        "installation" -> pharos.installationId
        "register" -> {
            @Suppress("UNCHECKED_CAST")
            pharos.register(words["members"] as Map<String, Any?>)
        }
        "regions" -> pharos.regions(maxRegions = (words["maxRegions"] as Long).toInt()).map {
            mapOf("identifier" to it.identifier, "venueId" to it.venueId, "beaconId" to it.beaconId)
        }
        "sense" -> pharos.sightings.add(
            words["uuid"] as String, 1, (words["minor"] as Long).toInt(), (words["rssi"] as Long).toInt(),
            words["at"] as Long, motion = words["motion"] as String?,
        )
        "place" -> pharos.sightings.addPlace(words["venueId"] as String, "ENTER", words["at"] as Long)
        "flush" -> {
            pharos.sightings.onDropped = { count, why -> dropped.add("$count: $why") }
            val answer = pharos.sightings.flush()
            mapOf(
                "events" to answer.events.map { it["event"] },
                "messages" to answer.messages.map { it["deliveryId"] },
                "problems" to answer.problems.map { it["code"] },
                "dropped" to dropped.toList(),
            )
        }
        "refresh" -> pharos.bundle.refresh(venues = words["venues"].let { it as? List<*> }.orEmpty().map { it as String })
        "records" -> pharos.bundle.records(words["list"] as String).map { it["objectId"] }
        "opened" -> pharos.report(listOf(Receipt(words["deliveryId"] as String, "opened")))
        "json" -> Json.parse(words["text"] as String)
        else -> throw IllegalArgumentException("There is no ${words["do"]}.")
    }
    for (line in generateSequence(::readlnOrNull)) {
        val answer = try {
            val done = command(Json.parse(line) as Map<*, *>)
            mapOf("answer" to if (done == Unit) null else done)
        } catch (error: PharosException) {
            mapOf("error" to error.name, "code" to error.code, "isRetriable" to error.isRetriable)
        } catch (error: IllegalArgumentException) {
            mapOf("error" to error.message)
        }
        println(Json.write(answer))
    }
}
