/**
 * Update expressions: compiled once to a list of actions, then applied to an item to give the next one.
 *
 * All right-hand sides read the item as it was. The next item shares what no action touched; a map or list is copied
 * before its first change, so `SET b = a, a.x = :v` leaves `b` as `a` was.
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
import type { NodeTree, Tree, UpdateSectionTree } from './dynalite.ts';
import { validationFault } from './fault.ts';

export interface UpdateAction {
  readonly kind: 'set' | 'remove' | 'add' | 'delete';
  readonly path: Path;
  /** Absent for `remove`. Never undefined when called: a missing attribute throws. */
  readonly operand?: Operand;
}

const WRONG_TYPE = 'An operand in the update expression has an incorrect data type';
const MISSING_ATTRIBUTE = 'The provided expression refers to an attribute that does not exist in the item';
const INVALID_PATH = 'The document path provided in the update expression is invalid for update';

export function compileUpdate(sections: readonly UpdateSectionTree[], placeholders: Placeholders): UpdateAction[] {
  return sections.map(({ type, path, val }) => {
    if (type === 'remove') return { kind: type, path };
    return { kind: type, path, operand: compileUpdateOperand(val as Tree, placeholders) };
  });
}

function compileUpdateOperand(tree: Tree, placeholders: Placeholders): Operand {
  if (isPath(tree)) return (item) => readPath(item, tree) ?? refuse(MISSING_ATTRIBUTE);
  const name = placeholders.get(tree);
  if (name !== undefined) return (_item, values) => values[name];
  const node = tree as NodeTree;
  const [left, right] = node.args.map((argument) => compileUpdateOperand(argument, placeholders)) as [Operand, Operand];
  if (node.type === 'add' || node.type === 'subtract') {
    const sign = node.type === 'add' ? 1 : -1;
    return (item, values) => ({ N: addNumbers(readNumber(left(item, values)), readNumber(right(item, values)), sign) });
  }
  if (node.name === 'if_not_exists') {
    const path = node.args[0] as Path;
    return (item, values) => readPath(item, path) ?? right(item, values);
  }
  if (node.name === 'list_append') {
    return (item, values) => ({ L: [...readList(left(item, values)), ...readList(right(item, values))] });
  }
  throw validationFault(`The function ${node.name ?? node.type} is not emulated by the embedded engine.`);
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
    applyAction(draft, action, operands[at]);
  });
  return draft.finish();
}

function applyAction(draft: Draft, { kind, path }: UpdateAction, operand: AttributeValue | undefined): void {
  const target = draft.open(path);
  const current = target.read();
  if (kind === 'remove') return target.remove();
  if (operand === undefined) return refuse(MISSING_ATTRIBUTE);
  if (kind === 'set') return target.write(operand);
  if (current !== undefined && typeOf(current) !== typeOf(operand)) return refuse(WRONG_TYPE);
  if (kind === 'add') return target.write(addTo(current, operand));
  if (current === undefined) return;
  const left = subtractSet(current, operand);
  if (left === undefined) target.remove();
  else target.write(left);
}

function addTo(current: AttributeValue | undefined, operand: AttributeValue): AttributeValue {
  if ('N' in operand) return { N: addNumbers(current === undefined ? '0' : readNumber(current), operand.N) };
  if (current === undefined) return operand;
  if ('SS' in operand && 'SS' in current) return { SS: [...new Set([...current.SS, ...operand.SS])] };
  if ('NS' in operand && 'NS' in current) return { NS: [...new Set([...current.NS, ...operand.NS])] };
  if ('BS' in operand && 'BS' in current) return { BS: [...new Set([...current.BS, ...operand.BS])] };
  return refuse(WRONG_TYPE);
}

/** The set without the operand's members; undefined when nothing is left, since a set is never empty. */
function subtractSet(current: AttributeValue, operand: AttributeValue): AttributeValue | undefined {
  const without = (members: readonly string[], gone: readonly string[]) =>
    members.filter((member) => !gone.includes(member));
  if ('SS' in current && 'SS' in operand) return unlessEmpty({ SS: without(current.SS, operand.SS) });
  if ('NS' in current && 'NS' in operand) return unlessEmpty({ NS: without(current.NS, operand.NS) });
  if ('BS' in current && 'BS' in operand) return unlessEmpty({ BS: without(current.BS, operand.BS) });
  return refuse(WRONG_TYPE);
}

