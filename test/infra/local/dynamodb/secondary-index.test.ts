import { beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../infra/local/dynamodb/attribute-value.ts';
import { item, type Main, openMain, refusalOf, TABLE } from './main-table.ts';

let main: Main;

beforeEach(() => {
  main = openMain();
});

const jobs = () =>
  main
    .query('GSI1PK = :p', { ':p': 'jobs' }, { IndexName: 'GSI1' })
    .Items.map((found) => (found['SK'] as { S: string }).S);

describe('a secondary index', () => {
  it('holds only items with all of its key attributes, and follows every write', () => {
    main.put({ PK: 'g', SK: '1', GSI1PK: 'jobs', GSI1SK: '2024-01' });
    main.put({ PK: 'g', SK: '2' });
    main.put({ PK: 'g', SK: '3', GSI1PK: 'jobs' });
    expect(jobs()).toEqual(['1']);
    main.update('g', '3', {
      UpdateExpression: 'SET GSI1SK = :s',
      ExpressionAttributeValues: item({ ':s': '2023-12' }),
    });
    expect(jobs()).toEqual(['3', '1']);
    main.update('g', '1', {
      UpdateExpression: 'SET GSI1SK = :s',
      ExpressionAttributeValues: item({ ':s': '2022-12' }),
    });
    expect(jobs()).toEqual(['1', '3']);
    main.update('g', '3', { UpdateExpression: 'REMOVE GSI1PK' });
    expect(jobs()).toEqual(['1']);
    main.put({ PK: 'g', SK: '1' });
    expect(jobs()).toEqual([]);
    main.put({ PK: 'g', SK: '1', GSI1PK: 'jobs', GSI1SK: 'x' });
    main.delete('g', '1');
    expect(jobs()).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ['GSI1', 'GSI1PK', ['GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK', 'GSI3PK', 'PK', 'SK', 'secret', 'status']],
    ['GSI2', 'GSI2PK', ['GSI2PK', 'GSI2SK', 'PK', 'SK', 'status']],
    ['GSI3', 'GSI3PK', ['GSI3PK', 'PK', 'SK']],
  ])('%s returns what it projects and nothing else', (IndexName, attribute, expected) => {
    const keys = { GSI1PK: 'q', GSI1SK: 'q', GSI2PK: 'q', GSI2SK: 5, GSI3PK: 'q' };
    main.put({ PK: 'i', SK: '1', ...keys, status: 'S', secret: 'x' });
    const { Items } = main.query(`${attribute} = :q`, { ':q': 'q' }, { IndexName });
    expect(Items.map((found) => Object.keys(found).sort())).toEqual([expected]);
  });

  it('holds an item that lacks an included attribute', () => {
    main.put({ PK: 'i', SK: '1', GSI2PK: 'q', GSI2SK: 5 });
    const { Items } = main.query('GSI2PK = :q', { ':q': 'q' }, { IndexName: 'GSI2' });
    expect(Items).toEqual([item({ GSI2PK: 'q', GSI2SK: 5, PK: 'i', SK: '1' })]);
  });

  it('loses none of 8,000 rows with equal keys, in pages too', () => {
    for (let from = 0; from < 8000; from += 25) {
      const puts = Array.from({ length: 25 }, (_, at) => ({
        PutRequest: { Item: item({ PK: `col#${from + at}`, SK: '1', GSI1PK: 'same', GSI1SK: 'same' }) },
      }));
      main.engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: puts } });
    }
    for (const ScanIndexForward of [true, false]) {
      const seen = new Set<string>();
      let start: Item | undefined;
      let rows = 0;
      do {
        const parameters = {
          IndexName: 'GSI1',
          Limit: 333,
          ScanIndexForward,
          ...(start && { ExclusiveStartKey: start }),
        };
        const page = main.query('GSI1PK = :p', { ':p': 'same' }, parameters);
        for (const found of page.Items) seen.add((found['PK'] as { S: string }).S);
        rows += page.Count;
        start = page.LastEvaluatedKey;
      } while (start !== undefined && rows <= 8000);
      expect([seen.size, rows]).toEqual([8000, 8000]);
    }
  });

  it('goes on by its own key and the table key together', () => {
    main.put({ PK: 'g', SK: '1', GSI1PK: 'jobs', GSI1SK: 'a' });
    const { LastEvaluatedKey } = main.query('GSI1PK = :p', { ':p': 'jobs' }, { IndexName: 'GSI1', Limit: 1 });
    expect(LastEvaluatedKey).toEqual(item({ PK: 'g', SK: '1', GSI1PK: 'jobs', GSI1SK: 'a' }));
  });

  it.each<[string, Parameters<typeof item>[0]]>([
    ['an empty string', { GSI1PK: '', GSI1SK: 'x' }],
    ['an empty sort key alone', { GSI1SK: '' }],
    ['a number for a string', { GSI1PK: 5, GSI1SK: 'x' }],
    ['a string for a number', { GSI2PK: 'q', GSI2SK: '5' }],
    ['a map', { GSI3PK: {} }],
    ['more than 2,048 bytes', { GSI3PK: 'é'.repeat(1025) }],
    ['a sort key of more than 1,024 bytes', { GSI1PK: 'x', GSI1SK: 'é'.repeat(513) }],
  ])('refuses a key of %s', (_what, attributes) => {
    expect(refusalOf(() => main.put({ PK: 'g', SK: '1', ...attributes }))).toBe('ValidationException');
    const puts = [{ PutRequest: { Item: item({ PK: 'g', SK: '1', ...attributes }) } }];
    expect(refusalOf(() => main.engine.dispatch('BatchWriteItem', { RequestItems: { [TABLE]: puts } }))).toBe(
      'ValidationException',
    );
    expect(main.get('g', '1')).toBeUndefined();
  });
});
