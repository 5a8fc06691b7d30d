import { describe, expect, it } from 'vitest';
import { findAppendedTurns, type KnownRevision } from '../../../infra/local/grown-transcript.ts';
import { prepareSource } from '../../../functions/core/intake.ts';
import type { SourceBody } from '../../../infra/local/source-folder.ts';
import { LIMITS } from '../../../schema/limits.ts';

const line = (text: string, more: object = {}) => JSON.stringify({ speaker: 'Maya', text, ...more });
const sourceOf = (...lines: string[]): SourceBody => ({
  kind: 'transcript',
  id: 's',
  format: 'turns',
  text: `${lines.join('\n')}\n`,
  modifiedAt: '2024-06-01T00:00:00Z',
});
/** What the server answers of a session that was sent so. */
function known(...lines: string[]): KnownRevision {
  const intake = prepareSource(sourceOf(...lines), 0);
  if (intake.kind === 'refused') throw new Error(intake.refusal.message);
  return { revision: intake.source.revision, length: intake.source.length };
}
const turnsOf = (body = '{"turns":[]}') => (JSON.parse(body) as { turns: { id: string; text: string }[] }).turns;

describe('a transcript that grew', () => {
  const old = [line('One.'), line('Tw\u00f6 \u{1f600}\nand on'), line(' ')];

  it('gives the turns that are new, as a complete session', () => {
    const found = findAppendedTurns(sourceOf(...old, line('Three.'), line('Four.')), known(...old));
    expect(turnsOf(found?.body).map(({ text }) => text)).toEqual(['Three.', 'Four.']);
    expect(JSON.parse(found?.body ?? '')).toMatchObject({ completed: true });
  });

  it('names a turn by its place and words, or by its own id', () => {
    const more = [line('Three.'), line('Four.', { id: 'own' })];
    const ids = () => turnsOf(findAppendedTurns(sourceOf(...old, ...more), known(...old))?.body).map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(ids()).toEqual([expect.stringMatching(/^turn-\d-.{22}$/), 'own']);
  });

  it.each([
    ['is the same', sourceOf(...old), known(...old)],
    ['is not known', sourceOf(...old), {}],
    ['was edited before its end', sourceOf(line('Uno.'), ...old.slice(1), line('Three.')), known(...old)],
    ['had its last turn continued', sourceOf(line('One. And more.')), known(line('One.'))],
    ['shrank', sourceOf(line('One.')), known(...old)],
    ['has a bad line', sourceOf(...old, '{', line('Three.')), known(...old)],
    [
      'grew by more than one call takes',
      sourceOf(...old, ...Array(LIMITS.appendedTurnsMax + 1).fill(line('x'))),
      known(...old),
    ],
    ['grew by more bytes than one call takes', sourceOf(...old, line('x'.repeat(1_048_577))), known(...old)],
  ])('is sent whole when it %s', (_, source, revision) => {
    expect(findAppendedTurns(source, revision)).toBeUndefined();
  });
});
