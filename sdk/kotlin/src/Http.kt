package pharos

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URI

/** What came back. Names of headers are in lower case. */
class HttpAnswer(val status: Int, val headers: Map<String, String>, val body: String)

/** The one way to the network, so that an app may bring its own client. */
fun interface Http {
    /** @throws IOException where nothing came back, or something was cut off */
    fun send(method: String, url: String, headers: Map<String, String>, body: String?): HttpAnswer
}

/** The client that both Android and the JVM have. */
class UrlHttp(private val connectTimeoutMs: Int = 10_000, private val readTimeoutMs: Int = 30_000) : Http {
    override fun send(method: String, url: String, headers: Map<String, String>, body: String?): HttpAnswer {
        val connection = URI(url).toURL().openConnection() as HttpURLConnection
        try {
            connection.requestMethod = method
            connection.connectTimeout = connectTimeoutMs
            connection.readTimeout = readTimeoutMs
            // A redirect would be that of a hotel's network, and be given the secret.
            connection.instanceFollowRedirects = false
            for ((name, value) in headers) connection.setRequestProperty(name, value)
            if (body != null) {
                connection.doOutput = true
                connection.outputStream.use { it.write(body.toByteArray()) }
            }
            val status = connection.responseCode
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            val names = connection.headerFields.keys.filterNotNull()
            val found = names.associate { it.lowercase() to connection.getHeaderField(it) }
            return HttpAnswer(status, found, stream?.use(::read) ?: "")
        } finally {
            connection.disconnect()
        }
    }

    private fun read(stream: InputStream): String {
        val bytes = ByteArrayOutputStream()
        val part = ByteArray(16_384)
        while (true) {
            val length = stream.read(part)
            if (length < 0) return bytes.toString("UTF-8")
            if (bytes.size() + length > maxBytes) throw IOException("The answer has more than $maxBytes bytes.")
            bytes.write(part, 0, length)
        }
    }

    private companion object {
        const val maxBytes = 8 * 1024 * 1024
    }
}
