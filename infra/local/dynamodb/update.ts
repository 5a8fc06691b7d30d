/**
 * Update expressions: compiled once to a list of actions, then applied to an item to give the next one.
 *
 * All right-hand sides read the item as it was. The next item shares what no action touched; a map is copied before its
 * first change, so `SET b = a, a.x = :v` leaves `b` as `a` was.
 */
import {
  type AttributeValue,
  type Item,
  type Path,
  readAttribute,
  readPath,
  typeOf,
  type Values,
} from './attribute-value.ts';
import { isPath, type Operand, type Placeholders } from './condition.ts';
import { addNumbers } from './decimal.ts';
import type { NodeTree, ParsedPath, Tree, UpdateSectionTree } from './dynalite.ts';
import { validationFault } from './fault.ts';
import { outsideSubset, readNames } from './subset.ts';

export interface UpdateAction {
  readonly kind: 'set' | 'remove' | 'add';
  readonly path: Path;
  /** Absent for `remove`. Never undefined when called: a missing attribute throws. */
  readonly operand?: Operand;
}

const WRONG_TYPE = 'An operand in the update expression has an incorrect data type';
const MISSING_ATTRIBUTE = 'The provided expression refers to an attribute that does not exist in the item';
const INVALID_PATH = 'The document path provided in the update expression is invalid for update';

/** Throws a ValidationException for what is outside the subset. */
export function compileUpdate(sections: readonly UpdateSectionTree[], placeholders: Placeholders): UpdateAction[] {
  return sections.map(({ type, path: parsed, val }) => {
    const path = readNames(parsed);
    if (type === 'delete') throw outsideSubset('DELETE in an update expression');
    if (type === 'remove') return { kind: type, path };
    return { kind: type, path, operand: compileUpdateOperand(val as Tree, placeholders) };
  });
}

function compileUpdateOperand(tree: Tree, placeholders: Placeholders): Operand {
  if (isPath(tree)) {
    const path = readNames(tree);
    return (item) => readPath(item, path) ?? refuse(MISSING_ATTRIBUTE);
  }
  const name = placeholders.get(tree);
  if (name !== undefined) return (_item, values) => values[name];
  const node = tree as NodeTree;
  const [first, second] = node.args as [Tree, Tree];
  if (node.type === 'add') {
    const [left, right] = [compileUpdateOperand(first, placeholders), compileUpdateOperand(second, placeholders)];
    return (item, values) => ({ N: addNumbers(readNumber(left(item, values)), readNumber(right(item, values))) });
  }
  if (node.name === 'if_not_exists') {
    const [path, otherwise] = [readNames(first as ParsedPath), compileUpdateOperand(second, placeholders)];
    return (item, values) => readPath(item, path) ?? otherwise(item, values);
  }
  throw outsideSubset(node.type === 'subtract' ? 'SET with -' : `The function ${node.name}`);
}

/**
 * The item after the actions; without one (`old` undefined) they start from its key. Throws a ValidationException when a
 * path leads nowhere, an operand is missing or of the wrong type, or a number overflows.
 */
export function applyUpdate(actions: readonly UpdateAction[], old: Item | undefined, key: Item, values: Values): Item {
  const item = old ?? key;
  const operands = actions.map(({ operand }) => operand?.(item, values));
  const draft = new Draft(item);
  actions.forEach((action, at) => {
    // AWS refuses REMOVE a.b of an item without a, but passes it over where there is no item at all.
    if (old === undefined && action.kind === 'remove' && action.path.length > 1) return;
    applyAction(draft, action, operands[at] as AttributeValue);
  });
  return draft.item;
}

function applyAction(draft: Draft, { kind, path }: UpdateAction, operand: AttributeValue): void {
  const map = draft.open(path.slice(0, -1));
  const name = path.at(-1) as string;
  if (kind === 'remove') delete map[name];
  else map[name] = kind === 'set' ? operand : addTo(readAttribute(map, name), operand);
}

/** The parser lets only numbers and sets be added. */
function addTo(current: AttributeValue | undefined, operand: AttributeValue): AttributeValue {
  if (current === undefined) return operand;
  if (typeOf(current) !== typeOf(operand)) return refuse(WRONG_TYPE);
  if ('N' in operand) return { N: addNumbers(readNumber(current), operand.N) };
  const members = [current, operand].flatMap((set): readonly string[] => Object.values(set)[0]);
  return { [typeOf(operand)]: [...new Set(members)] } as unknown as AttributeValue;
}

function readNumber(value: AttributeValue | undefined): string {
  return value !== undefined && 'N' in value ? value.N : refuse(WRONG_TYPE);
}

function refuse(message: string): never {
  throw validationFault(message);
}

type OpenMap = Record<string, AttributeValue>;

/** An item being changed: maps on the way to a change are copied once. */
class Draft {
  readonly item: OpenMap;
  readonly #copies = new Set<object>();

  constructor(item: Item) {
    this.item = { ...item };
  }

  /** The map at `path`, for changing. Throws a ValidationException when there is none. */
  open(path: Path): OpenMap {
    let container = this.item;
    for (const name of path) {
      const value = readAttribute(container, name);
      if (value === undefined || !('M' in value)) return refuse(INVALID_PATH);
      const inner: OpenMap = this.#copies.has(value.M) ? value.M : { ...value.M };
      this.#copies.add(inner);
      container[name] = { M: inner };
      container = inner;
    }
    return container;
  }
}
