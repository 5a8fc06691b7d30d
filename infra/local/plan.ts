/**
 * `npm run plan -- SNAPSHOT.json [--set NAME=VALUE]…`: what the next tick of a deployment would admit and refuse, and
 * why, from the answer of `GET /v1/status?snapshot=1`. `--set` asks what other settings would do. Nothing is sent.
 */
import { readFileSync } from 'node:fs';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { type PreviewLine, previewTick } from '../../functions/core/plan-preview.ts';
import { type TickSnapshot, tickSnapshotSchema } from '../../functions/core/tick-snapshot.ts';
import { parseSettingsPatch, type SettingOverrides } from '../../schema/settings.ts';
import { runCommand } from './command.ts';
import { Shutdown } from './shutdown.ts';
import { parseArguments, resolveGiven, UsageError } from './usage.ts';

/** Runs `npm run plan` with these arguments. */
export async function main(args: readonly string[]): Promise<number> {
  const shutdown = new Shutdown().listen();
  return await runCommand(shutdown, async () => {
    const { file, set } = parsePlan(args);
    const snapshot = readSnapshotFile(file);
    for (const line of describePlan(snapshot, set)) process.stdout.write(`${line}\n`);
    return 0;
  });
}

function readSetting(text: string, before: SettingOverrides = {}): SettingOverrides {
  const [, name, value] = /^(\w+)=(-?\d+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('it takes NAME=VALUE, such as maxPassesPerScope=4');
  try {
    return { ...before, ...(parseSettingsPatch({ [name]: Number(value) }, 'deployment') as SettingOverrides) };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Reads and checks the arguments. Throws a UsageError. */
export function parsePlan(args: readonly string[]): { readonly file: string; readonly set: SettingOverrides } {
  const command = parseArguments(args, 'npm run plan --', (described) =>
    described
      .description('Tells what the next tick would admit and refuse, and why.')
      .addArgument(new Argument('[snapshot]', 'a file with the answer of GET /v1/status?snapshot=1'))
      .addOption(
        new Option('--set <NAME=VALUE>', 'with this setting instead; may be given again').argParser(readSetting),
      ),
  );
  const file = command.args[0];
  if (file === undefined) {
    throw new UsageError('Name a snapshot: a file with the answer of GET /v1/status?snapshot=1 of a deployment.');
  }
  return { file, set: command.opts<{ set?: SettingOverrides }>().set ?? {} };
}

function readSnapshotFile(given: string): TickSnapshot {
  const parsed = tickSnapshotSchema.safeParse(readJson(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    `${given} is no snapshot, the answer of GET /v1/status?snapshot=1: ${issue?.path.join('.')}: ${issue?.message}.`,
  );
}

function readJson(given: string): unknown {
  let text: string;
  try {
    text = readFileSync(resolveGiven(given), 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'does not exist' : `cannot be read: ${(error as Error).message}`;
    throw new UsageError(`The snapshot ${given} ${why}.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The snapshot ${given} is not JSON: ${(error as Error).message}.`);
  }
}

/** The plan as lines for people. */
export function describePlan(snapshot: TickSnapshot, set: SettingOverrides): string[] {
  const most = set.maxConcurrentPasses ?? snapshot.maxConcurrentPasses;
  const changed = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  return [
    `at ${iso(snapshot.takenAtMs)}: ${snapshot.running.length} of ${most} passes run${changed.length > 0 ? `, with ${changed.join(', ')}` : ''}`,
    ...previewTick(snapshot, set).map(describeLine),
    ...(snapshot.scopes.length === 0 ? ['no scope is due or parked'] : []),
    ...(snapshot.moreScopes ? ['more scopes are due or parked than the snapshot holds'] : []),
  ];
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();

function describeLine({ scope, verdict, passes, because, againAtMs }: PreviewLine): string {
  const slots = passes.map((pass) => `slot number ${pass.slotNumber}`).join(', ');
  const again = againAtMs === undefined ? '' : ` (again at ${iso(againAtMs)})`;
  return [verdict.padEnd(9), scope.padEnd(24), [slots, ...because].filter((part) => part !== '').join('; ') + again]
    .join(' ')
    .trimEnd();
}
