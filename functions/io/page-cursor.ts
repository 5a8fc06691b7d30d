/** Where the next page begins, as opaque text: base64url, so that it stands in a URL as it is. */
import { HttpError } from './http.ts';

export function encodeCursor(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

/** The longest sort key DynamoDB takes; keys are ASCII. */
const KEY_BYTES_MAX = 1_024;

/** The sort key that a cursor names. Throws a 400 for text that can be none: the table would refuse it with an error. */
export function decodeKeyCursor(cursor: string): string {
  const key = decodeCursor(cursor);
  if (key.length > KEY_BYTES_MAX || !/^[\x20-\x7e]+$/.test(key)) throw refuseCursor();
  return key;
}

export function refuseCursor(): HttpError {
  const message = 'cursor: not one of this query; send the cursor of the page before with the same filters, or none';
  return new HttpError(400, 'invalid_cursor', message);
}
