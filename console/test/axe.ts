import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Holds the page as it stands against the rules of accessibility: nothing serious or critical is allowed. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Toasts come and go, and what fades in has not its own colours yet.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined))).then(() => undefined)`);
  await page.evaluate(script);
  const violations = await page.evaluate<readonly Violation[]>('axe.run().then(({ violations }) => violations)');
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.map(({ html }) => html.slice(0, 200)).join('\n    ')}`);
  assert.deepEqual(grave, [], `accessibility of ${what}`);
}
