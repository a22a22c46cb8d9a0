/**
 * Part of the bundled program: lets stack traces name the source files and their lines. Node's own support would read all maps at
 * the start, 50 MB of memory; here one is read when an error is shown, and forgotten when memory is collected.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = new URL('.', import.meta.url).href;
const path = fileURLToPath(folder);
const maps = new Map();

function mapOf(file) {
  const known = maps.get(file)?.deref();
  if (known) return known;
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, folder), 'utf8')));
  maps.set(file, new WeakRef(map));
  return map;
}

/** `at name (/…/main.cjs:1:2)` */
function inSources(frame) {
  const at = frame.indexOf(path);
  const [place, file, line, column] = /^([\w-]+\.cjs):(\d+):(\d+)/.exec(frame.slice(at + path.length)) ?? [];
  if (at === -1 || place === undefined) return frame;
  try {
    const { fileName, lineNumber, columnNumber } = mapOf(file).findOrigin(Number(line), Number(column));
    if (fileName === undefined) return frame;
    return frame.replace(path + place, `${new URL(fileName, folder)}:${lineNumber}:${columnNumber}`);
  } catch {
    return frame;
  }
}

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
