/**
 * 22 probes of SQS's behaviour, out of the study that chose this engine; there, fauxqs answered 19 of them as AWS does.
 * In the same order as there.
 */
import type { Held } from '../held-against.ts';
import type { SqsTestClient } from './client.ts';

const shown = (asks: string, name: string, words: string): Held<SqsTestClient> => ({
  asks,
  file: `infra/local/sqs/${name}.test.ts`,
  words,
});
const outside = (asks: string, ask: (client: SqsTestClient) => unknown, refused: string): Held<SqsTestClient> => ({
  asks,
  ask,
  refused,
});

export const PROBES: readonly Held<SqsTestClient>[] = [
  shown(
    'a message is sent, received with digest and attributes, and deleted',
    'engine',
    'is sent, received with its digest and attributes, and deleted',
  ),
  shown('a long poll wakes at once on a message', 'engine', 'wakes at once on a message'),
  shown(
    'a long poll ends empty after its wait time',
    'engine',
    'ends empty after its wait time, given or the queue its own',
  ),
  shown('the queue has a wait time of its own', 'engine', "ReceiveMessageWaitTimeSeconds: '1'"),
  shown(
    'a long poll wakes when a visibility ends',
    'engine',
    'wakes when a visibility ends, and counts the second receive',
  ),
  shown(
    'a receive hides for its own time, which overrides the queue',
    'engine',
    'hides for the time of the receive, which overrides the queue',
  ),
  shown(
    'a visibility of 0 shows the message again, under another handle',
    'engine',
    'of 0 shows the message again, under another handle',
  ),
  shown(
    'a stale handle does not delete what was received again',
    'engine',
    'does not let a stale handle delete what was received again',
  ),
  shown(
    'a message goes to the dead letters after its last receive, with id and body',
    'queues',
    'gets the message after its last receive, with id, body and origin',
  ),
  shown(
    'the move is counted before anybody receives from the dead letters',
    'queues',
    'expect(await client.depths(dlq)).toEqual([1, 0, 0]);',
  ),
  shown(
    'a move task gives dead letters back',
    'queues',
    'gives its messages back, which then have all their receives again',
  ),
  shown('a batch of ten is sent and deleted, and a bad entry fails alone', 'queues', 'fails the bad entry alone'),
  shown('a batch of eleven, or with one id twice, is refused', 'queues', "'TooManyEntriesInBatchRequest'"),
  shown(
    'messages are delayed, by the request or the queue',
    'engine',
    'delays a message by the request or by the queue',
  ),
  shown('a message of more than 1 MiB is refused', 'engine', 'of 1 MiB is taken, of one byte more refused'),
  shown('a queue that does not exist is refused by its name', 'queues', "name: 'QueueDoesNotExist'"),
  shown(
    'visible, in flight and delayed are counted, and purged',
    'queues',
    'counts what is visible, in flight and delayed, and is purged',
  ),
  outside(
    'a FIFO queue keeps the order of each group',
    (client) => client.makeQueue('q.fifo', { FifoQueue: 'true' }),
    'Queue q.fifo: FIFO queues are not emulated',
  ),
  outside(
    'a FIFO queue takes equal contents once',
    (client) => client.makeQueue('q', { ContentBasedDeduplication: 'true' }),
    'ContentBasedDeduplication: FIFO queues are not emulated',
  ),
  shown('a message is dropped when its retention ends', 'engine', 'is dropped when its retention ends'),
  shown('a standard queue takes a message group', 'engine', 'keeps the group of a fair queue'),
  shown(
    'each of 200 messages goes to one of 20 receivers',
    'engine',
    'gives each of 200 messages to one of 20 receivers',
  ),
];
