/**
 * The check of one attribute value of a request.
 *
 * The common values are accepted here at once; everything else goes to dynalite, which rewrites numbers to canonical
 * text in place and says what is wrong. dynalite would throw a TypeError on a null inside a value and knows no bound on
 * nesting.
 */
import type { AttributeValue } from './attribute-value.ts';
import { validations } from './dynalite.ts';

const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
/** AWS's bound on lists and maps within each other. */
const NESTING_LEVELS_MAX = 32;
const EMPTY = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const SEVERAL =
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';

/** A message when AWS would refuse the value, else undefined; numbers in `value` are canonical afterwards. */
export function checkAttributeValue(value: AttributeValue | null | undefined, level = 0): string | undefined {
  if (value === null || value === undefined) return EMPTY;
  if (level > NESTING_LEVELS_MAX) return 'Nesting Levels have exceeded supported limits';
  const types = Object.keys(value);
  if (types.length !== 1) return types.length === 0 ? EMPTY : SEVERAL;
  if ('S' in value) return undefined;
  if ('N' in value && CANONICAL_INTEGER.test(value.N)) return undefined;
  if ('M' in value) return checkAll(Object.values(value.M), level);
  if ('L' in value) return checkAll(value.L, level);
  const members: unknown = Object.values(value)[0];
  if (Array.isArray(members) && members.some((member) => typeof member !== 'string')) return EMPTY;
  return validations.validateAttributeValue(value);
}

function checkAll(values: readonly AttributeValue[], level: number): string | undefined {
  for (const value of values) {
    const message = checkAttributeValue(value, level + 1);
    if (message !== undefined) return message;
  }
  return undefined;
}
