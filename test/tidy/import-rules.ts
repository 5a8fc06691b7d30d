/** Who may import whom: schema ← core ← runs ← handlers; io alone knows the SDK; the stack and the functions never meet. */
import { isCore, isFunction, isIo, isSchema, isStack, resolveImport, type Rule } from './rule.ts';
import type { Import, SourceFile } from './source-file.ts';

const isSdk = (specifier: string) => specifier.startsWith('@aws-sdk/') || specifier.startsWith('@smithy/');
/** Folders of `functions/` that every function may import. */
const SHARED = new Set(['core', 'io']);
/** Packages a decision may use: pure, without clock or I/O. */
const CORE_PACKAGES = new Set(['zod', 'yaml']);

const folderOf = (path: string) => /^functions\/(\w+)\//.exec(path)?.[1];

function findImports(file: SourceFile, isFault: (to: string | undefined, imported: Import) => boolean): string[] {
  return file.imports
    .filter((imported) => isFault(resolveImport(file.path, imported.specifier), imported))
    .map(({ specifier }) => `imports ${specifier}`);
}

export const IMPORT_RULES: readonly Rule[] = [
  {
    name: 'the schema imports only itself, zod, node:crypto and types of the SDK',
    remedy: 'the schema is pure: what needs more belongs in functions/',
    bad: [
      ['schema/a.ts', "import { b } from '../functions/core/b.ts';\n"],
      ['schema/a.ts', "import { GetCommand } from '@aws-sdk/lib-dynamodb';\n"],
      ['schema/a.ts', "import { readFileSync } from 'node:fs';\n"],
      ['schema/a.ts', "import { type A, GetCommand } from '@aws-sdk/lib-dynamodb';\n"],
    ],
    good: [
      ['schema/a.ts', "import type { GetCommandInput } from '@aws-sdk/lib-dynamodb';\nimport * as z from 'zod';\n"],
      ['schema/a.ts', "import {\n  type A,\n  type B,\n} from '@aws-sdk/lib-dynamodb';\nimport { b } from './b.ts';\n"],
    ],
    find: (file) =>
      isSchema(file)
        ? findImports(file, (to, { specifier, isType }) => {
            if (to !== undefined) return !to.startsWith('schema/');
            return !['zod', 'node:crypto'].includes(specifier) && !(isType && isSdk(specifier));
          })
        : [],
  },
  {
    name: 'decisions import the schema and decisions only',
    remedy: 'load before, decide here, apply after: what reads or writes belongs in a run',
    bad: [
      ['functions/core/a.ts', "import { createStore } from '../io/dynamo.ts';\n"],
      ['functions/core/a.ts', "import type { Store } from '../io/ports.ts';\n"],
      ['functions/core/a.ts', "import { run } from '../worker/run.ts';\n"],
      ['functions/core/a.ts', "import { Hono } from 'hono';\n"],
    ],
    good: [
      [
        'functions/core/a.ts',
        "import { A } from '../../schema/a.ts';\nimport { b } from './b.ts';\nimport { parse } from 'yaml';\n",
      ],
    ],
    find: (file) =>
      isCore(file)
        ? findImports(file, (to, { specifier }) =>
            to === undefined
              ? !CORE_PACKAGES.has(specifier)
              : !to.startsWith('schema/') && !to.startsWith('functions/core/'),
          )
        : [],
  },
  {
    name: 'only functions/io imports values of the SDK',
    remedy: 'make a request in schema/ and send it through the store, or give io a new way out',
    bad: [
      ['functions/worker/run.ts', "import { GetCommand } from '@aws-sdk/lib-dynamodb';\n"],
      ['functions/worker/run.ts', "const sdk = await import('@aws-sdk/client-sqs');\n"],
    ],
    good: [
      ['functions/io/dynamo.ts', "import { GetCommand } from '@aws-sdk/lib-dynamodb';\n"],
      ['functions/worker/run.ts', "// import { GetCommand } from '@aws-sdk/lib-dynamodb';\n"],
    ],
    find: (file) =>
      isFunction(file) && !isIo(file)
        ? findImports(file, (_, { specifier, isType }) => isSdk(specifier) && !isType)
        : [],
  },
  {
    name: 'one function never imports another',
    remedy: 'what two functions share belongs in functions/core, functions/io or schema/',
    bad: [
      ['functions/reader/run.ts', "import { take } from '../worker/take.ts';\n"],
      ['functions/worker/executor/a.ts', "import type { A } from '../../reader/a.ts';\n"],
      ['functions/io/a.ts', "import { take } from '../worker/take.ts';\n"],
    ],
    good: [['functions/worker/executor/a.ts', "import { a } from '../a.ts';\nimport { b } from '../../core/b.ts';\n"]],
    find: (file) =>
      isFunction(file)
        ? findImports(file, (to) => {
            const folder = to === undefined ? undefined : folderOf(to);
            return folder !== undefined && folder !== folderOf(file.path) && !SHARED.has(folder);
          })
        : [],
  },
  {
    name: 'the stack and the functions never import each other, and nothing shipped imports tests',
    remedy: 'names both need belong in schema/; the stack names entries of functions by path',
    bad: [
      ['infra/stack.ts', "import { handler } from '../functions/worker/handler.ts';\n"],
      ['functions/worker/run.ts', "import { limits } from '../../infra/limits.ts';\n"],
      ['infra/local/a.ts', "import { a } from '../../test/support/a.ts';\n"],
    ],
    good: [
      ['infra/stack.ts', "import { INDEXES } from '../schema/table.ts';\n"],
      ['infra/local/runtime/a.ts', "import { STREAM } from '../../../schema/edges.ts';\n"],
    ],
    find: (file) =>
      findImports(file, (to = '') => {
        if (file.path.startsWith('test/')) return false;
        if (to.startsWith('test/')) return true;
        return isFunction(file) ? to.startsWith('infra/') : isStack(file) && to.startsWith('functions/');
      }),
  },
];

/** Cycles among files by the imports that are left at run time, each as its path of files. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => !isType).flatMap(({ specifier }) => resolveImport(path, specifier) ?? []),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const begins = trail.indexOf(path);
    if (begins >= 0) cycles.push([...trail.slice(begins), path].join(' → '));
    if (begins >= 0 || done.has(path)) return;
    for (const to of edges.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}
