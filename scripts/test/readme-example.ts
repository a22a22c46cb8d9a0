import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the first example of a README prints when it runs in that folder, and what the README says it prints. */
export function runReadmeExample(readme: URL): { readonly printed: string; readonly promised: string | undefined } {
  const blocks = [...readFileSync(readme, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const [, , code = ''] = blocks.find(([, language]) => language === 'ts') ?? [];
  const cwd = fileURLToPath(new URL('.', readme));
  const printed = execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    cwd,
    encoding: 'utf8',
  });
  return { printed, promised: blocks.find(([, language]) => language === '')?.[2] };
}
