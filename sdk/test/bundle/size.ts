import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/**
 * What a page loads of an app that signs in and lists, minified and compressed.
 *
 * @param client the path of its `index`
 * @returns bytes
 */
export async function sizeWith(client: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-app-'));
  try {
    const input = join(folder, 'app.mjs');
    writeFileSync(
      input,
      `import { PharosClient } from ${JSON.stringify(client)};
      const pharos = new PharosClient({ baseUrl: 'https://pharos.example.org', appId: 'a', appKey: 'k' });
      await pharos.users.signIn({ email: 'vera@example.org', password: 'correct horse' });
      console.log((await pharos.beacons.list({ order: 'name' })).results);`,
    );
    // As `sideEffects: false` of the package says.
    const bundle = await rolldown({ input, platform: 'browser', treeshake: { moduleSideEffects: false } });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    assert.equal(output.length, 1);
    assert.match(output[0].code, /\/users\/signin/);
    return gzipSync(output[0].code, { level: 9 }).length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const maxSize = 8_192;
