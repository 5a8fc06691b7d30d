/** What a stream mapping needs of a table: the part of the DynamoDB engine that it reads. */
import type { StreamPage, StreamRecord } from '../dynamodb/stream.ts';

export type { StreamPage, StreamRecord } from '../dynamodb/stream.ts';

export interface StreamSource {
  /** Calls the listener after each write that made a record; returns how to stop. */
  readonly onStream: (table: string, listener: (record: StreamRecord) => void) => () => void;
  readonly readStream: (table: string, fromIndex: number, limit: number) => StreamPage;
  /** Everything up to and including this record is done with and need not be kept. */
  readonly ackStream: (table: string, sequenceNumber: string) => void;
}
