/**
 * `npm run endure [-- --seed N]`: what the embedded engine has to stand that takes longer than a test may: 1,000 races of
 * 50 writers, 15 killed processes with torn logs, 10,000 queries without a leak. Exits with 1 at the first that fails.
 */
import { OPTIONS, parseArguments } from '../../infra/local/usage.ts';
import { enduresKills } from './kills.ts';
import { enduresQueries } from './queries.ts';
import { enduresRaces } from './races.ts';

/** Throws what went wrong; answers what was seen. */
export type Ordeal = (seed: number) => Promise<string>;

const ORDEALS: readonly (readonly [name: string, run: Ordeal])[] = [
  ['races', enduresRaces],
  ['kills', enduresKills],
  ['queries', enduresQueries],
];

/** Runs `npm run endure` with these arguments; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const command = parseArguments(args, 'npm run endure --', (described) =>
    described
      .description('Races, killed processes and queries without end on the embedded DynamoDB engine.')
      .addOption(OPTIONS.seed()),
  );
  const { seed } = command.opts<{ readonly seed: number }>();
  for (const [name, run] of ORDEALS) {
    const startedAtMs = performance.now();
    const seen = await run(seed);
    process.stdout.write(`${name}: ${seen} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)\n`);
  }
  return 0;
}
