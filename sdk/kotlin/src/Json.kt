package pharos

/**
 * JSON (RFC 8259) as maps, lists, strings, numbers, booleans and null: neither Kotlin's library nor Java's has it, and Android's is
 * not on the JVM.
 */
object Json {
    /** @throws IllegalArgumentException for what is not JSON, or is nested more than 100 deep */
    fun parse(text: String): Any? = Reader(text).all()

    /** @throws IllegalArgumentException for values that JSON does not have */
    fun write(value: Any?): String = StringBuilder().also { write(value, it) }.toString()

    private fun write(value: Any?, out: StringBuilder) {
        when (value) {
            null -> out.append("null")
            is Boolean, is Int, is Long -> out.append(value)
            is Double, is Float -> {
                require((value as Number).toDouble().isFinite()) { "JSON has no $value." }
                out.append(value)
            }
            is String -> string(value, out)
            is Map<*, *> -> {
                out.append('{')
                value.entries.forEachIndexed { index, (name, member) ->
                    if (index > 0) out.append(',')
                    string(name as String, out)
                    out.append(':')
                    write(member, out)
                }
                out.append('}')
            }
            is Iterable<*> -> {
                out.append('[')
                value.forEachIndexed { index, one ->
                    if (index > 0) out.append(',')
                    write(one, out)
                }
                out.append(']')
            }
            else -> throw IllegalArgumentException("JSON has no ${value::class.java.name}.")
        }
    }

    private fun string(text: String, out: StringBuilder) {
        out.append('"')
        for (char in text) when {
            char == '"' || char == '\\' -> out.append('\\').append(char)
            char < ' ' || char.isSurrogate() || char == '\u2028' || char == '\u2029' ->
                out.append("\\u").append(char.code.toString(16).padStart(4, '0'))
            else -> out.append(char)
        }
        out.append('"')
    }

    private class Reader(private val text: String) {
        private var at = 0

        fun all(): Any? {
            val value = value(0)
            blank()
            if (at != text.length) fail()
            return value
        }

        private fun fail(): Nothing = throw IllegalArgumentException("This is not JSON, at character $at.")

        private fun blank() {
            while (at < text.length && text[at] in " \t\r\n") at++
        }

        private fun peek(): Char = if (at < text.length) text[at] else fail()

        private fun take(char: Char) {
            if (peek() != char) fail()
            at++
        }

        private fun value(depth: Int): Any? {
            if (depth > 100) fail()
            blank()
            return when (peek()) {
                '{' -> members(depth)
                '[' -> elements(depth)
                '"' -> string()
                't' -> word("true", true)
                'f' -> word("false", false)
                'n' -> word("null", null)
                else -> number()
            }
        }

        private fun word(word: String, value: Any?): Any? {
            if (!text.startsWith(word, at)) fail()
            at += word.length
            return value
        }

        private fun members(depth: Int): Map<String, Any?> {
            val found = LinkedHashMap<String, Any?>()
            take('{')
            blank()
            if (peek() == '}') { at++; return found }
            while (true) {
                blank()
                val name = string()
                blank()
                take(':')
                found[name] = value(depth + 1)
                blank()
                if (peek() == '}') { at++; return found }
                take(',')
            }
        }

        private fun elements(depth: Int): List<Any?> {
            val found = ArrayList<Any?>()
            take('[')
            blank()
            if (peek() == ']') { at++; return found }
            while (true) {
                found.add(value(depth + 1))
                blank()
                if (peek() == ']') { at++; return found }
                take(',')
            }
        }

        private fun string(): String {
            take('"')
            val out = StringBuilder()
            while (true) {
                val char = peek()
                at++
                when {
                    char == '"' -> return out.toString()
                    char == '\\' -> out.append(escaped())
                    char < ' ' -> fail()
                    else -> out.append(char)
                }
            }
        }

        private fun escaped(): Char {
            val char = peek()
            at++
            return when (char) {
                '"', '\\', '/' -> char
                'b' -> '\b'
                'f' -> '\u000c'
                'n' -> '\n'
                'r' -> '\r'
                't' -> '\t'
                'u' -> {
                    val code = if (at + 4 <= text.length) text.substring(at, at + 4).toIntOrNull(16) else null
                    at += 4
                    (code ?: fail()).toChar()
                }
                else -> fail()
            }
        }

        private fun number(): Number {
            val found = pattern.matchAt(text, at)?.value ?: fail()
            at += found.length
            return if (found.any { it in ".eE" }) found.toDouble() else found.toLongOrNull() ?: found.toDouble()
        }
    }

    private val pattern = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
}
