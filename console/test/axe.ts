import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { isFull } from '../../scripts/test/runs.ts';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * Waits until nothing fades any more: a translucent element does not have its final colours yet. A dialog is
 * transparent for some frames before its fade is an animation, so those count too, and calm has to last. A list that is loaded
 * again is paler meanwhile.
 */
const settled = `(async () => {
  const isFading = (one) => one.playState === 'running' && Number.isFinite(one.effect.getComputedTiming().endTime);
  const isBefore = (one) => one.style.opacity === '0' && one.checkVisibility();
  const isBusy = () =>
    document.querySelector('table[aria-busy="true"]') !== null ||
    document.getAnimations().some(isFading) ||
    [...document.querySelectorAll('[style*="opacity: 0"]')].some(isBefore);
  for (let calm = 0; calm < 3; calm = isBusy() ? 0 : calm + 1) await new Promise(requestAnimationFrame);
})()`;

/** The rules that axe applies by itself and whose breach is serious or critical; the others would be left out below. */
const looking = `axe.run(document, {
  resultTypes: ['violations'],
  selectors: false,
  runOnly: {
    type: 'rule',
    values: axe._audit.rules
      .filter(({ enabled, tags }) => enabled && !tags.includes('experimental') && !tags.includes('deprecated'))
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id }) => id),
  },
})`;

/**
 * No problem that axe calls serious or critical may hinder a screen reader or a keyboard. In `npm test` `every-page` looks at one of
 * each kind of page; `npm run test:full` at every state that a test comes by, since axe takes longer than the step before it.
 */
export async function assertAccessible(page: Page, isAlways = isFull): Promise<void> {
  await page.evaluate(settled);
  if (!isAlways) return;
  // The page's content policy allows no foreign script; the debugger may evaluate one all the same.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(script);
  const found = (await page.evaluate(looking)) as {
    readonly violations: readonly Found[];
  };
  const grave = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    page.url(),
  );
}
