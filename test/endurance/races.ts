/** 1,000 rounds in which 50 conditional writes to one item are under way at once: exactly one wins each round. */
import assert from 'node:assert/strict';
import type { Ordeal } from './endure.ts';
import { item, openMain, TABLE } from '../infra/local/dynamodb/main-table.ts';

export const ROUNDS = 1_000;
export const WRITERS = 50;

export const enduresRaces: Ordeal = async () => {
  const main = openMain();
  const race = async (operation: string, requestOf: (writer: number) => object): Promise<number[]> => {
    const statuses = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        await new Promise((resume) => setImmediate(resume));
        const body = JSON.stringify({ TableName: TABLE, ...requestOf(writer) });
        return main.engine.respond(`DynamoDB_20120810.${operation}`, body).status;
      }),
    );
    return statuses.flatMap((status, writer) => (status === 200 ? [writer] : []));
  };
  main.put({ PK: 'race', SK: 'version', version: 0 });
  for (let round = 0; round < ROUNDS; round += 1) {
    const puts = await race('PutItem', (writer) => ({
      Item: item({ PK: 'race', SK: String(round), writer }),
      ConditionExpression: 'attribute_not_exists(PK)',
    }));
    assert.equal(puts.length, 1, `round ${round}: ${puts.length} writers put one item`);
    assert.deepEqual(main.get('race', String(round))?.writer, { N: String(puts[0]) });
    const updates = await race('UpdateItem', (writer) => ({
      Key: item({ PK: 'race', SK: 'version' }),
      UpdateExpression: 'SET version = version + :one, GSI1PK = :g, GSI1SK = :w',
      ConditionExpression: 'version = :seen',
      ExpressionAttributeValues: item({ ':one': 1, ':seen': round, ':g': 'g', ':w': `w${writer}` }),
    }));
    assert.equal(updates.length, 1, `round ${round}: ${updates.length} writers moved one version on`);
    const entries = main.query('GSI1PK = :g', { ':g': 'g' }, { IndexName: 'GSI1' }).Items;
    assert.deepEqual(
      entries.map(({ GSI1SK }) => GSI1SK),
      [{ S: `w${updates[0]}` }],
    );
  }
  main.engine.close();
  return `${ROUNDS} × ${WRITERS} puts and ${ROUNDS} × ${WRITERS} updates, one winner each`;
};
