/**
 * Faults that were seen in other engines and in the prototypes, and where AWS is less kind than one machine: each with
 * the test of ours that it would fail.
 */
import type { Shown } from './held-against.ts';

const fault = (asks: string, file: string, words: string): Shown => ({ asks, file, words });

export const SEEN_FAULTS: readonly Shown[] = [
  fault(
    'transactions, streams and time to live that are unknown operations: time to live is there, streams are read in-process, transactions are refused',
    'infra/local/dynamodb/refusal.test.ts',
    "'TransactWriteItems',",
  ),
  fault('a table that does not show its stream', 'infra/local/dynamodb/table.test.ts', 'LatestStreamArn:'),
  fault(
    'a refused condition that forgets to return the item',
    'infra/local/dynamodb/condition.test.ts',
    'returns the stored item from %s only when asked',
  ),
  fault(
    'lists and maps that never equal each other',
    'infra/local/dynamodb/condition.test.ts',
    "[true, 'box = :v', { ':v': typed({ b: 'x', a: 1 }) }]",
  ),
  fault(
    'REMOVE of two places of a list that removes others: places are refused',
    'infra/local/dynamodb/update.test.ts',
    "['REMOVE m.l[2].k', 'The place [2] in the list m.l']",
  ),
  fault(
    'SET b = a after which a change of a changes b',
    'infra/local/dynamodb/update.test.ts',
    "['a copy is not an alias'",
  ),
  fault(
    'index rows with equal keys that vanish',
    'infra/local/dynamodb/secondary-index.test.ts',
    'loses none of 8,000 rows with equal keys',
  ),
  fault(
    'sizes in UTF-16 units: items',
    'infra/local/dynamodb/limits.test.ts',
    "['é', 'é', (ITEM_BYTES_MAX - OVERHEAD_BYTES) >> 1]",
  ),
  fault('sizes in UTF-16 units: keys', 'infra/local/dynamodb/limits.test.ts', "['a partition key longer in bytes'"),
  fault('capacity that leaves out the indexes', 'infra/local/dynamodb/capacity.test.ts', "'a put into two indexes'"),
  fault('an empty query that costs nothing', 'infra/local/dynamodb/capacity.test.ts', "['a query of nothing', 0.5"),
  fault(
    'an empty string taken as index key',
    'infra/local/dynamodb/secondary-index.test.ts',
    "['an empty string', { GSI1PK: '', GSI1SK: 'x' }]",
  ),
  fault(
    'a sum past 38 digits that is taken',
    'infra/local/dynamodb/limits.test.ts',
    "['99999999999999999999999999999999999999', '0.1', undefined]",
  ),
  fault(
    'contains() of a list with a boolean that is false: contains() is refused',
    'infra/local/dynamodb/condition.test.ts',
    "['contains(tags, :v)', 'The function contains']",
  ),
  fault(
    'strings beyond the basic plane in the wrong order',
    'infra/local/dynamodb/query.test.ts',
    'of string keys is that of their UTF-8 bytes',
  ),
  fault(
    'the ARN of a table that is refused as its name',
    'infra/local/dynamodb/table.test.ts',
    'is found by its ARN too',
  ),
  fault(
    'a client that aborts in mid-body and takes the process with it',
    'infra/local/runtime/runtime.test.ts',
    'that is given up in mid-body by its client does not end the runtime',
  ),
  fault(
    'a body of null that takes the process with it',
    'infra/local/dynamodb/refusal.test.ts',
    "it.each(['', 'null', '1'",
  ),
  fault(
    'iterators that are never closed: 10,000 queries leave memory and files behind',
    'endurance/queries.ts',
    'queries left files open',
  ),
  fault(
    'the same, a small share of it in every test run',
    'infra/local/dynamodb/endurance.test.ts',
    'leave no memory and no file behind',
  ),
  fault('races of 50 writers, 1,000 rounds', 'endurance/races.ts', 'ROUNDS = 1_000'),
  fault(
    'the same, a share of it in every test run',
    'infra/local/dynamodb/race.test.ts',
    'to put an item that is not there has one winner',
  ),
  fault(
    'a stream that does not replay to the table, or an index that is not what the table says',
    'infra/local/dynamodb/random-writes.test.ts',
    'keep stream, table and indexes in step',
  ),
  fault(
    'time to live that deletes what is not due, or a renewed item',
    'infra/local/dynamodb/time-to-live.test.ts',
    'leaves an item that was renewed, however often it sweeps',
  ),
  fault(
    'a deletion by time to live without the identity of the service',
    'infra/local/dynamodb/time-to-live.test.ts',
    'leaves a record with the identity of the service, and cleans the indexes',
  ),
  fault('15 killed processes with torn logs', 'endurance/kills.ts', 'KILLS = 15'),
  fault(
    'the same, three of them in every test run',
    'infra/local/dynamodb/log.test.ts',
    'has lost nothing it had answered, and left nothing half done',
  ),
  fault('a log torn at any byte', 'infra/local/dynamodb/log.test.ts', 'is dropped and cut off, wherever it was torn'),
  fault(
    'a disk that is full in mid-write',
    'infra/local/dynamodb/failing-disk.test.ts',
    'refuses the write, changes nothing, and leaves no torn line behind',
  ),
  fault(
    'the same type of expression kept for other values',
    'infra/local/dynamodb/condition.test.ts',
    'are checked again for %s',
  ),
  fault('a long poll that does not wake on a message', 'infra/local/sqs/engine.test.ts', 'wakes at once on a message'),
  fault(
    'a visibility taken when the poll began',
    'infra/local/sqs/engine.test.ts',
    'starts the visibility when the message is taken, not when the poll began',
  ),
  fault(
    'a visibility of 0 that hides',
    'infra/local/sqs/engine.test.ts',
    'of 0 shows the message again, under another handle',
  ),
  fault(
    'system attributes missing from a receive',
    'infra/local/sqs/engine.test.ts',
    'is sent, received with its digest and attributes, and deleted',
  ),
  fault(
    'dead letters that cannot be moved back',
    'infra/local/sqs/queues.test.ts',
    'gives its messages back, which then have all their receives again',
  ),
  fault(
    'the group of a message lost on a standard queue',
    'infra/local/sqs/engine.test.ts',
    'keeps the group of a fair queue',
  ),
  fault(
    'functions that see the environment of another',
    'infra/local/runtime/runtime.test.ts',
    'each in its own function',
  ),
  fault(
    'a handler that cannot be stopped at its timeout',
    'infra/local/runtime/bad-conditions.test.ts',
    'that loops for ever is ended with its thread at its timeout',
  ),
  fault(
    'a poison message, a poison record and a failed event that are lost',
    'infra/local/runtime/runtime.test.ts',
    'of one stream record is bisected down to that record, and the others are handled',
  ),
  fault(
    'kinder than AWS: no throttling',
    'infra/local/runtime/request-faults.test.ts',
    'that is throttled is not carried out, and the SDK tries again',
  ),
  fault(
    'kinder than AWS: indexes at once',
    'infra/local/dynamodb/late-index.test.ts',
    'shows an item so long after it was put',
  ),
  fault(
    'kinder than AWS: each message once',
    'infra/local/runtime/message-faults.test.ts',
    'a message is delivered twice',
  ),
  fault('kinder than AWS: in order', 'infra/local/runtime/message-faults.test.ts', 'of a queue come in any order'),
];
