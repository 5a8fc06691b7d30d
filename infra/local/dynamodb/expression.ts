/**
 * The expressions of a request, parsed by dynalite, compiled by us, and kept.
 *
 * Parsing is what costs: about 350 µs for a typical conditional update, against 30 µs for all the rest. dynalite puts
 * names and values into the tree while it parses, so a text alone does not decide the result. It is decided by the
 * texts, the names and the *types* of the values, which together are the key of the cache here; where the content of a
 * value decides too (BETWEEN with literal bounds), the compiled set carries a check that must hold for the values at hand, else dynalite parses again and refuses in its own words. Only accepted requests are kept.
 */
import { type Item, typeOf, type Values } from './attribute-value.ts';
import { type Condition, compileCondition, isPath, type Placeholders, type ValuesCheck } from './condition.ts';
import { type CheckedRequest, type KeyConditionTree, throwIfRefused, validations } from './dynalite.ts';
import { validationFault } from './fault.ts';
import { compileProjection, type Projection } from './projection.ts';
import { textSizeBytes } from './size.ts';
import { compareValues } from './sort-order.ts';
import { readNames } from './subset.ts';
import { compileUpdate, type UpdateAction } from './update.ts';
import { checkAttributeValue } from './value-check.ts';

/** The key condition on one attribute: `values` are placeholders, two for BETWEEN. */
export interface KeyCondition {
  readonly operator: 'EQ' | 'LT' | 'LE' | 'GT' | 'GE' | 'BEGINS_WITH' | 'BETWEEN';
  readonly values: readonly string[];
}

/** Everything a request's expressions say. Each part is absent when the request lacks that expression. */
export interface Expressions {
  readonly update?: readonly UpdateAction[];
  /** What UPDATED_OLD and UPDATED_NEW return. */
  readonly updated?: Projection;
  readonly condition?: Condition;
  readonly keyConditions?: ReadonlyMap<string, KeyCondition>;
  readonly filter?: Condition;
  readonly projection?: Projection;
  /** First steps of the paths written by the update, used by the filter, returned by the projection. */
  readonly updatedNames: ReadonlySet<string>;
  readonly filterNames: ReadonlySet<string>;
  readonly projectedNames: ReadonlySet<string>;
  /** First steps of the nested paths among those: no key attribute may be one, since keys are scalars. */
  readonly nestedNames: ReadonlySet<string>;
}

interface KeptExpressions extends Expressions {
  readonly checks: readonly ValuesCheck[];
}

const PARAMETERS = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
] as const;
/** AWS's bound on one expression's text. */
const EXPRESSION_BYTES_MAX = 4096;
/** AWS's bound on the operands of one IN. */
const IN_OPERANDS_MAX = 100;
/** A deployment has tens of request shapes; the bound only keeps a fuzzing test from filling the memory. */
const KEPT_MAX = 2000;

export type ResolveExpressions = (request: CheckedRequest) => Expressions;

/** A resolver with a cache of its own. It throws a ValidationException for whatever dynalite or AWS's bounds refuse. */
export function createExpressionResolver(): ResolveExpressions {
  const kept = new Map<string, KeptExpressions>();
  return (request) => {
    const values = (request['ExpressionAttributeValues'] ?? {}) as Values;
    for (const [name, value] of Object.entries(values)) {
      const message = checkAttributeValue(value);
      if (message !== undefined) {
        throw validationFault(`ExpressionAttributeValues contains invalid value: ${message} for key ${name}`);
      }
    }
    const signature = writeSignature(request);
    const found = kept.get(signature);
    if (found?.checks.every((check) => check(values))) return found;
    const expressions = compileExpressions(request, values);
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(signature, expressions);
    return expressions;
  };
}

function writeSignature(request: CheckedRequest): string {
  const texts = PARAMETERS.map((parameter) => request[parameter] ?? null);
  const values = request['ExpressionAttributeValues'] as Item | undefined;
  const types = values && Object.entries(values).map(([name, value]) => `${name} ${typeOf(value)}`);
  return JSON.stringify([texts, request['ExpressionAttributeNames'] ?? null, types ?? null]);
}

