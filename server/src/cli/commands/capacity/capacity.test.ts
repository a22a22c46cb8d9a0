import assert from 'node:assert/strict';
import { test } from 'vitest';
import { runCommandLine } from '../../run.ts';

async function run(...words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    readInput: async () => '',
    isInteractive: false,
  };
  const code = await runCommandLine({ words: ['capacity', ...words], environment: {}, terminal });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('a museum fits one process, a chain of venues needs nodes and much more disk', async () => {
  const museum = await run('--visitors', '2000', '--beacons', '200');
  assert.equal(museum.code, 0);
  assert.match(museum.out, /one process, embedded database +enough/);
  const [one, ten] = await Promise.all(
    ['1000000', '10000000'].map(async (visitors) =>
      JSON.parse((await run('--visitors', visitors, '--beacons', '200000', '--json')).out),
    ),
  );
  assert.ok(!one.fitsOneProcess && one.nodes > 2);
  // Ten times the visitors need about ten times the nodes, beside the spare one, and exactly ten times the disk.
  assert.ok(Math.abs((ten.nodes - 1) / (one.nodes - 1) - 10) < 1, `${one.nodes} and ${ten.nodes}`);
  assert.equal(ten.disk.traces, 10 * one.disk.traces);
  const short = JSON.parse(
    (await run('--visitors', '1000000', '--beacons', '200000', '--retention', '36.5', '--json')).out,
  );
  assert.equal(Math.round(one.disk.traces / short.disk.traces), 10);
});

test('every figure says where it comes from', async () => {
  const { out } = await run('--visitors', '1', '--beacons', '1', '--json');
  const sources = (of: object): unknown[] =>
    Object.values(of).map((one) => ('value' in one ? one.source : sources(one)));
  assert.ok(
    sources(JSON.parse(out).costs)
      .flat()
      .every((source) => typeof source === 'string' && source.length > 10),
  );
});

test('what cannot be computed is refused with a sentence', async () => {
  for (const [words, about] of [
    [['--beacons', '5'], /--visitors/],
    [['--visitors', '0', '--beacons', '5'], /--visitors must be a number greater than 0/],
    [['--visitors', '10', '--beacons', 'many'], /--beacons must be a number/],
    [['--visitors', '10', '--beacons', '5', '--hours', '25'], /--hours must be at most 24/],
  ] as const) {
    const { code, err } = await run(...words);
    assert.equal(code, 2);
    assert.match(err, about);
  }
});
