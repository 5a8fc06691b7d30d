/** Text in a row as the engine keeps it. */
import type { AttributeValue } from './dynamodb/attribute-value.ts';

/** The text of a string attribute; undefined for any other, and for none. */
export function readText(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}
