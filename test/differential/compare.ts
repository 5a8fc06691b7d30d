/** Runs commands on both engines, one after another, and tells where they differ beyond what is known. */
import { isDeepStrictEqual } from 'node:util';
import { type Command, drawCommands, FUZZ_TABLE, KEYS, TABLE } from './commands.ts';
import { DIFFERENCES } from './differences.ts';
import type { Answer, Engine } from './engines.ts';

export interface Finding {
  readonly at: number;
  readonly command: Command;
  readonly ours: Answer;
  readonly other: Answer;
}

export interface Comparison {
  readonly commands: number;
  /** Commands that both engines answered alike. */
  readonly agreed: number;
  /** Commands of which only a known difference was seen, by its name. */
  readonly known: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Commands by operation and outcome, so that one sees what was tried. */
  readonly outcomes: Readonly<Record<string, number>>;
}

export interface CompareOptions {
  readonly ours: Engine;
  readonly other: Engine;
  readonly seed: number;
  readonly commands: number;
  /** So many are enough to see what is wrong. Default 10. */
  readonly findingsMax?: number;
}

/** After so many commands all items and both indexes are compared, not only what commands returned. */
const AUDIT_EVERY = 500;

/** Creates the table on both engines, then runs `commands` commands drawn from the seed. */
export async function compareEngines(options: CompareOptions): Promise<Comparison> {
  const { ours, other, seed, commands, findingsMax = 10 } = options;
  for (const engine of [ours, other]) {
    const created = await engine.ask({ operation: 'CreateTable', input: FUZZ_TABLE });
    if (created.status !== 200) throw new Error(`The table could not be created: ${created.message}`);
  }
  const known: Record<string, number> = {};
  const outcomes: Record<string, number> = {};
  const findings: Finding[] = [];
  let done = 0;
  let agreed = 0;
  const compareOne = async (command: Command): Promise<void> => {
    const [a, b] = await Promise.all([ours.ask(command), other.ask(command)]);
    const outcome = `${command.operation} ${a.exception ?? a.status}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (isAlike(a, b)) {
      agreed += 1;
      return;
    }
    const difference = DIFFERENCES.find(({ applies }) => applies(command, a, b));
    if (difference === undefined) findings.push({ at: done, command, ours: a, other: b });
    else known[difference.name] = (known[difference.name] ?? 0) + 1;
    await alignItems(ours, other, a, b);
  };
  for (const command of drawCommands(seed)) {
    if (done === commands || findings.length >= findingsMax) break;
    await compareOne(command);
    done += 1;
    if (done % AUDIT_EVERY === 0 || done === commands) findings.push(...(await audit(ours, other, done)));
  }
  return { commands: done, agreed, known, findings, outcomes };
}

function isAlike({ message: _ours, ...ours }: Answer, { message: _other, ...other }: Answer): boolean {
  return isDeepStrictEqual(ours, other);
}

/** Where one engine wrote and the other did not, the items are taken away from both: what follows starts from one state. */
async function alignItems(ours: Engine, other: Engine, a: Answer, b: Answer): Promise<void> {
  if (a.status === b.status) return;
  for (const Key of KEYS) {
    const get: Command = { operation: 'GetItem', input: { TableName: TABLE, Key, ConsistentRead: true } };
    if (isAlike(...(await Promise.all([ours.ask(get), other.ask(get)])))) continue;
    for (const engine of [ours, other]) {
      await engine.ask({ operation: 'DeleteItem', input: { TableName: TABLE, Key } });
    }
  }
}

/** Reads every partition of the table and of both indexes. */
async function audit(ours: Engine, other: Engine, at: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const command of AUDIT) {
    const [a, b] = await Promise.all([ours.ask(command), other.ask(command)]);
    if (!isAlike(a, b)) findings.push({ at, command, ours: a, other: b });
  }
  return findings;
}

const AUDIT: readonly Command[] = [
  ...['p0', 'p1', 'p2'].map((value) => ['pk', value, undefined] as const),
  ...['g', 'h'].flatMap((value) => [['gp', value, 'byName'] as const, ['hp', value, 'byNumber'] as const]),
].map(([name, value, IndexName]) => ({
  operation: 'Query',
  input: {
    TableName: TABLE,
    ...(IndexName && { IndexName }),
    KeyConditionExpression: `${name} = :v`,
    ExpressionAttributeValues: { ':v': { S: value } },
    ReturnConsumedCapacity: 'INDEXES',
  },
}));
