/**
 * A process to be killed: writes numbered items and a counter into a log, and tells its parent each number that was
 * answered.
 */
import { createDynamoDb } from '../../../../infra/local/dynamodb/engine.ts';
import { item, MAIN_TABLE, TABLE } from './main-table.ts';

const engine = createDynamoDb({ logPath: process.argv[2] as string });
const { TableNames } = engine.dispatch('ListTables', {});
if ((TableNames as string[]).length === 0) engine.dispatch('CreateTable', MAIN_TABLE);

let next = Math.max(
  0,
  engine.items(TABLE).filter(({ PK }) => PK !== undefined && 'S' in PK && PK.S === 'numbered').length,
);

function writeNext(): void {
  const n = next++;
  const numbered = item({ PK: 'numbered', SK: String(n).padStart(6, '0'), filler: 'x'.repeat(300) });
  engine.dispatch('PutItem', { TableName: TABLE, Item: numbered, ConditionExpression: 'attribute_not_exists(PK)' });
  engine.dispatch('UpdateItem', {
    TableName: TABLE,
    Key: item({ PK: 'counter', SK: '1' }),
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: item({ ':one': 1 }),
  });
  process.send?.(n);
}

setInterval(() => {
  for (let at = 0; at < 20; at++) writeNext();
});
