/** Where the next page begins, as opaque text: base64url, so that it stands in a URL as it is. */
import { HttpError } from '../io/http.ts';

export function encodeCursor(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

export function refuseCursor(): HttpError {
  const message = 'cursor: not one of this query; send the cursor of the page before with the same filters, or none';
  return new HttpError(400, 'invalid_cursor', message);
}
