/** Our engine beside the second one on random commands; and proof that a difference would be found. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasWitness, NO_WITNESS, startWitness, type Witness } from '../../infra/local/witness/process.ts';
import { drawCommands, KEYS, TABLE } from './commands.ts';
import { compareEngines } from './compare.ts';
import { DIFFERENCES } from './differences.ts';
import { type Answer, type Engine, openOther, openOurs } from './engines.ts';

const COMMANDS = 1500;
const SEED = 20_261;

if (!hasWitness()) process.stderr.write(`Skipped: ${NO_WITNESS}\n`);

describe.skipIf(!hasWitness())('our engine and the second one', () => {
  let witness: Witness;
  let other: Engine;
  beforeAll(async () => {
    witness = await startWitness();
    other = openOther(witness.url);
  });
  afterAll(async () => {
    other.close();
    await witness.stop();
  });

  it(`answer ${COMMANDS} random commands alike, but for what is known`, async () => {
    const { findings, agreed, known } = await compareEngines({
      ours: openOurs(),
      other,
      seed: SEED,
      commands: COMMANDS,
    });
    expect(findings).toEqual([]);
    const knownCount = Object.values(known).reduce((sum, count) => sum + count, 0);
    expect(agreed + knownCount).toBe(COMMANDS);
    expect(agreed).toBeGreaterThan(COMMANDS * 0.9);
  });
});

/** Ours, with one answer bent. */
function bend(bent: (answer: Answer, operation: string) => Answer): Engine {
  const engine = openOurs();
  return { ...engine, ask: async (command) => bent(await engine.ask(command), command.operation) };
}

const compare = (other: Engine) => compareEngines({ ours: openOurs(), other, seed: SEED, commands: 400 });

describe('the comparison', () => {
  it('of an engine with itself finds nothing', async () => {
    expect(await compare(openOurs())).toMatchObject({ commands: 400, agreed: 400, known: {}, findings: [] });
  });

  it.each<[string, (answer: Answer, operation: string) => Answer]>([
    ['a unit too much', (answer, operation) => (operation === 'PutItem' ? chargeMore(answer) : answer)],
    ['a lost exception', (answer) => (answer.exception ? { status: 200, output: {} } : answer)],
    [
      'a row too few',
      (answer, operation) => {
        const { Items = [] } = answer.output as { Items?: unknown[] };
        if (operation !== 'Query' || Items.length === 0) return answer;
        return { ...answer, output: { ...answer.output, Items: Items.slice(1) } };
      },
    ],
    [
      'an item kept from the loser',
      (answer) => (answer.exception === 'ConditionalCheckFailedException' ? { ...answer, output: {} } : answer),
    ],
  ])('finds %s', async (_, bent) => {
    expect((await compare(bend(bent))).findings.length).toBeGreaterThan(0);
  });
});

function chargeMore(answer: Answer): Answer {
  const { ConsumedCapacity: capacity } = answer.output as { ConsumedCapacity?: { CapacityUnits: number } };
  if (capacity === undefined) return answer;
  const dearer = { ...capacity, CapacityUnits: capacity.CapacityUnits + 1 };
  return { ...answer, output: { ...answer.output, ConsumedCapacity: dearer } };
}

describe('the commands', () => {
  const drawn = (seed: number, count: number) => drawCommands(seed).take(count).toArray();

  it('are the same for the same seed, and others for another', () => {
    expect(drawn(7, 50)).toEqual(drawn(7, 50));
    expect(drawn(8, 50)).not.toEqual(drawn(7, 50));
  });

  it('use only what the design allows, and every part of it', () => {
    const text = drawn(1, 3000).map((command) => JSON.stringify(command));
    const used = (pattern: RegExp) => text.filter((one) => pattern.test(one)).length;
    for (const part of [' = ', '<>', '<=', '>=', 'BETWEEN', 'IN \\(', 'AND', 'OR', 'NOT', 'attribute_exists']) {
      expect(used(new RegExp(part)), part).toBeGreaterThan(0);
    }
    for (const part of ['attribute_not_exists', 'begins_with', 'if_not_exists', 'SET', 'ADD', 'REMOVE', '\\+']) {
      expect(used(new RegExp(part)), part).toBeGreaterThan(0);
    }
    expect(used(/size\(|contains\(|attribute_type|list_append|DELETE|\[\d/)).toBe(0);
  });

  it('are about the keys that are compared at the end', () => {
    const known = new Set(KEYS.map((key) => JSON.stringify(key)));
    const keys = drawn(1, 500).flatMap(({ operation, input }) => (operation === 'DeleteItem' ? [input.Key] : []));
    expect(keys.filter((key) => known.has(JSON.stringify(key))).length).toBeGreaterThan(keys.length * 0.9);
    expect(TABLE).toBe('Fuzz');
  });
});

describe('the known differences', () => {
  it('have names of their own', () => {
    expect(new Set(DIFFERENCES.map(({ name }) => name)).size).toBe(DIFFERENCES.length);
  });

  it('excuse no wrong answer of an engine that both give rightly', () => {
    const right: Answer = { status: 200, output: { Count: 1, ScannedCount: 1 } };
    const wrong: Answer = { status: 200, output: { Count: 2, ScannedCount: 2 } };
    const query = { operation: 'Query', input: { TableName: TABLE, KeyConditionExpression: 'pk = :p' } };
    const put = { operation: 'PutItem', input: { TableName: TABLE } };
    for (const command of [query, put]) {
      expect(DIFFERENCES.filter(({ applies }) => applies(command, right, wrong))).toEqual([]);
    }
  });
});
