import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = process.env['PHAROS_TEST_PICTURES'];

/** With PHAROS_TEST_PICTURES=FOLDER: the page wide and narrow, light and dark, for a person to look at. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (!folder) return;
  const known = page.viewportSize() ?? { width: 1280, height: 860 };
  for (const scheme of ['light', 'dark'] as const) {
    // Pages without the console's scripts follow the system.
    await page.emulateMedia({ colorScheme: scheme });
    await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate("document.documentElement.setAttribute('data-mantine-color-scheme', 'light')");
  await page.setViewportSize(known);
}
