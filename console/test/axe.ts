import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Nothing that axe calls serious or critical stands in the way of a screen reader or a keyboard. */
export async function assertAccessible(page: Page): Promise<void> {
  // What is fading in has not its colours yet.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime)).map((one) => one.finished))',
  );
  // The page's content policy allows no foreign script; what the debugger evaluates is not asked.
  await page.evaluate(script);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    readonly violations: readonly Found[];
  };
  const grave = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    page.url(),
  );
}
