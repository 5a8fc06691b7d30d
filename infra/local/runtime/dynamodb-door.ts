/**
 * A DynamoDB request on its way to the engine: the consumed capacity is always asked for, counted, and taken out of the
 * answer again when the caller did not ask.
 */
import type { ConsumedCapacity } from '../dynamodb/capacity.ts';
import type { DynamoDb } from '../dynamodb/engine.ts';
import type { RequestCounter } from './request-counts.ts';

export const DYNAMODB_TARGET = 'DynamoDB_20120810.';

export interface DynamoDbAnswer {
  readonly status: number;
  /** The answer's JSON text, as the caller asked for it. */
  readonly text: string;
  readonly output: unknown;
  readonly consumed: readonly ConsumedCapacity[];
}

/** What the caller asked about capacity, and the request as it goes to the engine. */
interface Question {
  readonly level: 'NONE' | 'TOTAL' | 'INDEXES';
  readonly body: string;
}

type Output = { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[]; __type?: string };

const PARAMETER = '"ReturnConsumedCapacity"';
const LEVELS: readonly string[] = ['NONE', 'TOTAL', 'INDEXES'];
const METERED = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'BatchGetItem', 'BatchWriteItem']);

/** Runs one request; `target` is the X-Amz-Target header, `body` the JSON text. */
export function askDynamoDb(dynamodb: DynamoDb, counter: RequestCounter, target: string, body: string): DynamoDbAnswer {
  const operation = target.slice(DYNAMODB_TARGET.length);
  const question = METERED.has(operation) ? askForCapacity(body) : undefined;
  const answer = dynamodb.respond(target, question?.body ?? body);
  counter.count('dynamodb', operation);
  const output = JSON.parse(answer.body) as Output;
  if (answer.status !== 200) counter.countFault(operation, output.__type);
  if (question === undefined || output.ConsumedCapacity === undefined) {
    return { status: answer.status, text: answer.body, output, consumed: [] };
  }
  const consumed = [output.ConsumedCapacity].flat();
  counter.countUnits(operation, consumed);
  if (question.level === 'INDEXES') return { status: answer.status, text: answer.body, output, consumed };
  const { ConsumedCapacity: asked, ...rest } = output;
  const shown = question.level === 'NONE' ? rest : { ...rest, ConsumedCapacity: showTotal(asked) };
  return { status: answer.status, text: JSON.stringify(shown), output: shown, consumed };
}

function askForCapacity(body: string): Question | undefined {
  // Most callers do not ask; theirs is the path without a second parse.
  if (!body.includes(PARAMETER) && body.startsWith('{"'))
    return { level: 'NONE', body: `{${PARAMETER}:"INDEXES",${body.slice(1)}` };
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof input !== 'object' || input === null) return undefined;
  const level = 'ReturnConsumedCapacity' in input ? input.ReturnConsumedCapacity : 'NONE';
  // A wrong value is the engine's to refuse.
  if (typeof level !== 'string' || !LEVELS.includes(level)) return undefined;
  return { level: level as Question['level'], body: JSON.stringify({ ...input, ReturnConsumedCapacity: 'INDEXES' }) };
}

function showTotal(consumed: Output['ConsumedCapacity']): Output['ConsumedCapacity'] {
  const total = ({ TableName, CapacityUnits }: ConsumedCapacity): ConsumedCapacity => ({ TableName, CapacityUnits });
  if (consumed === undefined) return undefined;
  return Array.isArray(consumed) ? consumed.map(total) : total(consumed);
}
