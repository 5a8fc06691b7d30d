/** The key conditions of a query as a partition and a stretch of its sort keys. */
import { type AttributeValue, typeOf, type Values } from './attribute-value.ts';
import type { Expressions, KeyCondition } from './expression.ts';
import { validationFault } from './fault.ts';
import { checkNotEmpty, type Key, type KeyAttribute } from './key.ts';
import { toSortable } from './sort-order.ts';

/**
 * `isBefore` holds for the rows before the stretch; `isWithin` for those before its end, the rows before it included.
 */
export interface KeyRange {
  readonly partition: string;
  readonly isBefore: (row: { readonly sort: string }) => boolean;
  readonly isWithin: (row: { readonly sort: string }) => boolean;
}

/** Throws a ValidationException when the conditions do not fit the key. */
export function findKeyRange(key: Key, { keyConditions = new Map() }: Expressions, values: Values): KeyRange {
  const partitionCondition = keyConditions.get(key.partition.name);
  const sortCondition = key.sort && keyConditions.get(key.sort.name);
  if (partitionCondition === undefined) throw missed(key.partition);
  if (keyConditions.size === 2 && sortCondition === undefined) {
    throw key.sort === undefined ? validationFault('Query key condition not supported') : missed(key.sort);
  }
  if (partitionCondition.operator !== 'EQ') throw validationFault('Query key condition not supported');
  const [partition] = readConditionValues(key.partition, partitionCondition, values);
  const stretch =
    key.sort && sortCondition
      ? findStretch(sortCondition, readConditionValues(key.sort, sortCondition, values))
      : WHOLE;
  return { partition: toSortable(partition), ...stretch };
}

type Stretch = Pick<KeyRange, 'isBefore' | 'isWithin'>;

const WHOLE: Stretch = { isBefore: () => false, isWithin: () => true };

function findStretch(
  { operator }: KeyCondition,
  [first, second]: readonly [AttributeValue, ...AttributeValue[]],
): Stretch {
  const low = toSortable(first);
  const high = second === undefined ? low : toSortable(second);
  switch (operator) {
    case 'EQ':
      return { isBefore: ({ sort }) => sort < low, isWithin: ({ sort }) => sort <= low };
    case 'LT':
      return { isBefore: () => false, isWithin: ({ sort }) => sort < low };
    case 'LE':
      return { isBefore: () => false, isWithin: ({ sort }) => sort <= low };
    case 'GT':
      return { isBefore: ({ sort }) => sort <= low, isWithin: () => true };
    case 'GE':
      return { isBefore: ({ sort }) => sort < low, isWithin: () => true };
    case 'BETWEEN':
      return { isBefore: ({ sort }) => sort < low, isWithin: ({ sort }) => sort <= high };
    case 'BEGINS_WITH':
      return { isBefore: ({ sort }) => sort < low, isWithin: ({ sort }) => sort < low || sort.startsWith(low) };
  }
}

function readConditionValues(
  { name, type }: KeyAttribute,
  condition: KeyCondition,
  values: Values,
): [AttributeValue, ...AttributeValue[]] {
  const given = condition.values.map((placeholder) => values[placeholder] as AttributeValue);
  for (const value of given) {
    if (typeOf(value) !== type) {
      throw validationFault(
        'One or more parameter values were invalid: Condition parameter type does not match schema type',
      );
    }
    checkNotEmpty(value, `Key: ${name}`);
  }
  return given as [AttributeValue, ...AttributeValue[]];
}

function missed({ name }: KeyAttribute): Error {
  return validationFault(`Query condition missed key schema element: ${name}`);
}
