/** `npm run check`: types, format and lint. All three run, whatever the first one says. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT_FAILED } from './command.ts';
import { ROOT } from './template-cache.ts';
import { parseArguments } from './usage.ts';

interface Check {
  readonly name: string;
  /** The package, and its program. */
  readonly tool: readonly [packageName: string, binary: string];
  readonly args: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'types', tool: ['typescript', 'tsc'], args: ['--noEmit', '-p', '.'] },
  { name: 'format', tool: ['@biomejs/biome', 'biome'], args: ['format', '.'] },
  { name: 'lint', tool: ['oxlint', 'oxlint'], args: ['--type-aware', '.'] },
];

/** Runs the checks; resolves to 0 when all are content, else to 1. */
export async function main(args: readonly string[]): Promise<number> {
  parseArguments(args, 'npm run check --', (described) =>
    described.description('Types, format and lint of everything.'),
  );
  const failed: string[] = [];
  for (const check of CHECKS) {
    const { code, output } = await runCheck(check);
    process.stdout.write(code === 0 ? `${check.name}: fine\n` : `${check.name}: failed\n${output}\n`);
    if (code !== 0) failed.push(check.name);
  }
  if (failed.length > 0) process.stdout.write(`Failed: ${failed.join(', ')}.\n`);
  return failed.length === 0 ? 0 : EXIT_FAILED;
}

function runCheck({ tool, args }: Check): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], windowsHide: true };
    const child = spawn(process.execPath, [findProgram(...tool), ...args], options);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** The JavaScript behind a package's program: the files in node_modules/.bin are shell scripts on Windows. */
function findProgram(packageName: string, binary: string): string {
  const folder = path.join(ROOT, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const program = typeof bin === 'string' ? bin : bin[binary];
  if (program === undefined) throw new Error(`The package ${packageName} has no program ${binary}.`);
  return path.join(folder, program);
}
