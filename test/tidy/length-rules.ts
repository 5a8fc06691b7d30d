/** How long a file, a function and a handler may be. */
import type { Rule } from './rule.ts';
import { lineOf, type SourceFile } from './source-file.ts';

export const FILE_LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 70;
/** A handler wires; beside its imports it needs no more than this. */
export const HANDLER_LINES_MAX = 40;

const CONTROL = /\b(?:if|for|for await|while|switch|catch)\s*$/;
/** A suite of tests is a list of functions, not one. */
const SUITE = /\bdescribe(?:\.\w+)*\(/;

/** Position before the parenthesis that the one at `at` closes. */
function openingOf(code: string, at: number): number {
  let depth = 0;
  for (let back = at; back >= 0; back--) {
    if (code[back] === ')') depth++;
    if (code[back] === '(' && --depth === 0) return back;
  }
  return -1;
}

/** Whether the brace at `at` opens the body of a function: after `=>`, a list of parameters, or its return type. */
function opensFunction(code: string, at: number): boolean {
  const before = code.slice(0, at).trimEnd();
  if (before.endsWith('=>')) return true;
  if (before.endsWith(')')) {
    return !CONTROL.test(
      code.slice(Math.max(0, openingOf(code, before.length - 1) - 20), openingOf(code, before.length - 1)),
    );
  }
  return /\): [^?]*$/.test(before.slice(before.lastIndexOf('\n') + 1));
}

interface Body {
  readonly line: number;
  readonly lines: number;
}

/** Bodies of functions, suites of tests left out. */
export function findFunctions({ code }: SourceFile): Body[] {
  const open: number[] = [];
  const bodies: Body[] = [];
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '{') open.push(at);
    if (code[at] !== '}') continue;
    const start = open.pop();
    if (start === undefined || !opensFunction(code, start)) continue;
    const line = lineOf(code, start);
    const opening = code.slice(code.lastIndexOf('\n', start) + 1, start);
    if (!SUITE.test(opening)) bodies.push({ line, lines: lineOf(code, at) - line + 1 });
  }
  return bodies;
}

const lineCount = (text: string) => text.trimEnd().split('\n').length;
const longFunction = (head: string) => `${head} {\n${'  act();\n'.repeat(FUNCTION_LINES_MAX)}}\n`;

/** Files that are longer for a reason, and how long they are at most. An entry that is not needed any more is a finding. */
export const LONGER: Readonly<Record<string, number>> = {};

export const LENGTH_RULES: readonly Rule[] = [
  {
    name: `a file has at most ${FILE_LINES_MAX} lines`,
    remedy: 'split it by subject',
    bad: [['functions/core/a.ts', 'a();\n'.repeat(FILE_LINES_MAX + 1)]],
    good: [['functions/core/a.ts', 'a();\n'.repeat(FILE_LINES_MAX)]],
    find: ({ path, text }) => {
      const lines = lineCount(text);
      const most = LONGER[path] ?? FILE_LINES_MAX;
      if (path in LONGER && lines <= FILE_LINES_MAX) return ['is short enough: take it out of LONGER'];
      return lines > most ? [`has ${lines} lines`] : [];
    },
  },
  {
    name: `a function has at most ${FUNCTION_LINES_MAX} lines`,
    remedy: 'take out a part that has a name',
    bad: [
      ['functions/core/a.ts', longFunction('function act(): void')],
      ['functions/core/a.ts', longFunction('const act = async (): Promise<void> =>')],
      ['functions/core/a.ts', longFunction('export function act({ a }: { a: number }): { b: number }')],
      ['functions/core/a.ts', `class A {\n${longFunction('  act()')}}\n`],
      ['test/core/a.test.ts', `describe('a', () => {\n${longFunction("  it('b', () =>")}});\n`],
    ],
    good: [
      ['functions/core/a.ts', `function act(): void {\n${'  act();\n'.repeat(FUNCTION_LINES_MAX - 2)}}\n`],
      ['functions/core/a.ts', `const rows = {\n${'  // row\n'.repeat(100)}};\n`],
      ['test/core/a.test.ts', longFunction("describe('a', () =>")],
      ['functions/core/a.ts', longFunction('if (act())')],
    ],
    find: (file) =>
      findFunctions(file)
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ line, lines }) => `${line}: a function of ${lines} lines`),
  },
  {
    name: `a handler has at most ${HANDLER_LINES_MAX} lines beside its imports`,
    remedy: 'a handler wires: move what decides into run.ts or functions/core',
    bad: [['functions/a/handler.ts', `import { a } from './a.ts';\n${'a();\n'.repeat(HANDLER_LINES_MAX + 1)}`]],
    good: [
      ['functions/a/handler.ts', `${"import { a } from './a.ts';\n".repeat(20)}${'a();\n'.repeat(HANDLER_LINES_MAX)}`],
      ['functions/a/run.ts', 'a();\n'.repeat(HANDLER_LINES_MAX + 1)],
    ],
    find: ({ path, text }) => {
      if (!/^functions\/\w+\/handler\.ts$/.test(path)) return [];
      const lines = lineCount(text.replace(/^import [\s\S]*?;\n/gm, ''));
      return lines > HANDLER_LINES_MAX ? [`has ${lines} lines beside its imports`] : [];
    },
  },
];
