/**
 * Turns a function's entry file into its asset with esbuild.
 *
 * CDK's `NodejsFunction` always writes one output file, and esbuild splits code only into a folder. Splitting is what
 * keeps an executor out of the worker until a pass loads it by `await import()`, so we call esbuild's own interface, in
 * this process: no npx, no shell, the same on every platform.
 */
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import type { FunctionName } from '../schema/environment.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The entry file of a function, relative to the repository, with `/`. */
export function entryFile(name: FunctionName): string {
  return `functions/${name}/handler.ts`;
}

/** What Lambda calls: the file that `entryNames` below makes, and its export. */
export const HANDLER = 'index.handler';

/** esbuild's options for one function. `mainFields` and the banner both let CommonJS packages live in an ESM bundle. */
export function bundleOptions(name: FunctionName) {
  return {
    absWorkingDir: ROOT,
    entryPoints: [entryFile(name)],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    splitting: true,
    sourcemap: false,
    mainFields: ['module', 'main'],
    // What of it is not used can be left out of modules only; for Node the package names its CommonJS form, 115 KB of it.
    alias: { yaml: './node_modules/yaml/browser/dist/index.js' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    entryNames: 'index',
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    metafile: true,
    logLevel: 'error',
  } as const satisfies BuildOptions;
}

/** The code of one function. The asset's hash is that of its output, so an unchanged bundle is not deployed again. */
export function bundleCode(name: FunctionName): Code {
  return Code.fromAsset(ROOT, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK asks for an image in case local bundling declines; ours never does, it throws.
      image: DockerImage.fromRegistry('unused'),
      // CDK tells assets of one folder apart by these options as JSON, where functions do not show.
      command: ['esbuild', entryFile(name)],
      local: {
        tryBundle(outdir: string): boolean {
          buildSync({ ...bundleOptions(name), entryPoints: [entryFile(name)], outdir });
          return true;
        },
      },
    },
  });
}
