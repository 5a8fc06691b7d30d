/**
 * Goal: of many conditional writes to one item exactly one wins. Method: rounds of 50 requests that are all in flight
 * at once.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { item, type Main, openMain, TABLE } from './main-table.ts';

const ROUNDS = 200;
const WRITERS = 50;

let main: Main;

beforeEach(() => {
  main = openMain();
});

/** Sends in a later turn, as a server would; returns the writers that were let through. */
async function race(operation: string, requestOf: (writer: number) => object): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      await new Promise((resume) => setImmediate(resume));
      return main.engine.respond(
        `DynamoDB_20120810.${operation}`,
        JSON.stringify({ TableName: TABLE, ...requestOf(writer) }),
      );
    }),
  );
  for (const { status, body } of answers) {
    if (status !== 200) expect(body).toContain('ConditionalCheckFailedException');
  }
  return answers.flatMap(({ status }, writer) => (status === 200 ? [writer] : []));
}

describe('a race', () => {
  it('to put an item that is not there has one winner', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const winners = await race('PutItem', (writer) => ({
        Item: item({ PK: 'race', SK: String(round), writer }),
        ConditionExpression: 'attribute_not_exists(PK)',
      }));
      expect(winners).toHaveLength(1);
      expect(main.get('race', String(round))).toEqual(
        item({ PK: 'race', SK: String(round), writer: winners[0] ?? -1 }),
      );
    }
  });

  it('on a version has one winner, and one entry in the index', async () => {
    main.put({ PK: 'race', SK: '1', version: 0 });
    for (let round = 0; round < ROUNDS; round++) {
      const winners = await race('UpdateItem', (writer) => ({
        Key: item({ PK: 'race', SK: '1' }),
        UpdateExpression: 'SET version = version + :one, GSI1PK = :g, GSI1SK = :w',
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: item({ ':one': 1, ':seen': round, ':g': 'g', ':w': `w${writer}` }),
      }));
      expect(winners).toHaveLength(1);
      const expected = item({ PK: 'race', SK: '1', version: round + 1, GSI1PK: 'g', GSI1SK: `w${winners[0]}` });
      expect(main.query('GSI1PK = :g', { ':g': 'g' }, { IndexName: 'GSI1' }).Items).toEqual([expected]);
    }
  });

  it('without a condition loses no addition', async () => {
    for (let round = 0; round < 20; round++) {
      const winners = await race('UpdateItem', () => ({
        Key: item({ PK: 'race', SK: 'sum' }),
        UpdateExpression: 'ADD tally :one',
        ExpressionAttributeValues: item({ ':one': 1 }),
      }));
      expect(winners).toHaveLength(WRITERS);
    }
    expect(main.get('race', 'sum')?.['tally']).toEqual({ N: String(20 * WRITERS) });
  });
});
