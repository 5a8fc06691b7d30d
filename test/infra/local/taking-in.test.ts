/** Goal: what was changed in a file on its way in is told in a sentence, or not at all. */
import { expect, it } from 'vitest';
import { decodeText } from '../../../functions/core/decode-text.ts';
import { formatChange, normalizeText } from '../../../functions/core/normalize.ts';
import { tellChange } from '../../../infra/local/taking-in.ts';

const WORDS = 'words '.repeat(100);

it.each([
  [
    'a damaged byte',
    Buffer.concat([Buffer.from(WORDS), Buffer.from([0xff])]),
    /^places that are no UTF-8: 1; .*convert/,
  ],
  ['UTF-16', Buffer.from(`\ufeff${WORDS}`, 'utf16le'), /^it is UTF-16, .* nothing of it is lost$/],
])('%s is told in a sentence', (_, bytes, sentence) => {
  const decoded = decodeText(bytes);
  const told = decoded.kind === 'text' ? decoded.changes.map(formatChange).flatMap(tellChange) : [];
  expect(told).toEqual([expect.stringMatching(sentence)]);
});

it('what is taken out of a text is told, and what changes nothing that is said is not', () => {
  const { changes } = normalizeText('\ufeffa\0b\r\n\ud83d\n\n');
  expect(changes.map(formatChange).flatMap(tellChange)).toEqual([
    'NUL characters taken out: 1',
    'halves of characters that stand alone: 1; each holds U+FFFD now',
  ]);
});