function unlessEmpty(set: AttributeValue): AttributeValue | undefined {
  return Object.values(set)[0].length === 0 ? undefined : set;
}

function readNumber(value: AttributeValue | undefined): string {
  return value !== undefined && 'N' in value ? value.N : refuse(WRONG_TYPE);
}

function readList(value: AttributeValue | undefined): readonly AttributeValue[] {
  return value !== undefined && 'L' in value ? value.L : refuse(WRONG_TYPE);
}

function refuse(message: string): never {
  throw validationFault(message);
}

interface Target {
  read(): AttributeValue | undefined;
  write(value: AttributeValue): void;
  remove(): void;
}

type OpenMap = Record<string, AttributeValue>;

/** What happens to a list at the end: places are those of the list as it was, whatever the order of the actions. */
interface ListChanges {
  readonly removed: number[];
  readonly appended: { readonly place: number; readonly value: AttributeValue }[];
}

/** An item being changed: containers on the way to a change are copied once. */
class Draft {
  readonly #root: OpenMap;
  readonly #copies = new Set<object>();
  readonly #lists = new Map<AttributeValue[], ListChanges>();

  constructor(item: Item) {
    this.#root = { ...item };
  }

  /** Throws a ValidationException when the container of the last step is missing or of the wrong kind. */
  open(path: Path): Target {
    let container: OpenMap | AttributeValue[] = this.#root;
    for (const step of path.slice(0, -1)) container = this.#openContainer(container, step);
    const last = path.at(-1) as string | number;
    if (typeof last === 'number') {
      return Array.isArray(container) ? this.#openElement(container, last) : refuse(INVALID_PATH);
    }
    return Array.isArray(container) ? refuse(INVALID_PATH) : openAttribute(container, last);
  }

  finish(): Item {
    for (const [list, { removed, appended }] of this.#lists) {
      const gone = new Set(removed);
      const kept = list.filter((_element, place) => !gone.has(place));
      const added = appended.sort((a, b) => a.place - b.place).map(({ value }) => value);
      list.splice(0, list.length, ...kept, ...added);
    }
    return this.#root;
  }

  #openContainer(container: OpenMap | AttributeValue[], step: string | number): OpenMap | AttributeValue[] {
    const value = readStep(container, step);
    if (value === undefined || !('M' in value || 'L' in value)) return refuse(INVALID_PATH);
    const inner = 'M' in value ? value.M : value.L;
    if (this.#copies.has(inner)) return inner as OpenMap | AttributeValue[];
    const copy = Array.isArray(inner) ? [...inner] : { ...(inner as Item) };
    this.#copies.add(copy);
    const boxed: AttributeValue = Array.isArray(copy) ? { L: copy } : { M: copy };
    if (Array.isArray(container)) container[step as number] = boxed;
    else container[step as string] = boxed;
    return copy;
  }

  #openElement(list: AttributeValue[], place: number): Target {
    const changes = this.#lists.get(list) ?? { removed: [], appended: [] };
    this.#lists.set(list, changes);
    return {
      read: () => list[place],
      write: (value) => {
        // A place past the end appends; gaps close up.
        if (place < list.length) list[place] = value;
        else changes.appended.push({ place, value });
      },
      remove: () => {
        changes.removed.push(place);
      },
    };
  }
}

function openAttribute(map: OpenMap, name: string): Target {
  return {
    read: () => readAttribute(map, name),
    write: (value) => {
      map[name] = value;
    },
    remove: () => {
      delete map[name];
    },
  };
}

function readStep(container: OpenMap | AttributeValue[], step: string | number): AttributeValue | undefined {
  if (Array.isArray(container)) return typeof step === 'number' ? container[step] : undefined;
  return typeof step === 'string' ? readAttribute(container, step) : undefined;
}
