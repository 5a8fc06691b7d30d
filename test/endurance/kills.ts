/**
 * 15 processes killed in mid-write, each on the log of the one before, the end of the log torn off at a random byte: what
 * is found is a beginning of what was written, whole, and the stream replayed gives the table.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Item } from '../../infra/local/dynamodb/attribute-value.ts';
import type { DynamoDb } from '../../infra/local/dynamodb/engine.ts';
import { createDynamoDb } from '../../infra/local/dynamodb/engine.ts';
import { openRandom } from '../../infra/local/runtime/seeded-random.ts';
import { TABLE } from '../infra/local/dynamodb/main-table.ts';
import type { Ordeal } from './endure.ts';

export const KILLS = 15;
const REPORTS_MAX = 400;
/** Less than a numbered item's line is long: a torn end costs that line and the counter's behind it at most. */
const TORN_BYTES_MAX = 150;
const WRITER = path.join(import.meta.dirname, '../infra/local/dynamodb/log-writer.ts');

export const enduresKills: Ordeal = async (seed) => {
  const random = openRandom(seed, 'kills');
  const folder = mkdtempSync(path.join(tmpdir(), 'nightjar-kills-'));
  const logPath = path.join(folder, 'tables.jsonl');
  let writes = 0;
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const highest = await killWriter(logPath, 1 + Math.floor(random() * REPORTS_MAX));
      const torn = kill % 3 === 2 ? 0 : 1 + Math.floor(random() * TORN_BYTES_MAX);
      truncateSync(logPath, statSync(logPath).size - torn);
      const engine = createDynamoDb({ logPath });
      writes = checkState(engine, highest, torn > 0);
      engine.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return `${KILLS} killed processes, ${KILLS - Math.floor(KILLS / 3)} torn logs, ${writes} writes found whole`;
};

async function killWriter(logPath: string, reports: number): Promise<number> {
  const child = fork(WRITER, [logPath], { execPath: process.execPath, execArgv: [] });
  let highest = -1;
  let count = 0;
  child.on('message', (n) => {
    highest = Number(n);
    if (++count === reports) child.kill('SIGKILL');
  });
  const signal = await new Promise((resolve) => child.once('exit', (_code, by) => resolve(by)));
  assert.equal(signal, 'SIGKILL');
  return highest;
}

/** The writer alternates: a numbered item, then the counter. Returns how many writes were found. */
function checkState(engine: DynamoDb, highest: number, isTorn: boolean): number {
  const items = engine.items(TABLE);
  const numbers = items.flatMap(({ PK, SK }) => (textOf(PK) === 'numbered' ? [Number(textOf(SK))] : []));
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: numbers.length }, (_, at) => at),
  );
  // A torn end may take the last answered number's own line; never an earlier one.
  assert.ok(numbers.length > highest - (isTorn ? 1 : 0), `number ${highest} was answered, ${numbers.length} are there`);
  const counter = items.find(({ PK }) => textOf(PK) === 'counter');
  const counted = Number((counter?.n as { N: string } | undefined)?.N ?? 0);
  assert.ok(counted <= numbers.length, `${counted} counted, ${numbers.length} written`);
  const replayed = new Map<string, Item>();
  for (const { dynamodb } of engine.readStream(TABLE, 0, 1_000_000).records) {
    const id = JSON.stringify(dynamodb.Keys);
    if (dynamodb.NewImage) replayed.set(id, dynamodb.NewImage);
    else replayed.delete(id);
  }
  const table = new Map(items.map((found) => [JSON.stringify({ PK: found.PK, SK: found.SK }), found]));
  assert.deepEqual(replayed, table);
  return numbers.length + counted;
}

const textOf = (value: Item[string] | undefined): string | undefined =>
  value !== undefined && 'S' in value ? value.S : undefined;
