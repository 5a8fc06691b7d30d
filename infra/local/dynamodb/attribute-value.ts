/**
 * DynamoDB's typed values: their types and their equality.
 *
 * A stored item is never changed in place: a write builds a new one that shares what stayed the same. Every number is
 * canonical text by the time it gets here (the request check sees to that), so equal numbers are equal strings.
 */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: boolean }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item };

export type Item = { readonly [name: string]: AttributeValue };

export type AttributeType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M';

/** The values of a request, by their placeholder (`:v`). */
export type Values = Item;

/** A document path of names and map keys, as in `a.b`: `['a', 'b']`. */
export type Path = readonly string[];

/** The check of a request lets no value through that has no type, or several. */
export function typeOf(value: AttributeValue): AttributeType {
  return Object.keys(value)[0] as AttributeType;
}

/** The attribute, or undefined; never something inherited, since `constructor` is a legal attribute name. */
export function readAttribute(item: Item, name: string): AttributeValue | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** What stands at `path`, or undefined when any step of it is missing. */
export function readPath(item: Item, path: Path): AttributeValue | undefined {
  let current: AttributeValue | undefined = { M: item };
  for (const name of path) {
    if (current === undefined || !('M' in current)) return undefined;
    current = readAttribute(current.M, name);
  }
  return current;
}

/** Deep equality as DynamoDB's `=` has it: same type, same content, sets and maps without order. */
export function areEqual(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && a.N === b.N;
  if ('B' in a) return 'B' in b && a.B === b.B;
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('SS' in a) return 'SS' in b && areSetsEqual(a.SS, b.SS);
  if ('NS' in a) return 'NS' in b && areSetsEqual(a.NS, b.NS);
  if ('BS' in a) return 'BS' in b && areSetsEqual(a.BS, b.BS);
  if ('L' in a) return 'L' in b && a.L.length === b.L.length && a.L.every((element, at) => areEqual(element, b.L[at]));
  return 'M' in b && areItemsEqual(a.M, b.M);
}

export function areItemsEqual(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => areEqual(a[name], readAttribute(b, name)));
}

function areSetsEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const members = new Set(b);
  return a.every((member) => members.has(member));
}

export function decodeBinary(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
