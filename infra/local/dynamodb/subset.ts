/**
 * What of DynamoDB's expressions the engine does without. The schema keeps to a small subset (design rule 13), because
 * there all engines agree; whatever is outside is refused by name instead of being half right.
 */
import type { Path } from './attribute-value.ts';
import type { ParsedPath } from './dynalite.ts';
import { type DynamoDbFault, validationFault } from './fault.ts';

/** `what` was parsed and is outside the subset. */
export function outsideSubset(what: string): DynamoDbFault {
  return validationFault(
    `${what} is not emulated by the embedded engine. Expressions keep to =, <>, <, <=, >, >=, BETWEEN, IN, AND, OR, NOT, attribute_exists, attribute_not_exists, begins_with, SET with + and if_not_exists, ADD, REMOVE, and paths of names and map keys.`,
  );
}

/** The path, unless it has a place of a list in it. Throws a ValidationException. */
export function readNames(parsed: ParsedPath): Path {
  const place = parsed.findIndex((step) => typeof step === 'number');
  if (place < 0) return parsed as Path;
  throw outsideSubset(`The place [${parsed[place]}] in the list ${parsed.slice(0, place).join('.')}`);
}
