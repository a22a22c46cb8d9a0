import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../../console/test/axe.ts';

export interface Remark {
  readonly mode: string;
  readonly text: string;
}

interface Picture {
  readonly folder: string;
  readonly name: string;
  readonly modes: readonly Mode[];
  readonly hasAxe: boolean;
}

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export const modes = ['desk-light', 'desk-dark', 'phone-light', 'phone-dark'] as const;
type Mode = (typeof modes)[number];
/** Pixels of a picture; of a longer page the rest is like its beginning. */
const tallest = 2_600;

/** Until nothing is a placeholder and nothing changes: for half a second, at most for ten. */
const still = `(async () => {
  let last = '';
  let calm = 0;
  for (const until = performance.now() + 10_000; calm < 5 && performance.now() < until; ) {
    await new Promise((go) => setTimeout(go, 100));
    const main = document.querySelector('main');
    const now = main?.innerText ?? '';
    const waits = main === null || main.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') !== null;
    calm = !waits && now === last ? calm + 1 : 0;
    last = now;
  }
})()`;

/** Until the colours of the other scheme are there. */
const recoloured = `Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished))`;

/** What is wider than the window, unless something around it scrolls or cuts it off. */
const overflowing = `(() => {
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide <= 0) return [];
  const isHeld = (one) => {
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    return false;
  };
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1 && !isHeld(one))
    .slice(0, 3)
    .map((one) => one.outerHTML.slice(0, 120))
    .concat(wide + ' px wider than the window');
})()`;

/** Texts that are cut off by their box without an ellipsis. */
const cut = `[...document.querySelectorAll('main button, main a, main label, main h1, main h2, main h3')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
  .filter((one) => { const s = getComputedStyle(one); return s.overflowX === 'hidden' && s.textOverflow !== 'ellipsis'; })
  .slice(0, 3).map((one) => one.textContent.slice(0, 60))`;

/** Opens a page, looks at it in each mode, and returns the addresses to which it links. */
export async function visitPage(
  page: Page,
  path: string,
  { folder, name, modes: chosen, hasAxe }: Picture,
  note: (remarks: readonly Remark[]) => void,
): Promise<readonly string[]> {
  const remarks: Remark[] = [];
  await page.setViewportSize(sizes.desk);
  await page.goto(path, { waitUntil: 'domcontentloaded' });
  await page.evaluate(still);
  const seen = new Set<string>();
  for (const mode of chosen) {
    const [size, scheme] = mode.split('-') as ['desk' | 'phone', 'light' | 'dark'];
    const viewport = sizes[size];
    await page.setViewportSize(viewport);
    await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
    await page.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))');
    await page.evaluate(recoloured);
    const see = async (what: string, script: string) => {
      for (const text of (await page.evaluate(script)) as string[]) remarks.push({ mode, text: `${what}: ${text}` });
    };
    if (!seen.has(size)) {
      await see('too wide', overflowing);
      await see('cut off', cut);
    }
    seen.add(size);
    if (hasAxe) await assertAccessible(page).catch((error: Error) => remarks.push({ mode, text: error.message }));
    const height = Math.min(tallest, (await page.evaluate('document.documentElement.scrollHeight')) as number);
    await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) });
    await page.screenshot({ path: join(folder, `${name}-${mode}.png`) });
  }
  await page.evaluate("document.documentElement.setAttribute('data-mantine-color-scheme', 'light')");
  note(remarks);
  const links = await page.evaluate(
    "[...document.querySelectorAll('a[href]')].map((one) => new URL(one.href).pathname)",
  );
  return links as readonly string[];
}
