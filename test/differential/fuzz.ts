/**
 * `npm run fuzz -- [--commands N] [--seed S] [--json]`: random commands of the subset on our engine and on the second
 * one. Exits with 1 when they differ beyond what `differences.ts` names.
 */
import { parseArgs } from 'node:util';
import { hasWitness, NO_WITNESS, startWitness } from '../../infra/local/witness/process.ts';
import { compareEngines, type Comparison } from './compare.ts';
import { openOther, openOurs } from './engines.ts';

const COMMANDS_DEFAULT = 100_000;
const COMMANDS_MAX = 10_000_000;

/** Runs `npm run fuzz` with these arguments; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = { commands: { type: 'string' }, seed: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const commands = readCount(values.commands, 'commands') ?? COMMANDS_DEFAULT;
  const seed = readCount(values.seed, 'seed') ?? 1;
  if (!hasWitness()) {
    process.stdout.write(`Skipped: ${NO_WITNESS}\n`);
    return 0;
  }
  const witness = await startWitness();
  const [ours, other] = [openOurs(), openOther(witness.url)];
  try {
    const comparison = await compareEngines({ ours, other, seed, commands });
    if (values.json) process.stdout.write(`${JSON.stringify({ witness: witness.name, seed, ...comparison })}\n`);
    else report(comparison, seed, witness.name);
    return comparison.findings.length === 0 ? 0 : 1;
  } finally {
    other.close();
    ours.close();
    await witness.stop();
  }
}

function readCount(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,8}$/.test(text) && Number(text) <= COMMANDS_MAX) return Number(text);
  throw new Error(`--${name} takes a whole number from 0 to ${COMMANDS_MAX}, not ${JSON.stringify(text)}.`);
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
