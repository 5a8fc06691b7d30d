/**
 * `npm run witness`: the endpoint tests (every builder of `schema/`, index rows, paging) against the second engine;
 * says so and passes where that one is not installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ROOT } from './template-cache.ts';
import { parseArguments } from './usage.ts';
import { hasWitness, NO_WITNESS, startWitness } from './witness/process.ts';

/** What runs against any endpoint; `npm run test:endpoint` names the same. */
const ENDPOINT_TESTS = ['test/schema', 'test/endpoint'];

/** Starts the second engine, runs the tests against it and stops it; resolves to the tests' exit code. */
export async function main(given: readonly string[]): Promise<number> {
  parseArguments(given, 'npm run witness --', (described) =>
    described.description('Runs the tests of every builder against a second DynamoDB engine.'),
  );
  if (!hasWitness()) {
    process.stdout.write(`Skipped: ${NO_WITNESS}\n`);
    return 0;
  }
  const witness = await startWitness();
  try {
    process.stdout.write(`The endpoint tests against ${witness.name} at ${witness.url}\n`);
    const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--config', 'test/vitest.config.ts', ...ENDPOINT_TESTS];
    const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: witness.url };
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit', windowsHide: true });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await witness.stop();
  }
}
