import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Answer, TestApp } from '../../../server/test/support/build-app.ts';
import { becomes } from '../browser.ts';

/** The name of venues and beacons of these tests; nobody may take it for markup. */
export const script = '<img src=x onerror=alert(1)>';

interface Visited {
  readonly page: Page;
  readonly app: TestApp;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the tests of venues do on a page, and what the service has stored of it. */
export function venuePage(visited: () => Visited) {
  const button = (name: string) => visited().page.getByRole('button', { name, exact: true });
  const heading = (name: string) => visited().page.getByRole('heading', { name, exact: true });
  const said = (text: string) => visited().page.getByText(text, { exact: false }).first().waitFor();
  const first = async (path: string): Promise<Answer['body']> => {
    const { app, headers } = visited();
    const answer = await app.send({ method: 'GET', url: `/api/v2/${path}`, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.results[0];
  };
  /** Until the service has what the page shows. */
  async function stored(path: string, isThere: (record: Record<string, unknown>) => boolean): Promise<Answer['body']> {
    let record: Answer['body'];
    await becomes(async () => {
      record = await first(path);
      return record !== undefined && isThere(record);
    }, true);
    return record;
  }
  const choose = (name: string, file: { name: string; mimeType: string; buffer: Buffer }) =>
    Promise.all([visited().page.waitForEvent('filechooser'), button(name).click()]).then(([chooser]) =>
      chooser.setFiles(file),
    );
  return { button, heading, said, first, stored, choose };
}
