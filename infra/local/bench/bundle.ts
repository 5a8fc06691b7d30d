/**
 * What each function weighs: the bytes that a cold start reads before anything is imported on demand, which leaves out
 * the executors that the worker loads by `await import()`.
 */
import path from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../../../schema/environment.ts';
import { ROOT } from '../template-cache.ts';
import { type Area, atMost } from './figure.ts';

export const FUNCTIONS = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];

/** Design section 17. */
const LARGER: ReadonlySet<FunctionName> = new Set(['scheduler', 'worker']);
const LARGER_MAX_KB = 650;
const OTHERS_MAX_KB = 550;

/** A bundle as it is deployed. */
export interface Bundle {
  readonly metafile: Metafile;
  /** The file that Lambda loads. */
  readonly entry: string;
}

/** What is bundled: a function's entry, or a module given as text, for comparison. */
export type Bundled = { readonly name: FunctionName } | { readonly contents: string };

/** Bundles into `folder` with the very options of the deployment. */
export async function writeBundle(bundled: Bundled, folder: string): Promise<Bundle> {
  // Loaded late: the stack's library takes seconds, and other areas do without it.
  const [{ bundleOptions }, { build }] = await Promise.all([import('../../bundling.ts'), import('esbuild')]);
  const { entryPoints, ...shared } = bundleOptions('name' in bundled ? bundled.name : 'worker');
  const from: BuildOptions =
    'name' in bundled
      ? { entryPoints: [...entryPoints] }
      : { stdin: { contents: bundled.contents, resolveDir: ROOT, sourcefile: 'index.ts', loader: 'ts' } };
  const { metafile } = await build({ ...shared, ...from, metafile: true, outdir: folder });
  const entry = findEntry(metafile);
  return { metafile, entry: path.resolve(ROOT, entry) };
}

function findEntry({ outputs }: Metafile): string {
  const entry = Object.keys(outputs).find(
    (file) => outputs[file]?.entryPoint !== undefined && !file.includes('/chunks/'),
  );
  if (entry === undefined) throw new Error(`The bundle has no entry, only ${Object.keys(outputs).join(', ')}.`);
  return entry;
}

/** The files a cold start loads: the entry and what it imports statically, through chunks. */
export function listStaticFiles(metafile: Metafile): string[] {
  const reached = new Set([findEntry(metafile)]);
  for (const file of reached) {
    for (const { path: imported, kind } of metafile.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && imported in metafile.outputs) reached.add(imported);
    }
  }
  return [...reached];
}

export function staticBytes(metafile: Metafile): number {
  return listStaticFiles(metafile).reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
}

export const bundles: readonly Area[] = FUNCTIONS.map((name) => ({
  names: [`bundle.${name}`],
  async measure(note) {
    const { metafile } = await writeBundle({ name }, path.join(ROOT, '.nightjar/bench', name));
    const all = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
    note(`bundle.${name}: ${Math.round(all / 1000)} KB with what is loaded on demand`);
    const boundKb = LARGER.has(name) ? LARGER_MAX_KB : OTHERS_MAX_KB;
    return [atMost(`bundle.${name}`, staticBytes(metafile) / 1000, boundKb)];
  },
}));
