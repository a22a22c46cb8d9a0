/** Load from outside, by wrk. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Load, type Measured, type Pressure, shots } from './load.ts';

const luaText = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Requests are made before the clock starts, so that wrk only sends them. */
function luaScript(load: Load, folder: string): string {
  const headers = Object.entries(load.headers).map(
    ([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`,
  );
  return `${headers.join('\n')}
local requests, n = {}, 0
local function lines(name)
  local all = {}
  local file = io.open(${luaText(`${folder}/`)} .. name)
  if file then for line in file:lines() do all[#all + 1] = line end file:close() end
  return all
end
function init(args)
  local paths, bodies = lines("paths"), lines("bodies")
  for i = 1, math.max(#paths, #bodies) do
    requests[i] = wrk.format(${luaText(load.method)}, paths[(i - 1) % #paths + 1], nil, bodies[i])
  end
end
function request()
  n = n + 1
  if n >= #requests then ${load.once ? 'wrk.thread:stop()' : 'n = n % #requests'} end
  return requests[n == 0 and #requests or n]
end
function done(summary, latency, requests)
  io.write(string.format("MEASURED %d %d %d %f %f\\n", summary.requests, summary.duration,
    summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout + summary.errors.connect,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;
}

export async function press(url: string, load: Load, { connections, seconds }: Pressure): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-wrk-'));
  writeFileSync(join(folder, 'paths'), load.paths.join('\n'));
  if (load.bodies) writeFileSync(join(folder, 'bodies'), load.bodies.join('\n'));
  writeFileSync(join(folder, 'load.lua'), luaScript(load, folder));
  try {
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', join(folder, 'load.lua'), url];
    const { stdout } = await promisify(execFile)('wrk', args);
    const found = /MEASURED (\d+) (\d+) (\d+) ([\d.]+) ([\d.]+)/.exec(stdout);
    if (!found) throw new Error(`wrk said nothing that can be used:\n${stdout}`);
    const [requests = 0, micros = 1, failures = 0, p50 = 0, p99 = 0] = found.slice(1).map(Number);
    return { rate: ((requests - failures) / micros) * 1e6, answers: requests, p50, p99, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends each request of `load` once, 64 at a time. Returns the bodies of the answers, in any order. */
export async function sendAll(url: string, load: Load): Promise<string[]> {
  const answers: string[] = [];
  let refused: string | undefined;
  const all = shots(load);
  let next = 0;
  const worker = async () => {
    for (let shot = all[next++]; shot; shot = all[next++]) {
      const { method, headers, body } = shot;
      const response = await fetch(url + shot.path, { method, headers, ...(body === undefined ? {} : { body }) });
      const text = await response.text();
      if (response.ok) answers.push(text);
      else refused ??= `${response.status} ${text}`;
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  if (refused) throw new Error(`a record was refused: ${refused}`);
  return answers;
}
