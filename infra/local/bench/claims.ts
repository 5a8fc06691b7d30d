/**
 * What the memory costs in requests and units, counted between client and database: reading an entity of a scope with
 * 10,000 claims, and writing a citation as the first, as one that loses, and as one that is known.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { makeCitation } from '../../../functions/core/claims.ts';
import { createStore } from '../../../functions/io/dynamo.ts';
import type { ClaimDeps } from '../../../functions/io/heads.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { type Citation, putCitation } from '../../../schema/citation.ts';
import { passIdOf, revisionOf, triggerIdOf } from '../../../schema/ids.ts';
import { markScopeDue } from '../../../schema/scope.ts';
import { type LocalStack, openStack } from '../local-stack.ts';
import type { Observation } from '../runtime/request-counts.ts';
import { Shutdown } from '../shutdown.ts';
import { type Area, atMost } from './figure.ts';

const ADDRESS = { scope: 'bench', generation: 1 };
const CLAIMS = 10_000;
const CLAIMS_PER_ENTITY = 20;
/** Written to count what a citation costs; enough that every claim slot of an entity is among them. */
const WRITTEN = 200;
const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

const QUERIES_MAX = 2;
/** The row and the register. */
const FIRST_UNITS_MAX = 2;
/** The row, and a raise that is refused. */
const LOSING_UNITS_MAX = 2;
/** A row that stands, the pass added to it, and a raise that is refused. */
const KNOWN_UNITS_MAX = 3;
/** The look whether the row still stands. */
const READ_UNITS_MAX = 1;

/** The k-th claim of the scope, told on a day. */
function citationAt(k: number, entityName: string, day: number): Citation {
  const value = `value ${k} of a length that values have`;
  const text = `${entityName}: what was said about it in so many words, and it is ${value}.`;
  const attribute = `attribute_${String(k % CLAIMS_PER_ENTITY).padStart(2, '0')}`;
  return makeCitation({
    draft: {
      entity: entityName,
      attribute,
      cardinality: 'one',
      value,
      quote: { text, start: 0, end: text.length },
      rule: 'bench/said@1',
      confidence: 0.9,
    },
    source: { kind: 'transcript', id: `sessions/2026/session-${day}.jsonl`, revision: revisionOf(String(day)) },
    capturedAtMs: NOW_MS + day * DAY_MS,
    executor: 'rules',
    recordedAtMs: NOW_MS,
  });
}

/** Counts requests while it is asked to. */
class Meter {
  queries = 0;
  writeUnits = 0;
  readUnits = 0;

  see({ service, operation, status, consumed }: Observation): void {
    if (service !== 'dynamodb') return;
    const units = consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
    if (operation === 'Query') this.queries++;
    if (operation === 'PutItem' || operation === 'UpdateItem') this.writeUnits += status === 200 ? units : 1;
    else this.readUnits += units;
  }
}

function storeOf({ url, runtime }: LocalStack): { readonly deps: ClaimDeps; readonly control: string } {
  const control = Object.entries(runtime.tables).find(([id]) => id.startsWith('StorageControl'))?.[1] ?? '';
  const client = new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  const marshallOptions = { removeUndefinedValues: true };
  const store = createStore(DynamoDBDocumentClient.from(client, { marshallOptions }), { control });
  let ops = 0;
  const clock = { nowMs: () => NOW_MS, sleep: () => Promise.resolve() };
  return { deps: { store, clock, ids: { fresh: () => `bench-${ops++}` } }, control };
}

const passIdAt = (k: number): string => passIdOf(triggerIdOf(NOW_MS, 'bench'), k);

/** Puts the rows of all claims straight into the engine: how they come there is measured apart. */
function fill({ runtime }: LocalStack, control: string): void {
  for (let k = 0; k < CLAIMS; k++) {
    const citation = citationAt(k, `Person ${Math.floor(k / CLAIMS_PER_ENTITY)}`, 0);
    const write = putCitation(ADDRESS, citation, passIdAt(0), `fill-${k}`);
    if (write.kind !== 'put') continue;
    const Item = marshall(write.input.Item, { removeUndefinedValues: true });
    runtime.dynamodb.dispatch('PutItem', { TableName: control, Item });
  }
}

export const claims: Area = {
  names: [
    'claims.entityQueries',
    'claims.writeUnitsFirst',
    'claims.writeUnitsLosing',
    'claims.writeUnitsKnown',
    'claims.readUnitsFirst',
  ],
  async measure(note) {
    const shutdown = new Shutdown();
    let meter = new Meter();
    try {
      const onRequest = (observation: Observation): void => meter.see(observation);
      const stack = await openStack({ settings: {}, executor: 'rules', onRequest }, shutdown, () => {});
      const { deps, control } = storeOf(stack);
      await deps.store.write(markScopeDue({ scope: ADDRESS.scope, nowMs: NOW_MS, op: 'mark' }));
      fill(stack, control);
      const queries = await countQueries(stack, () => (meter = new Meter()));
      const measured = async (passId: string, day: number, entity: string): Promise<Meter> => {
        meter = new Meter();
        for (let k = 0; k < WRITTEN; k++) {
          const citation = citationAt(k, `${entity} ${Math.floor(k / CLAIMS_PER_ENTITY)}`, day);
          await recordCitation(deps, { address: ADDRESS, citation, passId });
        }
        return meter;
      };
      const first = await measured(passIdAt(1), 5, 'Writer');
      const losing = await measured(passIdAt(1), 1, 'Writer');
      const known = await measured(passIdAt(2), 5, 'Writer');
      note(
        `claims: ${CLAIMS} in one scope; ${WRITTEN} citations each: ${first.writeUnits} write and ${first.readUnits} read units as the first, ${losing.writeUnits} losing, ${known.writeUnits} known`,
      );
      return [
        atMost('claims.entityQueries', queries, QUERIES_MAX),
        atMost('claims.writeUnitsFirst', first.writeUnits / WRITTEN, FIRST_UNITS_MAX),
        atMost('claims.writeUnitsLosing', losing.writeUnits / WRITTEN, LOSING_UNITS_MAX),
        atMost('claims.writeUnitsKnown', known.writeUnits / WRITTEN, KNOWN_UNITS_MAX),
        atMost('claims.readUnitsFirst', first.readUnits / WRITTEN, READ_UNITS_MAX),
      ];
    } finally {
      await shutdown.close();
    }
  },
};

async function countQueries({ url, runtime }: LocalStack, restart: () => Meter): Promise<number> {
  await runtime.idle();
  const meter = restart();
  const response = await fetch(`${url}/v1/scopes/${ADDRESS.scope}/claims?entity=Person%20123`);
  const { claims: found } = (await response.json()) as { claims: readonly unknown[] };
  if (found.length !== CLAIMS_PER_ENTITY)
    throw new Error(`The entity has ${found.length} claims, not ${CLAIMS_PER_ENTITY}.`);
  return meter.queries;
}
