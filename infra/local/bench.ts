/**
 * `npm run bench [-- AREA] [--json]`: measures what the design promises and prints each figure beside its bound. Ratios
 * and counts of this machine, never times of AWS. An area is the beginning of figures' names, such as `drain.speedup`.
 */
import { Argument } from 'commander';
import { admission } from './bench/admission.ts';
import { bundles } from './bench/bundle.ts';
import { claims } from './bench/claims.ts';
import { coldStarts } from './bench/cold-start.ts';
import { contention } from './bench/contention.ts';
import { describeFigure } from './bench/figure.ts';
import { doubleDeliveries } from './bench/double-deliveries.ts';
import { drainCounts } from './bench/drain-counts.ts';
import { flatCost } from './bench/flat-cost.ts';
import { speedups } from './bench/speedup.ts';
import { EXIT_FAILED, runCommand } from './command.ts';
import { Shutdown } from './shutdown.ts';
import { OPTIONS, parseArguments, UsageError } from './usage.ts';

const AREAS = [
  ...speedups,
  drainCounts,
  doubleDeliveries,
  flatCost,
  contention,
  admission,
  claims,
  ...bundles,
  ...coldStarts,
];
const NAMES = AREAS.flatMap(({ names }) => names);

/** One line an area: its name, and what its figures are called behind it. */
function listFigures(): string {
  const byArea = Map.groupBy(NAMES, (name) => name.slice(0, name.indexOf('.')));
  const width = Math.max(...[...byArea.keys()].map((area) => area.length));
  return [...byArea]
    .map(([area, names]) => `  ${area.padEnd(width)}  ${names.map((name) => name.slice(area.length + 1)).join(', ')}`)
    .join('\n');
}

/** Runs `npm run bench` with these arguments; resolves to 1 when a bound was missed. */
export async function main(args: readonly string[]): Promise<number> {
  const shutdown = new Shutdown().listen();
  return await runCommand(shutdown, async () => {
    const { area, json } = parseBench(args);
    const wanted = (name: string): boolean => name === area || area === '' || name.startsWith(`${area}.`);
    let isMissed = false;
    for (const { names, measure } of AREAS) {
      if (!names.some(wanted)) continue;
      for (const figure of await measure((line) => void process.stderr.write(`${line}\n`))) {
        if (!wanted(figure.name)) continue;
        process.stdout.write(`${json ? JSON.stringify(figure) : describeFigure(figure)}\n`);
        isMissed ||= figure.ok === false;
      }
    }
    return isMissed ? EXIT_FAILED : 0;
  });
}

/** Reads and checks the arguments. Throws a UsageError. */
export function parseBench(args: readonly string[]): { readonly area: string; readonly json: boolean } {
  const command = parseArguments(args, 'npm run bench --', (described) =>
    described
      .description('Measures what the design promises; takes half an hour, without drain.speedup three minutes.')
      .addArgument(new Argument('[area]', 'which figures: an area, such as drain, or one of it, such as drain.speedup'))
      .addOption(OPTIONS.json())
      .addHelpText('after', `\nAreas and their figures:\n${listFigures()}`),
  );
  const area = command.args[0] ?? '';
  if (area !== '' && !NAMES.some((name) => name === area || name.startsWith(`${area}.`))) {
    throw new UsageError(`There is no area ${JSON.stringify(area)}. Areas and their figures:\n${listFigures()}`);
  }
  return { area, json: command.opts<{ json: boolean }>().json };
}
