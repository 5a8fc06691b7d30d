/**
 * What is wrong with a value that came in, in words for who sent it: which value, and what is allowed. Given to a parse as
 * its `error`, it words what the schema itself has no sentence for. It shows the sender their own value, cut short.
 */
import type * as z from 'zod';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
/** What zod tells of its schemas inside, as far as it is asked here. */
type Inside = { readonly _zod?: { readonly def?: Def } };
interface Def {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly options?: readonly Inside[];
}

const SHOWN_CHARACTERS_MAX = 40;
const ALTERNATIVES_MAX = 30;

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  if (text.length <= SHOWN_CHARACTERS_MAX) return text;
  return `${text.slice(0, SHOWN_CHARACTERS_MAX - 1).toWellFormed()}…`;
}

function list(values: readonly unknown[]): string {
  const more = values.length - ALTERNATIVES_MAX;
  const shown = values.slice(0, ALTERNATIVES_MAX).map(show).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function wordType(expected: string, input: unknown): string {
  const wanted = NOUNS[expected] ?? expected;
  if (input === undefined) return `it is missing; give ${wanted}`;
  return Number.isNaN(input) ? 'it is not a number' : `${show(input)} is not ${wanted}`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function wordSize(origin: string, input: unknown, bound: string): string {
  const unit = UNITS[origin];
  const { length } = (input ?? {}) as { readonly length?: number };
  return unit === undefined ? `${show(input)} is out of range; ${bound}` : `it has ${length} ${unit}; ${bound}`;
}

const keysOf = (inside: Inside | undefined): string[] => Object.keys(inside?._zod?.def?.shape ?? {});

function wordUnknown(keys: readonly string[], known: readonly string[]): string {
  const there = known.length === 0 ? '' : `; there are ${list(known)}`;
  return `there is no ${list(keys)}${there}`;
}

/** The forms there are, and what the one that is nearest to what was given still lacks. */
function wordForms(errors: readonly (readonly z.core.$ZodIssue[])[], forms: readonly Inside[]): string {
  const [nearest] = errors.toSorted((a, b) => a.length - b.length);
  const [first] = nearest ?? [];
  const reason = first && [first.path.join('.'), first.message].filter(Boolean).join(': ');
  const told = forms.map((form) => keysOf(form)).filter((keys) => keys.length > 0);
  const takes = told.length === 0 ? '' : `; it takes ${told.map((keys) => `{${keys.join(', ')}}`).join(' or ')}`;
  return `it has none of the forms that are taken${reason === undefined ? '' : ` (${reason})`}${takes}`;
}

/** The sentence for an issue; undefined leaves it to zod. */
export function wordIssue(issue: RawIssue): string | undefined {
  const { input } = issue;
  const inside = issue.inst as Inside | undefined;
  switch (issue.code) {
    case 'invalid_type':
      return wordType(issue.expected, input);
    case 'too_big':
      return wordSize(issue.origin, input, `at most ${issue.maximum}`);
    case 'too_small':
      return wordSize(issue.origin, input, `at least ${issue.minimum}`);
    case 'invalid_value': {
      const allowed = issue.values.length === 1 ? list(issue.values) : `one of ${list(issue.values)}`;
      return input === undefined ? `it is missing; give ${allowed}` : `${show(input)} is not ${allowed}`;
    }
    case 'unrecognized_keys':
      return wordUnknown(issue.keys, keysOf(inside));
    case 'invalid_union': {
      const { discriminator, options } = issue as { readonly discriminator?: string; readonly options?: unknown[] };
      if (discriminator === undefined) return wordForms(issue.errors ?? [], inside?._zod?.def?.options ?? []);
      const value = (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator];
      const allowed = `one of ${list(options ?? [])}`;
      return value === undefined ? `it is missing; give ${allowed}` : `${show(value)} is not ${allowed}`;
    }
    default:
      return undefined;
  }
}
