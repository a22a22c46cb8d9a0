import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { filesFolder } from '../../../src/config/config.ts';
import { type Answer, buildApp, type DatabaseKind, type SignedIn, signInManager, type TestApp } from '../build-app.ts';

/** An app to which files are uploaded. */

export const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
export const pathOf = (url: string) => new URL(url).pathname;

export class FileSite {
  readonly app: TestApp;
  /** A manager who is signed in. */
  readonly user: SignedIn;

  constructor(app: TestApp, user: SignedIn) {
    this.app = app;
    this.user = user;
  }

  upload(
    name: string,
    body: string | Buffer = png,
    headers: Record<string, string | undefined> = { 'content-type': 'image/png' },
  ): Promise<Answer> {
    return this.app.send({ method: 'POST', url: `/api/v2/files/${encodeURIComponent(name)}`, headers, body });
  }

  /** An upload that has to be accepted. */
  async uploaded(name: string, body: string | Buffer = png, type = 'image/png') {
    const answer = await this.upload(name, body, { 'content-type': type });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body as { objectId: string; name: string; url: string };
  }

  /** As a browser: without credentials. */
  fetchFile(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET'): Promise<Answer> {
    const ofNobody = { 'x-service-appid': undefined, 'x-service-appkey': undefined };
    return this.app.send({ method, url: pathOf(url), headers: { ...ofNobody, ...headers } });
  }

  blobsOnDisk(): number {
    const entries = readdirSync(filesFolder(this.app.config), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

/** Files have at most 100,000 bytes there. */
export async function openFileSite(database: DatabaseKind): Promise<FileSite> {
  const app = await buildApp({ database, settings: { PHAROS_MAX_FILE_BYTES: '100000' } });
  return new FileSite(app, await signInManager(app));
}
