/**
 * A visitor's phone on the command line, as an app in Kotlin would be: it registers, asks which regions to monitor, hears the nearest
 * beacon for ten seconds, and shows the messages. What could not be sent waits in the folder until the next run.
 *
 * sdk/kotlin/README.md says how it is compiled and run. Give it the address of the service, the AppId, the app key and a folder.
 */
import java.io.File
import pharos.Pharos
import pharos.PharosException
import pharos.Receipt

/** What an app asks its visitor, in words of which this is the version. */
private val agreed = mapOf("granted" to true, "textVersion" to "example 1")

fun main(args: Array<String>) {
    if (args.size != 4) {
        System.err.println("Give the address of the service, the AppId, the app key and a folder.")
        kotlin.system.exitProcess(2)
    }
    val (baseUrl, appId, appKey, folder) = args
    try {
        visit(Pharos(baseUrl, appId, appKey, File(folder)))
    } catch (error: PharosException) {
        System.err.println("${error.name}: ${error.message}")
        kotlin.system.exitProcess(1)
    }
}

private fun visit(pharos: Pharos) {
    pharos.register(
        mapOf(
            "appName" to "Example visitor",
            "localeIdentifier" to "en-GB",
            "consents" to mapOf("messages" to agreed, "analytics" to agreed),
        ),
    )
    val regions = pharos.regions()
    println("${regions.size} regions to monitor")
    val nearest = regions.firstOrNull { it.minor != null }
    if (nearest?.major == null || nearest.minor == null) {
        println("The app has no beacons yet. Add one in the console.")
        return
    }
    println("near ${nearest.identifier}")
    val now = System.currentTimeMillis()
    // On a phone these come from the range notifier, about one a second.
    for (second in 10 downTo 1)
        pharos.sightings.add(nearest.uuid, nearest.major, nearest.minor, rssi = -58, sensedAt = now - second * 1_000)
    val answer = pharos.sightings.flush()
    for (event in answer.events) println("${event["event"]} at ${(event["beaconId"] as Map<*, *>)["objectId"]}")
    for (message in answer.messages) {
        println("message: $message")
        pharos.report(listOf(Receipt(message["deliveryId"] as String, "opened")))
    }
    println("${pharos.sightings.size} sightings wait.")
}
