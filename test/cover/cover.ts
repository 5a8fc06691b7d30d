/**
 * `npm run cover`: what of the embedded engines their own tests never run, as V8 counted it. Code that no test of the
 * subset reaches lies outside it and has no place in an engine that is no store; exits with 1 when there is more than
 * what is stated here.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../infra/local/template-cache.ts';
import { parseArguments } from '../../infra/local/usage.ts';
import { findUnreached, type ScriptCoverage } from './unreached.ts';

const ENGINES = ['dynamodb', 'sqs'] as const;
/** Branches that only a mistake of the engine itself would reach. */
export const UNREACHED_MAX: Readonly<Record<(typeof ENGINES)[number], number>> = { dynamodb: 0, sqs: 4 };

/** Types alone are nothing that could run. */
const HAS_CODE = /^(?:export )?(?:async )?(?:function|const|let|class) /m;

/** Runs `npm run cover`; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  parseArguments(args, 'npm run cover --', (described) =>
    described.description('Tells what of the embedded engines their own tests never run; takes a minute.'),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'nightjar-cover-'));
  try {
    const code = await runTests(folder);
    if (code !== 0) return code;
    const scripts = readReports(folder);
    const isWithin = ENGINES.map((engine) => report(engine, scripts));
    return isWithin.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tests' own words are heard only when they fail. */
async function runTests(folder: string): Promise<number> {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const tests = ENGINES.map((engine) => `test/infra/local/${engine}/`);
  const args = [vitest, 'run', '--config', 'test/cover/vitest.config.ts', '--reporter', 'agent', ...tests];
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.stdout.write(said);
  return code ?? 1;
}

function readReports(folder: string): ScriptCoverage[] {
  return readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { result: ScriptCoverage[] };
    return result;
  });
}

/** Prints what was not run; whether it is no more than stated. */
function report(engine: (typeof ENGINES)[number], scripts: readonly ScriptCoverage[]): boolean {
  const folder = path.join(ROOT, 'infra/local', engine);
  const lines = readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const url = pathToFileURL(file).href;
    const reports = scripts.filter((script) => script.url.split('?')[0] === url);
    const source = readFileSync(file, 'utf8');
    if (reports.length === 0) return HAS_CODE.test(source) ? [`infra/local/${engine}/${name} was never loaded`] : [];
    return findUnreached(source, reports).map(({ line, text }) => `infra/local/${engine}/${name}:${line}  ${text}`);
  });
  const most = UNREACHED_MAX[engine];
  process.stdout.write(`${engine}: ${lines.length} stretches of code that its tests never run, at most ${most}\n`);
  for (const line of lines) process.stdout.write(`  ${line}\n`);
  return lines.length <= most;
}
