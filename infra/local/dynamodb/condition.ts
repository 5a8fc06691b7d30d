/**
 * Conditions and filters: a parsed expression becomes one function of an item and the request's values.
 *
 * Compiling keeps the values out of the function (only their placeholder's name goes in), so that the function can be
 * kept and used again for every request with the same text.
 */
import {
  type AttributeValue,
  areEqual,
  containsValue,
  decodeBinary,
  type Item,
  type Path,
  readPath,
  typeOf,
  type Values,
} from './attribute-value.ts';
import type { NodeTree, Tree } from './dynalite.ts';
import { validationFault } from './fault.ts';
import { binarySizeBytes, textSizeBytes } from './size.ts';
import { compareValues } from './sort-order.ts';

/** Whether the item meets the expression; an absent item is the empty item. */
export type Condition = (item: Item, values: Values) => boolean;

/** What an operand stands for, or undefined when the item has nothing there. */
export type Operand = (item: Item, values: Values) => AttributeValue | undefined;

/** From a value object as the parser left it in the tree to its placeholder's name. */
export type Placeholders = ReadonlyMap<object, string>;

/** A check of the values' content that must hold again whenever a compiled expression is used with other values. */
export type ValuesCheck = (values: Values) => boolean;

export function isPath(tree: Tree): tree is Path {
  return Array.isArray(tree);
}

export function compileCondition(tree: Tree, placeholders: Placeholders, checks: ValuesCheck[]): Condition {
  const node = tree as NodeTree;
  const compile = (at: number) => compileCondition(node.args[at] as Tree, placeholders, checks);
  switch (node.type) {
    case 'and': {
      const [left, right] = [compile(0), compile(1)];
      return (item, values) => left(item, values) && right(item, values);
    }
    case 'or': {
      const [left, right] = [compile(0), compile(1)];
      return (item, values) => left(item, values) || right(item, values);
    }
    case 'not': {
      const inner = compile(0);
      return (item, values) => !inner(item, values);
    }
    case 'between':
      return compileBetween(node, placeholders, checks);
    case 'in':
      return compileIn(node, placeholders);
    case 'function':
      return compileFunction(node, placeholders, checks);
    default:
      return compileComparison(node, placeholders);
  }
}

/** A path, a value or size(...). */
export function compileOperand(tree: Tree, placeholders: Placeholders): Operand {
  if (isPath(tree)) return (item) => readPath(item, tree);
  const name = placeholders.get(tree);
  if (name !== undefined) return (_item, values) => values[name];
  const inner = compileOperand((tree as NodeTree).args[0] as Tree, placeholders);
  return (item, values) => {
    const size = measure(inner(item, values));
    return size === undefined ? undefined : { N: String(size) };
  };
}

function compileComparison(node: NodeTree, placeholders: Placeholders): Condition {
  const [left, right] = node.args.map((argument) => compileOperand(argument, placeholders)) as [Operand, Operand];
  switch (node.type) {
    case '=':
      return (item, values) => areEqual(left(item, values), right(item, values));
    case '<>':
      return (item, values) => !areEqual(left(item, values), right(item, values));
    case '<':
      return (item, values) => compareValues(left(item, values), right(item, values)) < 0;
    case '<=':
      return (item, values) => compareValues(left(item, values), right(item, values)) <= 0;
    case '>':
      return (item, values) => compareValues(left(item, values), right(item, values)) > 0;
    case '>=':
      return (item, values) => compareValues(left(item, values), right(item, values)) >= 0;
    default:
      throw validationFault(`The operator ${node.type} is not emulated by the embedded engine.`);
  }
}

function compileBetween(node: NodeTree, placeholders: Placeholders, checks: ValuesCheck[]): Condition {
  const [operand, low, high] = node.args.map((argument) => compileOperand(argument, placeholders)) as [
    Operand,
    Operand,
    Operand,
  ];
  const [lowName, highName] = [node.args[1], node.args[2]].map((bound) => placeholders.get(bound as object));
  // The parser refuses literal bounds in the wrong order; they may stand so in the next request.
  if (lowName !== undefined && highName !== undefined) {
    checks.push((values) => !(compareValues(values[lowName], values[highName]) > 0));
  }
  return (item, values) => {
    const value = operand(item, values);
    return compareValues(value, low(item, values)) >= 0 && compareValues(value, high(item, values)) <= 0;
  };
}

function compileIn(node: NodeTree, placeholders: Placeholders): Condition {
  const [operand, ...options] = node.args.map((argument) => compileOperand(argument, placeholders)) as [
    Operand,
    ...Operand[],
  ];
  return (item, values) => {
    const value = operand(item, values);
    return options.some((option) => areEqual(value, option(item, values)));
  };
}

function compileFunction(node: NodeTree, placeholders: Placeholders, checks: ValuesCheck[]): Condition {
  const [first, second] = node.args.map((argument) => compileOperand(argument, placeholders)) as [Operand, Operand];
  switch (node.name) {
    case 'attribute_exists':
      return (item, values) => first(item, values) !== undefined;
    case 'attribute_not_exists':
      return (item, values) => first(item, values) === undefined;
    case 'attribute_type': {
      // The parser refuses type names it does not know, so another value must go through it again.
      const name = placeholders.get(node.args[1] as object);
      if (name !== undefined) checks.push((values) => TYPE_NAMES.has(readText(values[name]) ?? ''));
      return (item, values) => {
        const value = first(item, values);
        return value !== undefined && typeOf(value) === readText(second(item, values));
      };
    }
    case 'begins_with':
      return (item, values) => beginsWith(first(item, values), second(item, values));
    case 'contains':
      return (item, values) => containsValue(first(item, values), second(item, values));
    default:
      throw validationFault(`The function ${node.name} is not emulated by the embedded engine.`);
  }
}

const TYPE_NAMES: ReadonlySet<string> = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);

function readText(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value === undefined || prefix === undefined) return false;
  if ('S' in value) return 'S' in prefix && value.S.startsWith(prefix.S);
  if (!('B' in value) || !('B' in prefix)) return false;
  const start = decodeBinary(prefix.B);
  return decodeBinary(value.B).subarray(0, start.length).equals(start);
}

/** size(): bytes of a string or binary, members of the rest; undefined for types that have none. */
function measure(value: AttributeValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  if ('S' in value) return textSizeBytes(value.S);
  if ('B' in value) return binarySizeBytes(value.B);
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  if ('BS' in value) return value.BS.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  return undefined;
}
