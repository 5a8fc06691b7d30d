/**
 * The simulated store's own evaluator: each expression text is compiled once and kept; names and values are looked up
 * when it runs. Only the subset of design rule 13, on plain values as the document client gives them. Written apart from
 * the embedded engine's, so that a differential test can hold the two against each other.
 */
import type { Item } from '../../../schema/request.ts';

export type Names = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, unknown>>;
export type Condition = (item: Item, names: Names, values: Values) => boolean;
type Operand = (item: Item, names: Names, values: Values) => unknown;
/** Reads the item as it was, writes the one that will be. */
type Action = (before: Item, draft: Item, names: Names, values: Values) => void;

const TOKEN = /\s*(#[A-Za-z0-9_]+(?:\.#[A-Za-z0-9_]+)*|:[A-Za-z0-9_]+|[A-Za-z_]+|<>|<=|>=|[=<>(),+])/y;

class Reader {
  readonly #tokens: string[] = [];
  #at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) throw new Error(`the simulated store does not read this expression: ${text}`);
      this.#tokens.push(match[1] as string);
    }
  }
  peek(): string | undefined {
    return this.#tokens[this.#at];
  }
  next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error(`the expression ends too early: ${this.text}`);
    return token;
  }
  take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
  expect(token: string): void {
    const found = this.next();
    if (found !== token) throw new Error(`expected "${token}", found "${found}" in: ${this.text}`);
  }
}

export function isPlainMap(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, k) => isEqual(one, b[k]));
  }
  const [left, right] = [a as Item, b as Item];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => key in right && isEqual(left[key], right[key]))
  );
}

/** NaN, which every comparison with it denies, when the two have no order. Keys are ASCII: there `<` is byte order. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return Number.NaN;
}

const COMPARISONS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '=': isEqual,
  '<>': (a, b) => !isEqual(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
};

function nameOf(names: Names, token: string): string {
  const name = names[token];
  if (name === undefined) throw new Error(`the expression uses ${token}, which its names do not define`);
  return name;
}

function readPath(token: string): Operand {
  const [first = '', ...steps] = token.split('.');
  if (steps.length === 0) return (item, names) => item[nameOf(names, first)];
  return (item, names) => {
    let value: unknown = item[nameOf(names, first)];
    for (const step of steps) value = isPlainMap(value) ? value[nameOf(names, step)] : undefined;
    return value;
  };
}

function readOperand(reader: Reader): Operand {
  const token = reader.next();
  if (token.startsWith('#')) return readPath(token);
  if (!token.startsWith(':')) throw new Error(`"${token}" is no operand in: ${reader.text}`);
  return (_item, _names, values) => {
    if (!(token in values)) throw new Error(`the expression uses ${token}, which its values do not define`);
    return values[token];
  };
}

function parseOr(reader: Reader): Condition {
  let left = parseAnd(reader);
  while (reader.take('OR')) {
    const [a, b] = [left, parseAnd(reader)];
    left = (item, names, values) => a(item, names, values) || b(item, names, values);
  }
  return left;
}

function parseAnd(reader: Reader): Condition {
  let left = parseNot(reader);
  while (reader.take('AND')) {
    const [a, b] = [left, parseNot(reader)];
    left = (item, names, values) => a(item, names, values) && b(item, names, values);
  }
  return left;
}

function parseNot(reader: Reader): Condition {
  if (!reader.take('NOT')) return parseTerm(reader);
  const inner = parseNot(reader);
  return (item, names, values) => !inner(item, names, values);
}

function parseTerm(reader: Reader): Condition {
  if (reader.take('(')) {
    const inner = parseOr(reader);
    reader.expect(')');
    return inner;
  }
  const token = reader.peek() ?? '';
  if (token === 'attribute_exists' || token === 'attribute_not_exists' || token === 'begins_with') {
    return parseFunction(reader);
  }
  const left = readOperand(reader);
  const operator = reader.next();
  if (operator === 'BETWEEN') {
    const low = readOperand(reader);
    reader.expect('AND');
    const high = readOperand(reader);
    return (item, names, values) => {
      const value = left(item, names, values);
      return compare(value, low(item, names, values)) >= 0 && compare(value, high(item, names, values)) <= 0;
    };
  }
  if (operator === 'IN') {
    const choices = parseList(reader);
    return (item, names, values) => {
      const value = left(item, names, values);
      return choices.some((choice) => isEqual(value, choice(item, names, values)));
    };
  }
  const compareBoth = COMPARISONS[operator];
  if (!compareBoth) throw new Error(`"${operator}" is outside the subset of design rule 13: ${reader.text}`);
  const right = readOperand(reader);
  return (item, names, values) => compareBoth(left(item, names, values), right(item, names, values));
}

function parseList(reader: Reader): Operand[] {
  reader.expect('(');
  const operands = [readOperand(reader)];
  while (reader.take(',')) operands.push(readOperand(reader));
  reader.expect(')');
  return operands;
}

function parseFunction(reader: Reader): Condition {
  const name = reader.next();
  const [path, prefix] = parseList(reader) as [Operand, Operand | undefined];
  if (name === 'attribute_exists') return (item, names, values) => path(item, names, values) !== undefined;
  if (name === 'attribute_not_exists') return (item, names, values) => path(item, names, values) === undefined;
  return (item, names, values) => {
    const [text, start] = [path(item, names, values), prefix?.(item, names, values)];
    return typeof text === 'string' && typeof start === 'string' && text.startsWith(start);
  };
}

const conditions = new Map<string, Condition>();
/** Compiles a condition or filter. Throws on anything outside the subset. */
export function compileCondition(text: string): Condition {
  let condition = conditions.get(text);
  if (!condition) {
    const reader = new Reader(text);
    condition = parseOr(reader);
    if (reader.peek() !== undefined) throw new Error(`the expression goes on after its end: ${text}`);
    conditions.set(text, condition);
  }
  return condition;
}

