/**
 * Part of the bundled program: lets stack traces name the source files and their lines. Node's own support would read all maps at
 * the start, 50 MB of memory; here one is read when an error is shown, and forgotten when memory is collected.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const folder = new URL('.', import.meta.url).href;
const maps = new Map();

function mapOf(file) {
  const known = maps.get(file)?.deref();
  if (known) return known;
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, folder), 'utf8')));
  maps.set(file, new WeakRef(map));
  return map;
}

/** `at name (file:///…/main.js:1:2)` */
function inSources(frame) {
  const [place, file, line, column] = /file:\S*\/([^/\s]+\.js):(\d+):(\d+)/.exec(frame) ?? [];
  if (!place?.startsWith(folder)) return frame;
  try {
    const { fileName, lineNumber, columnNumber } = mapOf(file).findOrigin(Number(line), Number(column));
    if (fileName === undefined) return frame;
    return frame.replace(place, `${new URL(fileName, folder)}:${lineNumber}:${columnNumber}`);
  } catch {
    return frame;
  }
}

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
