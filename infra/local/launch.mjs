/**
 * What every npm script runs: `node infra/local/launch.mjs <verb> [options]`. Plain JavaScript that Node 18 can parse,
 * because its first task is to say what to do when an old Node reads it.
 *
 * npm puts node_modules/.bin first on the path, and the package `node` puts the pinned Node there; it fetches that
 * binary in an install script.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
/** Each exports `main`, which takes the options and resolves to the exit code. */
const ENTRIES = {
  start: './start.ts',
  serve: './serve.ts',
  check: './check.ts',
  bench: './bench.ts',
  plan: './plan.ts',
  repair: './repair.ts',
  simulate: '../../test/simulation/simulate.ts',
  witness: './witness.ts',
  fuzz: '../../test/differential/fuzz.ts',
  endure: '../../test/endurance/endure.ts',
  cover: '../../test/cover/cover.ts',
};
const modules = new URL('../../node_modules/', import.meta.url);

// Compiled code, and text stripped of its types, is kept on disk: measured, a tenth off `start`. Old Nodes have none.
module.enableCompileCache?.();

/** What keeps this from running, and the one command that mends it; undefined when nothing does. */
function findObstacle() {
  if (!existsSync(modules)) return 'The dependencies are not installed. Install them: npm ci';
  const version = process.versions.node;
  if (Number(version.split('.')[0]) >= NODE_MAJOR_MIN) return undefined;
  const isPinned = existsSync(new URL(`node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, modules));
  if (!isPinned) {
    const why = `Nightjar needs Node ${NODE_MAJOR_MIN} and this is ${version}: its own Node is missing, because install scripts are disabled.`;
    return `${why} Fetch it: npm rebuild node --ignore-scripts=false`;
  }
  const script = process.argv[2] === 'vitest' ? 'test' : process.argv[2];
  return `Nightjar needs Node ${NODE_MAJOR_MIN} and this is ${version}. Let npm choose the pinned one: npm run ${script}`;
}

const obstacle = findObstacle();
const [verb, ...options] = process.argv.slice(2);
if (obstacle !== undefined) {
  console.error(obstacle);
  process.exitCode = 1;
} else if (verb === 'vitest') {
  const entry = new URL('vitest/vitest.mjs', modules);
  process.argv.splice(1, 2, fileURLToPath(entry));
  await import(entry.href);
} else if (Object.hasOwn(ENTRIES, verb)) {
  const { main } = await import(ENTRIES[verb]);
  const code = await main(options).catch((error) => {
    // What `usage.ts` throws: the help that was asked for, or one sentence on a wrong call. Anything else is a fault and
    // is shown whole.
    if (error?.name === 'HelpRequest') {
      process.stdout.write(error.message);
      return 0;
    }
    if (error?.name !== 'UsageError') throw error;
    console.error(error.message);
    return 2;
  });
  // Where a pipe takes its time, what was said last must be out before the end.
  await new Promise((resolve) => process.stdout.write('', resolve));
  process.exit(code);
} else {
  console.error(
    `There is no verb ${JSON.stringify(verb ?? '')}; there are ${Object.keys(ENTRIES).join(', ')} and vitest.`,
  );
  process.exitCode = 2;
}
