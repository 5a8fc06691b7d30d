/**
 * 85 probes of DynamoDB's behaviour, out of the study that chose this engine; there, dynalite answered 56 of them as AWS
 * does. In the same order as there.
 */
import type { AttributeValue } from '../../../../infra/local/dynamodb/attribute-value.ts';
import type { Held } from '../held-against.ts';
import { type Main, TABLE, typed } from './main-table.ts';

type Ask = (main: Main) => unknown;

const values = (value: AttributeValue | undefined) => value && { ExpressionAttributeValues: { ':v': value } };
const condition =
  (ConditionExpression: string, value: AttributeValue): Ask =>
  (main) =>
    main.delete('a', 'b', { ConditionExpression, ...values(value) });
const update =
  (UpdateExpression: string, value?: AttributeValue): Ask =>
  (main) =>
    main.update('a', 'b', { UpdateExpression, ...values(value) });
const send =
  (operation: string, input: object = {}): Ask =>
  (main) =>
    main.engine.dispatch(operation, { TableName: TABLE, ...input });

/** The rest of it, without what is outside, is shown by the tests of conditions and updates. */
const everythingAtOnce: Ask = (main) =>
  main.update('a', 'b', {
    ConditionExpression:
      'size(tags) >= :two AND (contains(tags, :x) OR begins_with(words, :x)) AND attribute_type(deep, :x)',
    UpdateExpression: 'SET deep.parts[0] = :two, trail = list_append(trail, :past) DELETE tags :gone',
    ExpressionAttributeValues: {
      ':two': typed(2),
      ':x': typed('M'),
      ':past': typed([1]),
      ':gone': typed(new Set(['x'])),
    },
  });

const shown = (asks: string, name: string, words: string): Held<Main> => ({
  asks,
  file: `infra/local/dynamodb/${name}.test.ts`,
  words,
});
const outside = (asks: string, ask: Ask, refused: string): Held<Main> => ({ asks, ask, refused });

