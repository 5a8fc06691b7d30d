/**
 * The shape of a request: data, not yet sent. Builders in this folder return these; `functions/io/dynamo.ts` sends them.
 *
 * Expressions are written with `#name` for every attribute; the names map is gathered from the text itself, so that no
 * attribute can collide with one of DynamoDB's 573 reserved words. Only the subset of design rule 13 is used.
 */
import type {
  BatchGetCommandInput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { type IndexName, INDEXES, PARTITION_KEY, SORT_KEY, type TableName } from './table.ts';

export type Item = Record<string, unknown>;
export interface Key {
  readonly [PARTITION_KEY]: string;
  readonly [SORT_KEY]: string;
}

/** Tells from the item that refused the condition whether it already shows the outcome of this very write. */
export type IsMine = (stored: Item) => boolean;

export type Write =
  | {
      readonly kind: 'put';
      readonly table: TableName;
      readonly input: Omit<PutCommandInput, 'TableName'>;
      readonly isMine: IsMine;
    }
  | {
      readonly kind: 'update';
      readonly table: TableName;
      readonly input: Omit<UpdateCommandInput, 'TableName'>;
      readonly isMine: IsMine;
    }
  | {
      readonly kind: 'delete';
      readonly table: TableName;
      readonly input: Omit<DeleteCommandInput, 'TableName'>;
      readonly isMine: IsMine;
    };

export interface Get {
  readonly kind: 'get';
  readonly table: TableName;
  readonly input: Omit<GetCommandInput, 'TableName'>;
}
export interface Query {
  readonly kind: 'query';
  readonly table: TableName;
  readonly input: Omit<QueryCommandInput, 'TableName'> & { Limit: number };
}
export interface BatchGet {
  readonly kind: 'batchGet';
  readonly table: TableName;
  readonly keys: NonNullable<NonNullable<BatchGetCommandInput['RequestItems']>[string]['Keys']>;
}
export type Read = Get | Query;

/** A write's outcome. Losing is a value (design rule 2): `stored` is the item that refused, absent when there is none. */
export type Outcome =
  | { readonly kind: 'won'; readonly item: Item | undefined }
  | { readonly kind: 'held'; readonly stored: Item | undefined };

const NAME = /#([A-Za-z0-9_]+)/g;
/** Builders write the same few hundred texts again and again, and reading them was a twentieth of a busy process's time. */
const TEXTS_KEPT_MAX = 2000;
const placeholdersOf = new Map<string, readonly string[]>();

function readPlaceholders(expression: string): readonly string[] {
  const known = placeholdersOf.get(expression);
  if (known) return known;
  const found = [...new Set(expression.match(NAME))];
  if (placeholdersOf.size < TEXTS_KEPT_MAX) placeholdersOf.set(expression, found);
  return found;
}

function gatherNames(expressions: readonly string[], extra: Record<string, string> = {}): Record<string, string> {
  const names: Record<string, string> = {};
  for (const expression of expressions) {
    for (const token of readPlaceholders(expression)) names[token] = extra[token] ?? token.slice(1);
  }
  return names;
}

const sameOp =
  (op: string): IsMine =>
  (stored) =>
    stored.op === op;

interface UpdateParts {
  readonly table?: TableName;
  readonly key: Key;
  /** Fresh for this one write; stored on the item, so that a lost reply can be told from a lost race. */
  readonly op: string;
  /** Attributes set to values. */
  readonly set?: Record<string, unknown>;
  /** Further SET clauses, in `#name` form. */
  readonly setClauses?: readonly string[];
  readonly add?: Record<string, number>;
  readonly remove?: readonly string[];
  /** Clauses joined by AND. None: the write is unconditional, and its builder says why. */
  readonly when: readonly string[];
  readonly values?: Record<string, unknown>;
  /** Names that are not attribute names of ours, such as the key of a map: `{ '#pass': passId }`. */
  readonly names?: Record<string, string>;
  readonly returns?: 'NONE' | 'ALL_NEW';
  readonly isMine?: IsMine;
}

/** An UpdateItem from its parts. */
export function update(parts: UpdateParts): Write {
  const values: Record<string, unknown> = { ...parts.values };
  const sets: string[] = [];
  for (const [name, value] of [...Object.entries(parts.set ?? {}), ['op', parts.op] as const]) {
    sets.push(`#${name} = :set_${name}`);
    values[`:set_${name}`] = value;
  }
  const adds: string[] = [];
  for (const [name, value] of Object.entries(parts.add ?? {})) {
    adds.push(`#${name} :add_${name}`);
    values[`:add_${name}`] = value;
  }
  const removes = (parts.remove ?? []).map((name) => (name.startsWith('#') ? name : `#${name}`));
  let expression = `SET ${[...sets, ...(parts.setClauses ?? [])].join(', ')}`;
  if (adds.length > 0) expression += ` ADD ${adds.join(', ')}`;
  if (removes.length > 0) expression += ` REMOVE ${removes.join(', ')}`;
  const condition = parts.when.map((clause) => `(${clause})`).join(' AND ');
  return {
    kind: 'update',
    table: parts.table ?? 'control',
    isMine: parts.isMine ?? sameOp(parts.op),
    input: {
      Key: parts.key,
      UpdateExpression: expression,
      ...(condition !== '' && { ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      ExpressionAttributeNames: gatherNames([expression, condition], parts.names),
      ExpressionAttributeValues: values,
      ...(parts.returns && parts.returns !== 'NONE' && { ReturnValues: parts.returns }),
    },
  };
}

interface PutParts {
  readonly table?: TableName;
  readonly item: Item & Key;
  readonly op: string;
  readonly when: readonly string[];
  readonly values?: Record<string, unknown>;
  readonly isMine?: IsMine;
}

/** A PutItem from its parts. */
export function put(parts: PutParts): Write {
  const condition = parts.when.map((clause) => `(${clause})`).join(' AND ');
  return {
    kind: 'put',
    table: parts.table ?? 'control',
    isMine: parts.isMine ?? sameOp(parts.op),
    input: {
      Item: { ...parts.item, op: parts.op },
      ...(condition !== '' && {
        ConditionExpression: condition,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ExpressionAttributeNames: gatherNames([condition]),
        ...(parts.values && { ExpressionAttributeValues: parts.values }),
      }),
    },
  };
}

/** A DeleteItem without a condition: for rows that only one pass ever writes and whose absence is the goal. */
export function remove(key: Key, table: TableName = 'control'): Write {
  return { kind: 'delete', table, isMine: () => true, input: { Key: key } };
}

/** A DeleteItem on a condition. Losing without a stored item means that the row is gone, by this write or another. */
export function removeWhen(
  key: Key,
  { when, values }: { readonly when: readonly string[]; readonly values: Record<string, unknown> },
): Write {
  const condition = when.map((clause) => `(${clause})`).join(' AND ');
  return {
    kind: 'delete',
    table: 'control',
    isMine: () => false,
    input: {
      Key: key,
      ConditionExpression: condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: gatherNames([condition]),
      ExpressionAttributeValues: values,
    },
  };
}

/** A strongly consistent read of one item. */
export function get(key: Key, table: TableName = 'control'): Get {
  return { kind: 'get', table, input: { Key: key, ConsistentRead: true } };
}

interface QueryParts {
  readonly table?: TableName;
  readonly partition: string;
  /** Sort key range, both ends included; absent: the whole partition. */
  readonly between?: readonly [string | number, string | number];
  readonly beginsWith?: string;
  readonly index?: IndexName;
  readonly limit: number;
  readonly newestFirst?: boolean;
  readonly startKey?: Item | undefined;
  /** FilterExpression clauses joined by AND: applied after reading, so the limit counts rows read. */
  readonly filter?: readonly string[];
  readonly values?: Record<string, unknown>;
}

/** A Query of one partition: consistent on the table, eventually consistent on an index (design rule 5). */
export function query(parts: QueryParts): Query {
  const shape = parts.index ? INDEXES[parts.index] : undefined;
  const partitionName = shape?.partition.name ?? PARTITION_KEY;
  const sortName = shape?.sort.name ?? SORT_KEY;
  const clauses = [`#${partitionName} = :partition`];
  const values: Record<string, unknown> = { ':partition': parts.partition, ...parts.values };
  if (parts.between) {
    clauses.push(`#${sortName} BETWEEN :from AND :to`);
    [values[':from'], values[':to']] = parts.between;
  }
  if (parts.beginsWith !== undefined) {
    clauses.push(`begins_with(#${sortName}, :prefix)`);
    values[':prefix'] = parts.beginsWith;
  }
  const filter = (parts.filter ?? []).map((clause) => `(${clause})`).join(' AND ');
  const condition = clauses.join(' AND ');
  return {
    kind: 'query',
    table: parts.table ?? 'control',
    input: {
      KeyConditionExpression: condition,
      ...(filter !== '' && { FilterExpression: filter }),
      ExpressionAttributeNames: gatherNames([condition, filter]),
      ExpressionAttributeValues: values,
      Limit: parts.limit,
      ...(parts.index ? { IndexName: parts.index } : { ConsistentRead: true }),
      ...(parts.newestFirst && { ScanIndexForward: false }),
      ...(parts.startKey && { ExclusiveStartKey: parts.startKey }),
    },
  };
}
