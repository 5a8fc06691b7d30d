/**
 * From a request's JSON to a checked request: dynalite checks types and constraints, and whatever the engine does not
 * emulate is refused by name instead of being ignored.
 */
import type { Item } from './attribute-value.ts';
import type { ReturnConsumedCapacity } from './capacity.ts';
import {
  type CheckedRequest,
  loadOperationCheck,
  type OperationCheck,
  throwIfRefused,
  validations,
} from './dynalite.ts';
import { DynamoDbFault, validationFault } from './fault.ts';
import { checkAttributeValue } from './value-check.ts';

/** A request's JSON object, which the check may change. */
export type RequestBody = Record<string, unknown>;

export interface TableRequest extends CheckedRequest {
  readonly TableName: string;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
}

interface Shape {
  readonly check: OperationCheck;
  readonly parameters: ReadonlySet<string>;
}

/** What an expression replaces, or what belongs to a feature the design does without. */
const LEGACY_PARAMETERS: ReadonlySet<string> = new Set([
  'AttributesToGet',
  'AttributeUpdates',
  'ConditionalOperator',
  'Expected',
  'KeyConditions',
  'QueryFilter',
]);
const NOT_EMULATED_PARAMETERS: ReadonlySet<string> = new Set(['LocalSecondaryIndexes', 'ProvisionedThroughput']);

/** Parameters AWS has and dynalite's check drops in silence; read from the request as it came. */
const FURTHER_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  // Nothing a local engine does depends on the last four: what they set is billing, encryption and tags.
  CreateTable: [
    'StreamSpecification',
    'DeletionProtectionEnabled',
    'OnDemandThroughput',
    'SSESpecification',
    'TableClass',
    'Tags',
  ],
  PutItem: ['ReturnValuesOnConditionCheckFailure'],
  UpdateItem: ['ReturnValuesOnConditionCheckFailure'],
  DeleteItem: ['ReturnValuesOnConditionCheckFailure'],
};

/** The further parameters that are carried on into the checked request. */
const CARRIED_PARAMETERS = ['StreamSpecification', 'DeletionProtectionEnabled', 'ReturnValuesOnConditionCheckFailure'];

const shapes = new Map<string, Shape>();

function findShape(operation: string): Shape {
  let shape = shapes.get(operation);
  if (shape === undefined) {
    const check = loadOperationCheck(operation);
    const known = Object.keys(check.types).filter(
      (name) => !LEGACY_PARAMETERS.has(name) && !NOT_EMULATED_PARAMETERS.has(name),
    );
    shape = { check, parameters: new Set([...known, ...(FURTHER_PARAMETERS[operation] ?? [])]) };
    shapes.set(operation, shape);
  }
  return shape;
}

/**
 * The checked request of an operation dynalite knows.
 * Throws a SerializationException for wrong JSON types, a ValidationException for everything else that is refused.
 */
export function readRequest<Request extends CheckedRequest>(operation: string, body: RequestBody): Request {
  const { check, parameters } = findShape(operation);
  refuseParameters(operation, body, parameters);
  const further = CARRIED_PARAMETERS.filter((name) => body[name] !== undefined && body[name] !== null).map((name) => [
    name,
    body[name],
  ]);
  if (typeof body['TableName'] === 'string') body['TableName'] = readTableName(body['TableName']);
  // Only CreateTable's own rules are taken over whole: those of the others parse the expressions, which the cache is
  // for.
  const custom = operation === 'CreateTable' ? check.custom : undefined;
  try {
    const checked = validations.checkTypes(body, check.types);
    validations.checkValidations(checked, check.types, custom);
    return Object.assign(checked, Object.fromEntries(further)) as unknown as Request;
  } catch (error) {
    throw toFault(error);
  }
}

/** Throws a ValidationException that names the first parameter that is not among the emulated ones. */
export function refuseParameters(operation: string, body: RequestBody, parameters: ReadonlySet<string>): void {
  for (const name of Object.keys(body)) {
    if (parameters.has(name) || body[name] === null || body[name] === undefined) continue;
    const reason = LEGACY_PARAMETERS.has(name)
      ? 'it is a legacy parameter, use an expression'
      : 'the design does without it';
    throw validationFault(
      `${operation} with ${name} is not emulated by the embedded engine: ${reason}. Emulated parameters: ${[...parameters].join(', ')}.`,
    );
  }
  if (body['ReturnItemCollectionMetrics'] === 'SIZE') {
    throw validationFault(
      'ReturnItemCollectionMetrics SIZE is not emulated by the embedded engine: it concerns local secondary indexes, which the design does without. Leave it out or use NONE.',
    );
  }
}

/** dynalite's checks of which parameters go together; `expressions` are the operation's expression parameters. */
export function checkExpressionParameters(request: CheckedRequest, expressions: readonly string[]): void {
  throwIfRefused(validations.validateExpressionParams(request, [...expressions], []));
}

/** Throws a ValidationException for the first value AWS would refuse; numbers are canonical text afterwards. */
export function checkItemValues(item: Item): void {
  for (const value of Object.values(item)) throwIfRefused(checkAttributeValue(value));
}

/** AWS takes a table's ARN wherever it takes its name. */
export function readTableName(nameOrArn: string): string {
  return nameOrArn.replace(/^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\//, '');
}

/** dynalite throws errors with a `body`; some of its messages are spelt with a capital M. */
function toFault(error: unknown): unknown {
  const body = (error as { body?: { __type?: string; message?: string; Message?: string } }).body;
  if (body?.__type === undefined) return error;
  return new DynamoDbFault(body.__type, (body.message ?? body.Message) as string);
}
