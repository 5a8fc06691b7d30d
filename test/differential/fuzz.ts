/**
 * `npm run fuzz -- [--commands N] [--seed S] [--json]`: random commands of the subset on our engine and on the second
 * one. Exits with 1 when they differ beyond what `differences.ts` names.
 */
import { Option } from 'commander';
import { OPTIONS, parseArguments, wholeNumber } from '../../infra/local/usage.ts';
import { hasWitness, NO_WITNESS, startWitness } from '../../infra/local/witness/process.ts';
import { compareEngines, type Comparison } from './compare.ts';
import { openOther, openOurs } from './engines.ts';

const COMMANDS_DEFAULT = 100_000;
const COMMANDS_MAX = 10_000_000;

/** Runs `npm run fuzz` with these arguments; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { commands, seed, json } = parseFuzz(args);
  if (!hasWitness()) {
    process.stdout.write(`Skipped: ${NO_WITNESS}\n`);
    return 0;
  }
  const witness = await startWitness();
  const [ours, other] = [openOurs(), openOther(witness.url)];
  try {
    const comparison = await compareEngines({ ours, other, seed, commands });
    if (json) process.stdout.write(`${JSON.stringify({ witness: witness.name, seed, ...comparison })}\n`);
    else report(comparison, seed, witness.name);
    return comparison.findings.length === 0 ? 0 : 1;
  } finally {
    other.close();
    ours.close();
    await witness.stop();
  }
}

interface FuzzOptions {
  readonly commands: number;
  readonly seed: number;
  readonly json: boolean;
}

function parseFuzz(args: readonly string[]): FuzzOptions {
  const command = parseArguments(args, 'npm run fuzz --', (described) =>
    described
      .description('Random commands of the subset on our DynamoDB engine and on a second one.')
      .addOption(
        new Option('--commands <N>', 'how many')
          .default(COMMANDS_DEFAULT)
          .argParser(wholeNumber({ min: 0, max: COMMANDS_MAX, unit: 'of commands' })),
      )
      .addOption(OPTIONS.seed())
      .addOption(OPTIONS.json()),
  );
  return command.opts<FuzzOptions>();
}

function report({ commands, agreed, known, findings, outcomes }: Comparison, seed: number, witness: string): void {
  const lines = [
    `${commands} commands from seed ${seed}, our engine beside ${witness}: ${agreed} answered alike.`,
    ...Object.entries(outcomes)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([outcome, count]) => `  ${String(count).padStart(7)}  ${outcome}`),
    'Known differences:',
    ...Object.entries(known).map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`),
    findings.length === 0 ? 'Nothing else differed.' : `${findings.length} answers differed beyond that:`,
    ...findings.map((finding) => `  ${JSON.stringify(finding)}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