/** Writes into the draft; a map on the way was copied by nobody yet, so it is copied here. */
function writePath(token: string): (draft: Item, names: Names, value: unknown) => void {
  const [first = '', second, ...deeper] = token.split('.');
  if (deeper.length > 0) throw new Error(`the path ${token} is deeper than any that is written`);
  return (draft, names, value) => {
    const outer = nameOf(names, first);
    if (second === undefined) {
      if (value === undefined) delete draft[outer];
      else draft[outer] = value;
      return;
    }
    const map = draft[outer];
    if (!isPlainMap(map)) throw new Error(`the path ${token} is invalid for update: ${outer} is no map`);
    const copy = { ...map };
    if (value === undefined) delete copy[nameOf(names, second)];
    else copy[nameOf(names, second)] = value;
    draft[outer] = copy;
  };
}

function readNumber(value: unknown): number {
  if (typeof value !== 'number') throw new Error('an operand of an addition is no number');
  return value;
}

function parseSetOperand(reader: Reader): Operand {
  if (!reader.take('if_not_exists')) return readOperand(reader);
  const [path, otherwise] = parseList(reader) as [Operand, Operand];
  return (item, names, values) => path(item, names, values) ?? otherwise(item, names, values);
}

function parseSet(reader: Reader): Action {
  const write = writePath(reader.next());
  reader.expect('=');
  const left = parseSetOperand(reader);
  if (!reader.take('+')) {
    return (before, draft, names, values) => {
      const value = left(before, names, values);
      if (value === undefined) throw new Error(`SET from an attribute that is not there: ${reader.text}`);
      write(draft, names, value);
    };
  }
  const right = parseSetOperand(reader);
  return (before, draft, names, values) =>
    write(draft, names, readNumber(left(before, names, values)) + readNumber(right(before, names, values)));
}

function parseAction(section: string, reader: Reader): Action {
  if (section === 'SET') return parseSet(reader);
  const token = reader.next();
  const write = writePath(token);
  if (section === 'REMOVE') return (_before, draft, names) => write(draft, names, undefined);
  if (section !== 'ADD') throw new Error(`"${section}" is outside the subset of design rule 13: ${reader.text}`);
  const current = readPath(token);
  const addend = readOperand(reader);
  return (before, draft, names, values) =>
    write(draft, names, readNumber(current(before, names, values) ?? 0) + readNumber(addend(before, names, values)));
}

const updates = new Map<string, Action[]>();
/** The item after an update expression. Throws where DynamoDB would refuse the request. */
export function applyUpdate(text: string, before: Item, names: Names, values: Values): Item {
  let actions = updates.get(text);
  if (!actions) {
    actions = [];
    const reader = new Reader(text);
    for (let section = reader.next(); ; section = reader.next()) {
      do actions.push(parseAction(section, reader));
      while (reader.take(','));
      if (reader.peek() === undefined) break;
    }
    updates.set(text, actions);
  }
  const draft = { ...before };
  for (const act of actions) act(before, draft, names, values);
  return draft;
}