function compileExpressions(request: CheckedRequest, values: Values): KeptExpressions {
  for (const parameter of PARAMETERS) checkTextSize(parameter, request[parameter] as string | undefined);
  throwIfRefused(validations.validateExpressions(request));
  const placeholders: Placeholders = new Map(Object.entries(values).map(([name, value]) => [value, name]));
  const { _updates, _condition, _keyCondition, _filter, _projection } = request;
  const checks: ValuesCheck[] = [];
  const nested = [_updates, _filter, _projection].flatMap((tree) => Object.keys(tree?.nestedPaths ?? {}));
  const condition = _condition && compileBounded('ConditionExpression', _condition.expression, placeholders, checks);
  const filter = _filter && compileBounded('FilterExpression', _filter.expression, placeholders, checks);
  return {
    ...(_updates && {
      update: compileUpdate(_updates.sections, placeholders),
      updated: compileProjection(_updates.paths.map(readNames)),
    }),
    ...(condition && { condition }),
    ...(_keyCondition && { keyConditions: compileKeyConditions(_keyCondition.expression, placeholders, checks) }),
    ...(filter && { filter }),
    ...(_projection && { projection: compileProjection(_projection.paths.map(readNames)) }),
    updatedNames: new Set(_updates?.sections.map(({ path }) => String(path[0]))),
    filterNames: new Set(Object.keys(_filter?.pathHeads ?? {})),
    projectedNames: new Set(_projection?.paths.map((path) => String(path[0]))),
    nestedNames: new Set(nested),
    checks,
  };
}

function checkTextSize(parameter: string, text: string | undefined): void {
  if (text === undefined) return;
  const bytes = textSizeBytes(text);
  if (bytes <= EXPRESSION_BYTES_MAX) return;
  throw validationFault(
    `Invalid ${parameter}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
  );
}

function compileBounded(
  parameter: string,
  tree: Parameters<typeof compileCondition>[0],
  placeholders: Placeholders,
  checks: ValuesCheck[],
): Condition {
  checkInOperands(parameter, tree);
  return compileCondition(tree, placeholders, checks);
}

function checkInOperands(parameter: string, tree: Parameters<typeof compileCondition>[0]): void {
  if (isPath(tree) || !('args' in tree) || !Array.isArray(tree.args)) return;
  if (tree.type === 'in' && tree.args.length - 1 > IN_OPERANDS_MAX) {
    throw validationFault(
      `Invalid ${parameter}: The IN operator is provided with too many operands; number of operands: ${tree.args.length - 1}`,
    );
  }
  for (const argument of tree.args) checkInOperands(parameter, argument);
}

function compileKeyConditions(
  tree: Parameters<typeof compileCondition>[0],
  placeholders: Placeholders,
  checks: ValuesCheck[],
): ReadonlyMap<string, KeyCondition> {
  const converted = validations.convertKeyCondition(tree);
  if (typeof converted === 'string') throw validationFault(converted);
  throwIfRefused(validations.validateConditions(converted));
  const conditions = Object.entries(converted);
  if (conditions.length > 2) throw validationFault('Conditions can be of length 1 or 2 only');
  return new Map(conditions.map(([name, condition]) => [name, compileKeyCondition(condition, placeholders, checks)]));
}

function compileKeyCondition(
  { ComparisonOperator, AttributeValueList }: KeyConditionTree,
  placeholders: Placeholders,
  checks: ValuesCheck[],
): KeyCondition {
  const values = AttributeValueList.map((value) => placeholders.get(value) as string);
  const [low, high] = values;
  if (low !== undefined && high !== undefined) checks.push((given) => !(compareValues(given[low], given[high]) > 0));
  return { operator: ComparisonOperator as KeyCondition['operator'], values };
}
