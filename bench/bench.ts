/**
 * `npm run bench -- NAME …` runs bench/NAME.ts with the words that follow. Without a name it is `compare`, and the words are its.
 */
import { globSync } from 'node:fs';

const names = globSync(['*.ts', 'browser/*.ts'], { cwd: import.meta.dirname })
  .map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, ''))
  .filter((name) => name !== 'bench')
  .sort();
const [asked = '--'] = process.argv.slice(2);
if (names.includes(asked)) {
  process.argv.splice(2, 1);
  await import(`./${asked}.ts`);
} else if (asked.startsWith('-')) await import('./compare.ts');
else {
  process.stderr.write(`There is no benchmark ${asked}. There are: ${names.join(', ')}.\n`);
  process.exitCode = 2;
}