export const PROBES: readonly Held<Main>[] = [
  shown('a put under attribute_not_exists has one winner', 'race', 'to put an item that is not there has one winner'),
  outside('a condition and an update of everything at once', everythingAtOnce, 'The function size'),
  shown('an update whose condition fails is refused', 'condition', "['UpdateItem', (parameters) => main.update"),
  shown(
    'a delete under a condition, refused and let through',
    'condition',
    "['DeleteItem', (parameters) => main.delete",
  ),
  shown('a refused put returns the stored item', 'condition', "['PutItem', (parameters) => main.put"),
  shown('a refused update returns the stored item', 'condition', 'returns the stored item from %s only when asked'),
  shown(
    'a refused delete returns the stored item, and none when there is none',
    'condition',
    'has no item to return when there is none',
  ),
  shown('lists are equal by content', 'condition', "[true, 'pair = :v', { ':v': typed([1, 2]) }]"),
  shown(
    'maps are equal whatever the order of their names',
    'condition',
    "[true, 'box = :v', { ':v': typed({ b: 'x', a: 1 }) }]",
  ),
  shown('sets are equal without order', 'condition', "[true, 'tags = :v', { ':v': typed(new Set(['y', 'x'])) }]"),
  shown('numbers are equal by value', 'condition', "[true, 'amount = :v', { ':v': { N: '10.50' } }]"),
  shown(
    'false, null, zero and the empty string are there',
    'condition',
    "'attribute_exists(off) AND attribute_exists(nothing) AND attribute_exists(blank) AND attribute_exists(zero)'",
  ),
  shown('<> of a missing attribute holds', 'condition', "[true, 'absent <> :v', { ':v': typed('x') }]"),
  shown('< of a missing attribute does not hold', 'condition', "[false, 'absent < :v', { ':v': typed(1) }]"),
  shown('a value may stand on the left', 'condition', "[true, ':v = words', { ':v': typed('hello') }]"),
  outside(
    'contains() of a list with numbers and maps',
    condition('contains(mixed, :v)', typed({ k: 1 })),
    'The function contains',
  ),
  outside(
    'contains() of a list with a boolean',
    condition('contains(mixed, :v)', typed(true)),
    'The function contains',
  ),
  outside('size() of a string in bytes', condition('size(wide) = :v', typed(4)), 'The function size'),
  shown(
    'strings are in the order of their UTF-8 bytes',
    'condition',
    "[true, 'astral > :v', { ':v': typed('\\uFF5E') }]",
  ),
  outside('REMOVE of two places of a list', update('REMOVE l[0], l[1]'), 'The place [0] in the list l'),
  shown('SET swaps two attributes', 'update', "['SET swaps by the old values'"),
  outside('SET past the end of a list', update('SET l[9] = :v', typed(2)), 'The place [9] in the list l'),
  shown('if_not_exists with + counts from a default', 'update', "['if_not_exists starts at its default'"),
  shown('SET below a missing map is refused', 'update', "['a path that leads nowhere'"),
  shown('a reserved word is refused', 'update', "['a reserved word'"),
  shown('a value that is not used is refused', 'update', "['an unused value'"),
  shown('paths that overlap are refused', 'update', "['overlapping paths'"),
  shown('a key attribute cannot be set', 'update', "['a key attribute'"),
  shown('an update that fails midway leaves the item alone', 'update', 'change nothing when a later action fails'),
  shown('SET b = a copies: changing a leaves b', 'update', "['a copy is not an alias'"),
  shown(
    'an empty set, and an empty string as index key, are refused',
    'secondary-index',
    "['an empty string', { GSI1PK: '', GSI1SK: 'x' }]",
  ),
  shown(
    'an index key of another type is refused',
    'secondary-index',
    "['a number for a string', { GSI1PK: 5, GSI1SK: 'x' }]",
  ),
  shown(
    '38 digits are kept exactly',
    'limits',
    "['12345678901234567890123456789012345678', '12345678901234567890123456789012345678']",
  ),
  shown('39 digits are refused', 'limits', "['123456789012345678901234567890123456789', undefined]"),
  shown('1e126 is refused, 9.9e125 kept', 'limits', "['1e126', undefined]"),
  shown('0.1 + 0.2 is 0.3', 'limits', "['0.1', '0.2', '0.3']"),
  shown(
    'a sum of more than 38 digits is refused',
    'limits',
    "['99999999999999999999999999999999999999', '0.1', undefined]",
  ),
  shown('numbers are returned in canonical form', 'limits', "['1.500', '1.5']"),
  shown(
    'a sparse index follows put, update and remove',
    'secondary-index',
    'holds only items with all of its key attributes, and follows every write',
  ),
  shown(
    'an INCLUDE index returns what it projects',
    'secondary-index',
    "['GSI2', 'GSI2PK', ['GSI2PK', 'GSI2SK', 'PK', 'SK', 'status']]",
  ),
  shown('an included attribute may be missing', 'secondary-index', 'holds an item that lacks an included attribute'),
  shown('numeric sort keys are in the order of numbers', 'query', 'of number keys is numeric'),
  shown(
    '8,000 items with equal index keys are all found',
    'secondary-index',
    'loses none of 8,000 rows with equal keys',
  ),
  shown(
    'pages both ways, with every condition on the sort key',
    'query',
    'give the same rows in pages of any size, both ways',
  ),
  shown('pages backward under < and >', 'query', "'SK <= :a', 'SK > :a', 'begins_with(SK, :a)'"),
  shown('a filter comes after Limit, with both counts', 'query', 'cut into pages by Limit before the filter'),
  shown('Limit that ends exactly at the end', 'query', 'name a last key when Limit ends exactly at the end'),
  outside(
    'a projection into a list',
    (main) => main.query('PK = :p', { ':p': 'p' }, { ProjectionExpression: 'a.b[2].c' }),
    'The place [2] in the list a.b',
  ),
  shown('a page ends at 1 MB', 'query', 'ends with the item that reaches 1 MB'),
  shown(
    'pages of an index with equal sort keys',
    'secondary-index',
    'goes on by its own key and the table key together',
  ),
  shown('sort keys of every script, in the order of bytes', 'query', 'of string keys is that of their UTF-8 bytes'),
  shown('a consistent read of an index is refused', 'query', "['a consistent read of an index'"),
  outside('a scan in parallel segments', send('Scan', { Segment: 0, TotalSegments: 4 }), 'Scan is not emulated'),
  shown('BatchWriteItem of 25, BatchGetItem of 100', 'batch', 'returns what is there, projected'),
  shown('a batch of 26 writes, or of one item twice, is refused', 'batch', "['26 requests', puts(26)]"),
  shown('a batch that reads one key twice is refused', 'batch', "['a key twice'"),
  shown(
    'an item of 400 KB is taken, of one byte more refused',
    'limits',
    "['x', 'x', ITEM_BYTES_MAX - OVERHEAD_BYTES]",
  ),
  shown('400 KB are counted in bytes', 'limits', "['é', 'é', (ITEM_BYTES_MAX - OVERHEAD_BYTES) >> 1]"),
  shown('an update that grows an item past 400 KB is refused', 'limits', 'is bounded for what an update makes'),
  shown('keys of 2,048 and 1,024 bytes', 'limits', "['2,048 and 1,024 bytes'"),
  shown('keys are measured in bytes', 'limits', "['a sort key longer in bytes'"),
  shown('a put costs 1', 'capacity', "['a small put', 1"),
  shown('a put into one index costs 2', 'capacity', "['a put into one index', 1, { GSI1: 1 }"),
  shown('a put into two indexes costs 3', 'capacity', "'a put into two indexes'"),
  shown('a moved index entry costs 2 beside the table', 'capacity', "'an update that moves an index entry'"),
  shown('a put of 3.5 KB costs 4', 'capacity', "['a put of 3.5 KB', 4"),
  shown('an eventual read of 3.5 KB costs 0.5', 'capacity', "['a get', 0.5"),
  shown('a consistent read costs 1', 'capacity', "['a consistent get', 1"),
  shown('a read of nothing costs 0.5', 'capacity', "['a get of nothing', 0.5"),
  shown('a query of 25 small items costs 0.5', 'capacity', "['a query of 25 small items', 0.5"),
  shown('a query of nothing costs 0.5', 'capacity', "['a query of nothing', 0.5"),
  shown('a delete of nothing costs 1', 'capacity', "['a delete of nothing', 1"),
  shown('a batch of two writes costs their sum', 'capacity', 'of a batch is one sum a table'),
  shown('time to live is set and described', 'table', 'is enabled and disabled, each once'),
  shown('a table shows the ARN of its stream', 'table', 'LatestStreamArn:'),
  outside('a transaction of put, update and check', send('TransactWriteItems'), 'TransactWriteItems is not emulated'),
  outside('the reasons of a cancelled transaction', send('TransactWriteItems'), 'TransactWriteItems is not emulated'),
  outside('a transaction that reads', send('TransactGetItems'), 'TransactGetItems is not emulated'),
  outside(
    'a transaction under a token',
    send('TransactWriteItems', { ClientRequestToken: 't' }),
    'TransactWriteItems is not emulated',
  ),
  outside(
    'a transaction with two operations on one item',
    send('TransactWriteItems'),
    'TransactWriteItems is not emulated',
  ),
  shown('an unknown table is ResourceNotFoundException', 'table', "'ResourceNotFoundException'"),
  shown('a table is found by its ARN', 'table', 'is found by its ARN too'),
  outside(
    'continuous backups are described',
    send('DescribeContinuousBackups'),
    'DescribeContinuousBackups is not emulated',
  ),
  outside(
    'a statement of PartiQL',
    send('ExecuteStatement', { Statement: 'SELECT 1' }),
    'ExecuteStatement is not emulated',
  ),
  shown('a table made anew is empty', 'table', 'is made once, and made anew it is empty'),
];
