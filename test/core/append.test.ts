import { describe, expect, it } from 'vitest';
import { type Append, prepareAppend, type Session } from '../../functions/core/append.ts';
import { prepareSource } from '../../functions/core/intake.ts';
import type { Turn } from '../../schema/source-api.ts';
import type { SourceItem } from '../../schema/source.ts';
import { packTurnIds, TURN_ENTRY_BYTES, unpackTurnIds } from '../../schema/turn-ids.ts';

const NOW_MS = Date.parse('2024-06-01T00:00:00Z');
const turn = (id: string, text = `text ${id}`, at?: string) => ({ id, speaker: 'Maya', text, ...(at && { at }) });

function append(session: Session | undefined, turns: ReturnType<typeof turn>[], completed = false): Append {
  return prepareAppend({ id: 's', turns, completed }, session, NOW_MS);
}
function prepared(step: Append) {
  if (step.kind === 'refused') throw new Error(step.refusal.message);
  return step;
}
function sessionOf(step: Append): Session {
  const { source } = prepared(step);
  const row = { ...source, v: 1, ingestedAtMs: NOW_MS } as unknown as SourceItem;
  return { source: row, text: source.text, ids: unpackTurnIds(packTurnIds(source.turnIds)) };
}

describe('turns appended', () => {
  it('give the text that the whole session gives', () => {
    const turns = ['a', 'b', 'c'].map((id) => turn(id));
    const step = append(
      sessionOf(append(sessionOf(append(undefined, turns.slice(0, 1))), turns.slice(1, 2))),
      turns.slice(2),
    );
    const whole = prepareSource({ id: 's', turns }, NOW_MS);
    expect(whole.kind === 'prepared' && whole.source.revision).toBe(prepared(step).source.revision);
    expect(prepared(step)).toMatchObject({ added: 1, known: 0 });
  });

  it('that are known are passed over, in whatever order they come again', () => {
    const session = sessionOf(append(undefined, [turn('a'), turn('b')]));
    const again = prepared(append(session, [turn('b'), turn('c'), turn('a')]));
    expect(again).toMatchObject({ added: 1, known: 2 });
    expect(again.source.text).toBe(`${session.text}\nMaya: text c`);
    expect(prepared(append(session, [turn('a')])).source.revision).toBe(session.source.revision);
  });

  it('are the same however their accents and line ends are spelt', () => {
    const session = sessionOf(append(undefined, [turn('a', 'caf\u00e9\n')]));
    expect(prepared(append(session, [turn('a', 'cafe\u0301\r\n')]))).toMatchObject({ added: 0, known: 1 });
  });

  it.each([
    ['other words', turn('a', 'other')],
    ['another speaker', { ...turn('a'), speaker: 'Sam' }],
    ['another time', turn('a', 'text a', '2024-05-03T10:00:00Z')],
  ])('under a known id with %s are refused by name, and those beside them with them', (_, other) => {
    const session = sessionOf(append(undefined, [turn('a')]));
    expect(append(session, [turn('b'), other])).toMatchObject({
      kind: 'refused',
      refusal: { code: 'turn_differs', message: expect.stringContaining('turn "a" is known with other words') },
    });
  });

  it('are captured when the latest of all turns was said, and else when they come', () => {
    const may = '2024-05-03T10:00:00Z';
    const session = sessionOf(append(undefined, [turn('a', 'x', may)]));
    const dated = (step: Append) => {
      const { capturedAtMs, capturedFrom } = prepared(step).source;
      return [new Date(capturedAtMs).toISOString().slice(0, 10), capturedFrom];
    };
    expect(dated(append(session, [turn('b', 'y', '2024-05-09T10:00:00Z')]))).toEqual(['2024-05-09', 'turns']);
    expect(dated(append(session, [turn('b', 'y', '2024-04-01T10:00:00Z')]))).toEqual(['2024-05-03', 'turns']);
    expect(dated(append(session, [turn('b')]))).toEqual(['2024-05-03', 'turns']);
    expect(dated(append(undefined, [turn('b')]))).toEqual(['2024-06-01', 'inferred']);
  });

  it.each([
    ['of this system itself', undefined, [{ ...turn('a'), speaker: 'nightjar:memory' }], 'own_memory'],
    ['that say nothing', undefined, [turn('a', ' ')], 'empty_text'],
  ])('%s are refused', (_, session, turns, code) => {
    expect(append(session, turns)).toMatchObject({ kind: 'refused', refusal: { code } });
  });

  it('to what is stored as a text are refused', () => {
    const session = sessionOf(append(undefined, [turn('a')]));
    const asText = { ...session, source: { ...session.source, format: 'text' as const } };
    expect(append(asText, [turn('b')])).toMatchObject({ kind: 'refused', refusal: { code: 'not_turns' } });
  });
});

describe('ids of turns', () => {
  it('take 24 bytes each, and read back as they were', () => {
    const ids = prepared(append(undefined, [turn('a'), turn('b')])).source.turnIds;
    expect(packTurnIds(ids)).toHaveLength(2 * TURN_ENTRY_BYTES);
    expect(unpackTurnIds(packTurnIds(ids))).toEqual(ids);
    const turnsOfOneId = (id: string): Turn[] => [{ id, speaker: 'Maya', text: 'x' }];
    expect(prepareSource({ id: 's', turns: turnsOfOneId('a') }, NOW_MS)).toMatchObject({ kind: 'prepared' });
  });
});
