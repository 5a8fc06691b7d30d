/** Projections: the parts of an item that a list of document paths selects, in the item's own nesting. */
import { type AttributeValue, type Item, type Path, readAttribute } from './attribute-value.ts';

/** A tree of steps; a step without further steps selects everything below it. */
type Selection = ReadonlyMap<string | number, Selection>;

export type Projection = (item: Item) => Item;

/**
 * Attributes that are not there are left out, and so is a map or list of which nothing was found.
 * Elements of a list keep their order and close up: `l[3], l[1]` gives a list of two.
 */
export function compileProjection(paths: readonly Path[]): Projection {
  const selection = buildSelection(paths);
  return (item) => selectFromItem(item, selection);
}

function buildSelection(paths: readonly Path[]): Selection {
  const root = new Map();
  for (const path of paths) {
    let node: Map<string | number, unknown> = root;
    for (const step of path) {
      if (!node.has(step)) node.set(step, new Map());
      node = node.get(step) as Map<string | number, unknown>;
    }
  }
  return root;
}

function selectFromItem(item: Item, selection: Selection): Item {
  const selected: Record<string, AttributeValue> = {};
  for (const [name, deeper] of selection) {
    const value = typeof name === 'string' ? readAttribute(item, name) : undefined;
    const found = value === undefined ? undefined : selectFromValue(value, deeper);
    if (found !== undefined) selected[name] = found;
  }
  return selected;
}

function selectFromValue(value: AttributeValue, selection: Selection): AttributeValue | undefined {
  if (selection.size === 0) return value;
  if ('M' in value) {
    const selected = selectFromItem(value.M, selection);
    return Object.keys(selected).length === 0 ? undefined : { M: selected };
  }
  if (!('L' in value)) return undefined;
  const places = [...selection.keys()].filter((step) => typeof step === 'number').sort((a, b) => a - b);
  const selected: AttributeValue[] = [];
  for (const place of places) {
    const element = value.L[place];
    const found = element === undefined ? undefined : selectFromValue(element, selection.get(place) as Selection);
    if (found !== undefined) selected.push(found);
  }
  return selected.length === 0 ? undefined : { L: selected };
}
