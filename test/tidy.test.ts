/**
 * The house rules that a reviewer should never have to say: each is a row in `test/tidy/`, with a small bad input it must
 * reject. A failure names the file, what was found there, and what to do.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findCycles, IMPORT_RULES } from './tidy/import-rules.ts';
import { LENGTH_RULES, LONGER } from './tidy/length-rules.ts';
import type { Rule } from './tidy/rule.ts';
import { maskSource, type SourceFile, sourceFile } from './tidy/source-file.ts';
import { TEXT_RULES, WORD_RULES } from './tidy/word-rules.ts';

const ROOT = new URL('../', import.meta.url);
const readText = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** What is not committed stays unread: the names in .gitignore, and git's own. */
const IGNORED = new Set([
  '.git',
  ...readText('.gitignore')
    .split('\n')
    .map((line) => line.replace(/\/$/, '')),
]);

function listFiles(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (IGNORED.has(entry.name) || entry.name.endsWith('.log')) return [];
    return entry.isDirectory() ? listFiles(`${path}/`) : [path];
  });
}

const paths = listFiles('');
const sources = paths
  .filter((path) => /^(?:schema|functions|infra|test|bench|scripts)\/.*\.(?:ts|mjs)$/.test(path))
  .map((path) => sourceFile(path, readText(path)));
/** Given texts are a person's, not ours. */
const texts = paths
  .filter((path) => /\.(?:ts|mjs|js|json|jsonc|md|ya?ml|sh|html|toml|svg)$/.test(path) && !path.startsWith('samples/'))
  .map((path): SourceFile => ({ path, text: readText(path), code: '', imports: [] }));

function listFindings(rule: Rule, files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => rule.find(file).map((finding) => `${file.path}:${finding} — ${rule.remedy}`));
}

const CODE_RULES = [...LENGTH_RULES, ...IMPORT_RULES, ...WORD_RULES];

describe('the tree', () => {
  it('is read: sources of every folder, and the documents', () => {
    const folders = new Set(sources.map(({ path }) => path.split('/')[0]));
    expect([...folders]).toEqual(expect.arrayContaining(['schema', 'functions', 'infra', 'test']));
    expect(texts.map(({ path }) => path)).toEqual(expect.arrayContaining(['schema/README.md', 'package.json']));
    expect(paths.filter((path) => path.includes('node_modules/'))).toEqual([]);
  });

  it.each(CODE_RULES.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
    expect(listFindings(rule, sources)).toEqual([]);
  });

  it.each(TEXT_RULES.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
    expect(listFindings(rule, texts)).toEqual([]);
  });

  it('no file imports itself by way of others', () => {
    expect(findCycles(sources)).toEqual([]);
  });

  it('files that may be longer are there', () => {
    expect(Object.keys(LONGER).filter((path) => !paths.includes(path))).toEqual([]);
  });
});

describe('each rule', () => {
  const all = [...CODE_RULES, ...TEXT_RULES];
  const bad = all.flatMap((rule) => rule.bad.map((input, k) => [rule.name, k + 1, rule, input] as const));
  const good = all.flatMap((rule) => rule.good.map((input, k) => [rule.name, k + 1, rule, input] as const));

  it.each(bad)('“%s” rejects its bad input %i', (_name, _k, rule, [path, text]) => {
    expect(rule.find(sourceFile(path, text))).not.toEqual([]);
  });

  it.each(good)('“%s” lets its good input %i through', (_name, _k, rule, [path, text]) => {
    expect(rule.find(sourceFile(path, text))).toEqual([]);
  });

  it('has something to reject and something to let through', () => {
    expect(all.filter(({ bad: rejected, good: kept }) => rejected.length === 0 || kept.length === 0)).toEqual([]);
  });

  it('a cycle is found, and one of types alone is none', () => {
    const cycle = [
      sourceFile('schema/a.ts', "import { b } from './b.ts';\n"),
      sourceFile('schema/b.ts', "import { c } from './c.ts';\n"),
      sourceFile('schema/c.ts', "import { a } from './a.ts';\n"),
    ];
    expect(findCycles(cycle)).toEqual(['schema/a.ts → schema/b.ts → schema/c.ts → schema/a.ts']);
    const types = [cycle[0], cycle[1], sourceFile('schema/c.ts', "import type { A } from './a.ts';\n")];
    expect(findCycles(types as SourceFile[])).toEqual([]);
  });
});

describe('reading a source', () => {
  it.each([
    ["const a = 'b // c'; // d", 'const a =         ;     '],
    ['const a = `b ${c + `d` + "}"} e`;', 'const a = `  ${c + ` ` +    }  `;'],
    ["const a = /['\"]/g; const b = 'c';", 'const a =        ; const b =    ;'],
    ['const a = b / c; /* d */ e();', 'const a = b / c;         e();'],
    ["const a = b.replace(/\\/'[/']/, '');", 'const a = b.replace(         ,   );'],
  ])('%s', (text, code) => {
    expect(maskSource(text, true)).toBe(code);
  });

  it('reads every form of import, and which of them are types', () => {
    const text = [
      "import * as z from 'zod';",
      "import { a, type B } from './a.ts';",
      "import { type C } from './c.ts';",
      "import type { D } from './d.ts';",
      "import './e.ts';",
      "export { f } from './f.ts';",
      "const g = await import('./g.ts');",
      "// import { h } from './h.ts';",
      'const text = "import { i } from \'./i.ts\'";',
    ].join('\n');
    expect(sourceFile('schema/x.ts', text).imports).toEqual([
      { specifier: 'zod', isType: false },
      { specifier: './a.ts', isType: false },
      { specifier: './c.ts', isType: true },
      { specifier: './d.ts', isType: true },
      { specifier: './f.ts', isType: false },
      { specifier: './e.ts', isType: false },
      { specifier: './g.ts', isType: false },
    ]);
  });
});
