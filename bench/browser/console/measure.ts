import type { Page } from 'playwright-core';
import type { Narrowing } from './pages.ts';

/**
 * Takes times inside the page, so that the way to the driver does not count. The scripts are texts: the server side of
 * this project has no DOM types.
 */

/** The rows, without placeholders. */
const rows = `document.querySelector('table tbody, ul[aria-label="files"]')`;
const isShown = `(() => { const rows = ${rows}; return rows !== null && rows.children.length > 0 &&
  !rows.querySelector('.mantine-Skeleton-root, [aria-hidden="true"]:is(tr)') && rows.textContent.trim() !== ''; })()`;

/** Checks every frame and gives up after a while, because a longer wait shows nothing more. */
const until = (condition: string) => `await new Promise((resolve, reject) => {
  const givesUpAt = performance.now() + 30000;
  const look = () => {
    if (${condition}) return resolve();
    if (performance.now() > givesUpAt) return reject(new Error('nothing happened within 30 s at ' + location.href));
    requestAnimationFrame(look);
  };
  look();
});`;

/** From the beginning of the navigation to the rows, ms. */
export async function load(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate(`(async () => { ${until(isShown)} return performance.now(); })()`);
}

/** Does something and returns the ms until other rows are shown, or the same ones were requested again. */
function untilChanged(page: Page, what: string): Promise<number> {
  return page.evaluate(`(async () => {
    const before = ${rows}.textContent;
    let wasBusy = false;
    const watch = new MutationObserver(() => { wasBusy ||= isBusy(); });
    const isBusy = () => document.querySelector('table[aria-busy="true"], [class*="busy"]') !== null;
    watch.observe(document.body, { attributes: true, subtree: true });
    const start = performance.now();
    ${what}
    ${until(`!isBusy() && ${isShown} && (wasBusy || ${rows}.textContent !== before)`)}
    watch.disconnect();
    return performance.now() - start;
  })()`);
}

export const nextPage = (page: Page) =>
  untilChanged(page, `document.querySelector('[aria-label="Next page"]').click();`);

/** The sortable columns, except for the one that the list is already sorted by. */
export function sortable(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('th[aria-sort="none"] button')].map((button) => button.textContent)`,
  );
}

export const sortBy = (page: Page, column: string) =>
  untilChanged(
    page,
    `[...document.querySelectorAll('th button')].find((one) => one.textContent === ${JSON.stringify(column)}).click();`,
  );

/** Typing waits a quarter of a second for more; that counts too. */
export function narrow(page: Page, by: Narrowing): Promise<number> {
  const find =
    by.kind === 'search'
      ? `document.querySelector('input[type="search"]')`
      : `[...document.querySelectorAll('select')].find((one) => (one.labels[0]?.textContent ?? one.ariaLabel) === ${JSON.stringify(by.label)})`;
  const [type, event] = by.kind === 'search' ? ['HTMLInputElement', 'input'] : ['HTMLSelectElement', 'change'];
  // React notices only a value that is set like this.
  return untilChanged(
    page,
    `const field = ${find};
    Object.getOwnPropertyDescriptor(${type}.prototype, 'value').set.call(field, ${JSON.stringify(by.value)});
    field.dispatchEvent(new Event('${event}', { bubbles: true }));`,
  );
}
