/** Projections: the parts of an item that a list of document paths selects, in the item's own nesting. */
import { type AttributeValue, type Item, type Path, readAttribute } from './attribute-value.ts';

/** A tree of names; a name without further names selects everything below it. */
type Selection = ReadonlyMap<string, Selection>;

export type Projection = (item: Item) => Item;

/** Attributes that are not there are left out, and so is a map of which nothing was found. */
export function compileProjection(paths: readonly Path[]): Projection {
  const selection = buildSelection(paths);
  return (item) => selectFromItem(item, selection);
}

function buildSelection(paths: readonly Path[]): Selection {
  const root = new Map();
  for (const path of paths) {
    let node: Map<string, unknown> = root;
    for (const name of path) {
      if (!node.has(name)) node.set(name, new Map());
      node = node.get(name) as Map<string, unknown>;
    }
  }
  return root;
}

function selectFromItem(item: Item, selection: Selection): Item {
  const selected: Record<string, AttributeValue> = {};
  for (const [name, deeper] of selection) {
    const value = readAttribute(item, name);
    const found = value && selectFromValue(value, deeper);
    if (found !== undefined) selected[name] = found;
  }
  return selected;
}

function selectFromValue(value: AttributeValue, selection: Selection): AttributeValue | undefined {
  if (selection.size === 0) return value;
  if (!('M' in value)) return undefined;
  const selected = selectFromItem(value.M, selection);
  return Object.keys(selected).length === 0 ? undefined : { M: selected };
}
