import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/run.ts';
import { createPostgresDatabase, type databases } from './build-app.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
  readonly json: any;
}

export interface Shell {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  run(line: string, how?: { readonly input?: string; readonly isInteractive?: boolean }): Promise<Ran>;
}

/** Runs command lines in this process; quoted words are not needed here. */
export function shellOf(folder: string, environment: Readonly<Record<string, string>>): Shell {
  return {
    folder,
    environment,
    async run(line, { input = '', isInteractive = false } = {}) {
      const [out, err]: [string[], string[]] = [[], []];
      const terminal = {
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        readInput: async () => input,
        isInteractive,
      };
      const words = line.split(' ').filter((word) => word !== '');
      const code = await runCommandLine({ words, environment, terminal });
      const said = out.join('\n');
      return {
        code,
        out: said,
        err: err.join('\n'),
        json: words.includes('--json') && said ? JSON.parse(said) : undefined,
      };
    },
  };
}

/** A shell with a folder and a database of its own, which are gone afterwards. */
export async function withShell(
  database: (typeof databases)[number],
  work: (shell: Shell) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'));
  const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
  try {
    await work(
      shellOf(folder, {
        PHAROS_DATA: join(folder, 'data'),
        ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
      }),
    );
  } finally {
    await postgres?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}
