/**
 * Conditions and filters: a parsed expression becomes one function of an item and the request's values.
 *
 * Compiling keeps the values out of the function (only their placeholder's name goes in), so that the function can be
 * kept and used again for every request with the same text.
 */
import { type AttributeValue, areEqual, decodeBinary, type Item, readPath, type Values } from './attribute-value.ts';
import type { NodeTree, ParsedPath, Tree } from './dynalite.ts';
import { compareValues } from './sort-order.ts';
import { outsideSubset, readNames } from './subset.ts';

/** Whether the item meets the expression; an absent item is the empty item. */
export type Condition = (item: Item, values: Values) => boolean;

/** What an operand stands for, or undefined when the item has nothing there. */
export type Operand = (item: Item, values: Values) => AttributeValue | undefined;

/** From a value object as the parser left it in the tree to its placeholder's name. */
export type Placeholders = ReadonlyMap<object, string>;

/** A check of the values' content that must hold again whenever a compiled expression is used with other values. */
export type ValuesCheck = (values: Values) => boolean;

export function isPath(tree: Tree): tree is ParsedPath {
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
      return compileFunction(node, placeholders);
    default:
      return compileComparison(node, placeholders);
  }
}

/** A path or a value. */
function compileOperand(tree: Tree, placeholders: Placeholders): Operand {
  if (isPath(tree)) {
    const path = readNames(tree);
    return (item) => readPath(item, path);
  }
  const name = placeholders.get(tree);
  if (name !== undefined) return (_item, values) => values[name];
  throw outsideSubset(`The function ${(tree as NodeTree).name}`);
}

/** By an operator: what the order of its sides must be. NaN, the order of what has none, meets nothing. */
const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function compileComparison(node: NodeTree, placeholders: Placeholders): Condition {
  const [left, right] = node.args.map((argument) => compileOperand(argument, placeholders)) as [Operand, Operand];
  if (node.type === '=') return (item, values) => areEqual(left(item, values), right(item, values));
  if (node.type === '<>') return (item, values) => !areEqual(left(item, values), right(item, values));
  const meets = ORDERS[node.type] as (order: number) => boolean;
  return (item, values) => meets(compareValues(left(item, values), right(item, values)));
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

function compileFunction(node: NodeTree, placeholders: Placeholders): Condition {
  const operand = (at: number) => compileOperand(node.args[at] as Tree, placeholders);
  switch (node.name) {
    case 'attribute_exists': {
      const attribute = operand(0);
      return (item, values) => attribute(item, values) !== undefined;
    }
    case 'attribute_not_exists': {
      const attribute = operand(0);
      return (item, values) => attribute(item, values) === undefined;
    }
    case 'begins_with': {
      const [text, prefix] = [operand(0), operand(1)];
      return (item, values) => beginsWith(text(item, values), prefix(item, values));
    }
    default:
      throw outsideSubset(`The function ${node.name}`);
  }
}

function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value === undefined || prefix === undefined) return false;
  if ('S' in value) return 'S' in prefix && value.S.startsWith(prefix.S);
  if (!('B' in value) || !('B' in prefix)) return false;
  const start = decodeBinary(prefix.B);
  return decodeBinary(value.B).subarray(0, start.length).equals(start);
}
