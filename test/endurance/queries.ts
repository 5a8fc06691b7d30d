/** 10,000 queries, of the table and of an index, on an engine with a log: the heap is afterwards what it was before. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { item, openMain, TABLE } from '../infra/local/dynamodb/main-table.ts';
import type { Ordeal } from './endure.ts';

export const QUERIES = 10_000;
const ROWS = 200;
/** What the compiled code and the caches of expressions may add; a kilobyte a query would be ten times that. */
const GROWTH_MAX_BYTES = 1_000_000;

export const enduresQueries: Ordeal = async () => {
  const growthBytes = leaveNothing(QUERIES);
  return `${QUERIES} queries, heap ${growthBytes < 0 ? '' : '+'}${Math.round(growthBytes / 1000)} KB`;
};

/** Throws when so many queries left memory or files behind; answers by how many bytes the heap grew. */
export function leaveNothing(queries: number): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const folder = mkdtempSync(path.join(tmpdir(), 'nightjar-queries-'));
  const main = openMain({ logPath: path.join(folder, 'tables.jsonl') });
  try {
    for (let at = 0; at < ROWS; at += 1) {
      main.put({ PK: 'p', SK: `s${at}`, GSI1PK: 'g', GSI1SK: `x${at}`, filler: 'x'.repeat(500) });
    }
    const ask = (at: number) => {
      const indexed = at % 2 === 1;
      const body = {
        TableName: TABLE,
        ...(indexed && { IndexName: 'GSI1' }),
        KeyConditionExpression: indexed ? 'GSI1PK = :p' : 'PK = :p',
        ExpressionAttributeValues: item({ ':p': indexed ? 'g' : 'p' }),
        Limit: 20,
      };
      assert.equal(main.engine.respond('DynamoDB_20120810.Query', JSON.stringify(body)).status, 200);
    };
    const measure = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    for (let at = 0; at < queries / 10; at += 1) ask(at);
    const [beforeBytes, filesBefore] = [measure(), countOpenFiles()];
    for (let at = 0; at < queries; at += 1) ask(at);
    const growthBytes = measure() - beforeBytes;
    assert.ok(growthBytes < GROWTH_MAX_BYTES, `${queries} queries left ${growthBytes} bytes on the heap`);
    assert.equal(countOpenFiles(), filesBefore, 'queries left files open');
    return growthBytes;
  } finally {
    main.engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the system tells; 0 elsewhere. */
function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
