/** Lines from chunks that split anywhere. */
import { expect, it } from 'vitest';
import { LineReader } from '../../../../infra/local/runtime/line-reader.ts';

it('puts lines and characters together again, and hands out a last line without its newline', () => {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line));
  for (const byte of Buffer.from('héllo\n\nwörld')) reader.push(Buffer.from([byte]));
  expect(lines).toEqual(['héllo', '']);
  reader.flush();
  reader.flush();
  expect(lines).toEqual(['héllo', '', 'wörld']);
});
