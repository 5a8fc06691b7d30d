import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions, entryFile } from '../../infra/bundling.ts';
import { FUNCTION_NAMES } from '../../infra/deployment.ts';
import type { FunctionName } from '../../schema/environment.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCKED = (
  JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: boolean }> }
).packages;

/** Bytes that a cold start may read before anything is imported on demand (design section 17). */
const STATIC_BYTES_MAX: Record<FunctionName, number> = {
  ingest: 550_000,
  trigger: 550_000,
  reader: 550_000,
  curator: 550_000,
  eraser: 550_000,
  scheduler: 650_000,
  worker: 650_000,
  finalizer: 550_000,
};

/** The files a cold start loads: the entry and what it imports statically, through chunks. */
function staticFiles({ outputs }: Metafile): string[] {
  const entry = Object.keys(outputs).find(
    (file) => outputs[file]?.entryPoint !== undefined && file.endsWith('index.mjs'),
  );
  if (entry === undefined) throw new Error('The bundle has no index.mjs.');
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) reached.add(path);
    }
  }
  return [...reached];
}

function staticBytes(metafile: Metafile): number {
  return staticFiles(metafile).reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
}

function bundle(name: FunctionName): Metafile {
  const options = bundleOptions(name);
  return buildSync({ ...options, entryPoints: [...options.entryPoints], write: false, outdir: join(tmpdir(), name) })
    .metafile;
}

/** Bundles a handler given as text with the worker's options. */
function bundleText(contents: string): Metafile {
  const { entryPoints: _, ...options } = bundleOptions('worker');
  const stdin = { contents, resolveDir: ROOT };
  return buildSync({ ...options, stdin, write: false, outdir: join(tmpdir(), 'text') }).metafile;
}

function staticInputs(metafile: Metafile): string[] {
  return staticFiles(metafile).flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
}

const isLanguageModel = (input: string) => input.includes('node_modules/wink-');

function developmentPackages(metafile: Metafile): string[] {
  const packages = Object.keys(metafile.inputs)
    .filter((input) => input.includes('node_modules/'))
    .map((input) => input.slice(input.indexOf('node_modules/')))
    .flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  return [...new Set(packages)].filter((path) => LOCKED[path]?.dev === true);
}

const output = (imports: Metafile['outputs'][string]['imports'], entryPoint?: string) => ({
  bytes: 10,
  inputs: {},
  exports: [],
  imports,
  ...(entryPoint !== undefined && { entryPoint }),
});

describe('what counts as read by a cold start', () => {
  it('is the entry and its static imports, however deep, and nothing imported on demand', () => {
    const outputs = {
      'out/index.mjs': output(
        [
          { path: 'out/chunks/a.mjs', kind: 'import-statement' },
          { path: 'out/chunks/rules.mjs', kind: 'dynamic-import' },
          { path: 'node:fs', kind: 'import-statement', external: true },
        ],
        'functions/worker/handler.ts',
      ),
      'out/chunks/a.mjs': output([{ path: 'out/chunks/b.mjs', kind: 'import-statement' }]),
      'out/chunks/b.mjs': output([]),
      'out/chunks/rules.mjs': output([], 'functions/worker/rules.ts'),
    };
    expect(staticFiles({ inputs: {}, outputs })).toEqual(['out/index.mjs', 'out/chunks/a.mjs', 'out/chunks/b.mjs']);
    expect(staticBytes({ inputs: {}, outputs })).toBe(30);
  });
});

describe.each(FUNCTION_NAMES)('the bundle of %s', (name) => {
  let metafile: Metafile;
  beforeAll(() => {
    metafile = bundle(name);
  });

  it('is below its bound', () => {
    expect(staticBytes(metafile)).toBeLessThanOrEqual(STATIC_BYTES_MAX[name]);
  });

  it('leaves the language model of the rules executor out of the cold start', () => {
    expect(staticInputs(metafile).filter(isLanguageModel)).toEqual([]);
  });

  it('has a handler', () => {
    const entry = Object.values(metafile.outputs).find((one) => one.entryPoint === entryFile(name));
    expect(entry?.exports).toContain('handler');
  });

  it('holds no development package', () => {
    expect(developmentPackages(metafile)).toEqual([]);
  });
});

describe('the checks of a bundle', () => {
  const use = 'export const handler = () => model;';

  it('see a language model that is imported statically, by name and by size', () => {
    const eager = bundleText(`import model from 'wink-eng-lite-web-model'; ${use}`);
    expect(staticInputs(eager).some(isLanguageModel)).toBe(true);
    expect(staticBytes(eager)).toBeGreaterThan(STATIC_BYTES_MAX.worker);
  });

  it('do not see one that is imported on demand', () => {
    const lazy = bundleText("export const handler = () => import('wink-eng-lite-web-model');");
    expect(staticInputs(lazy).some(isLanguageModel)).toBe(false);
    expect(staticBytes(lazy)).toBeLessThan(10_000);
  });

  it('see a development package', () => {
    expect(developmentPackages(bundleText(`import model from 'fast-check'; ${use}`))).toContain(
      'node_modules/fast-check',
    );
  });
});
