/**
 * Compiles the client and packs it, as ES modules and as CommonJS, each with its types and nothing else.
 *
 * In the checkout the package stays its source, so that the console and the tests can use it without a build. npm
 * cannot publish `exports` other than those in the folder's package.json, so a separate folder is packed.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmPack } from './npm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const source = join(root, 'sdk');

const formats = {
  esm: { type: 'module', options: { module: 'es2020', moduleResolution: 'bundler' } },
  cjs: { type: 'commonjs', options: { module: 'commonjs', moduleResolution: 'bundler', verbatimModuleSyntax: false } },
} as const;

/** The members of the manifest that do not depend on the build. */
interface Manifest {
  readonly [member: string]: unknown;
  readonly version: string;
}

/** @throws Error when the compiler or npm fails */
export async function packSdk(target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-sdk-'));
  try {
    const contents = join(folder, 'package');
    for (const [format, { type, options }] of Object.entries(formats)) {
      compile(folder, join(contents, format), options);
      writeJson(join(contents, format, 'package.json'), { type });
    }
    await addOffline(folder, contents);
    const { private: _, exports: __, scripts: ___, ...manifest } = readManifest();
    writeJson(join(contents, 'package.json'), { ...manifest, ...entries });
    copyFileSync(join(source, 'README.md'), join(contents, 'README.md'));
    copyFileSync(join(root, 'LICENSE'), join(contents, 'LICENSE'));
    mkdirSync(target, { recursive: true });
    return join(target, npmPack(contents, target));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const typed = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
const entry = (path: string) => ({
  import: typed(`esm/${path}`),
  require: typed(`cjs/${path}`),
  default: `./esm/${path}.js`,
});

const entries = {
  sideEffects: false,
  // For tools that ignore `exports`: TypeScript with `moduleResolution` node, older bundlers and React Native.
  main: './cjs/index.js',
  module: './esm/index.js',
  types: './cjs/index.d.ts',
  exports: {
    '.': entry('index'),
    './sensing': entry('sensing/index'),
    './offline': entry('offline/index'),
    './package.json': './package.json',
  },
  files: ['esm', 'cjs', 'offline'],
};

/**
 * `@pharos/sdk/offline` brings the engine with it, in one file, as nobody can install the engine. Its public types name nothing of it.
 */
async function addOffline(folder: string, contents: string): Promise<void> {
  const input = join(source, 'offline', 'index.ts');
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    platform: 'neutral',
    logLevel: 'silent',
    transform: { target: 'es2020' },
    resolve: { mainFields: ['module', 'main'] },
  });
  const types = join(folder, 'offline-types');
  compile(
    folder,
    types,
    {
      ...{ module: 'es2022', moduleResolution: 'bundler', target: 'es2024', emitDeclarationOnly: true, rootDir: root },
      lib: ['es2024', 'esnext.iterator', 'dom', 'dom.iterable'],
    },
    [join(source, 'offline')],
  );
  for (const format of ['esm', 'cjs'] as const) {
    const target = join(contents, format, 'offline');
    await bundle.write({ file: join(target, 'index.js'), format });
    for (const name of globSync('*.d.ts', { cwd: join(types, 'sdk', 'offline') })) {
      const text = readFileSync(join(types, 'sdk', 'offline', name), 'utf8');
      writeFileSync(join(target, name), text.replaceAll('../src/', '../'));
    }
  }
  await bundle.close();
  // For tools that ignore `exports`.
  mkdirSync(join(contents, 'offline'));
  const inEach = (file: string) => ({ main: `../cjs/offline/${file}.js`, types: `../cjs/offline/${file}.d.ts` });
  writeJson(join(contents, 'offline', 'package.json'), { ...inEach('index'), module: '../esm/offline/index.js' });
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
}

function compile(folder: string, outDir: string, options: object, include = [join(source, 'src')]): void {
  const config = join(folder, 'tsconfig.json');
  writeJson(config, {
    extends: join(source, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      incremental: false,
      tsBuildInfoFile: null,
      declaration: true,
      rootDir: join(source, 'src'),
      ...options,
      outDir,
    },
    include,
  });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', config], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  // The compiler writes the names of the compiled files into the programs, but leaves those of the sources in the
  // types.
  for (const name of globSync('**/*.d.ts', { cwd: outDir })) {
    const text = readFileSync(join(outDir, name), 'utf8');
    writeFileSync(join(outDir, name), text.replace(/((?:from |import\()["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1.js$2'));
  }
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
