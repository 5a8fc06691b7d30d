import { describe, expect, it } from 'vitest';
import { type PreparedSource, prepareSource } from '../../functions/core/intake.ts';

function prepare(given: Record<string, unknown>): PreparedSource {
  const intake = prepareSource(given, Date.parse('2024-06-01T00:00:00Z'));
  if (intake.kind === 'refused') throw new Error(intake.refusal.message);
  return intake.source;
}

const lines = (...turns: object[]) => turns.map((turn) => JSON.stringify(turn)).join('\n');
const TURN = { speaker: 'Maya', text: 'Hello.' };

describe('lines that are no turns', () => {
  it('are named, and cost no other line', () => {
    const text = [lines(TURN, TURN, TURN, TURN, TURN, TURN), '{"speaker": "Sam", "te', lines(TURN)].join('\n');
    const source = prepare({ id: 'a', format: 'turns', text });
    expect(source.warnings).toEqual(['line 7: it is not JSON']);
    expect(source.text).toBe(prepare({ id: 'a', turns: Array(7).fill(TURN) }).text);
  });

  it('are counted from the sixth on', () => {
    const source = prepare({ id: 'a', format: 'turns', text: `${'null\n'.repeat(9)}${lines(TURN)}` });
    expect(source.warnings).toHaveLength(6);
    expect(source.warnings.at(-1)).toBe('and 4 more lines that are no turns');
  });
});

describe('turns with ids', () => {
  it('that come twice with the same content are taken once', () => {
    const turn = { ...TURN, id: 't-1' };
    const source = prepare({ id: 'a', turns: [turn, { ...TURN, id: 't-2', text: 'two' }, turn, TURN] });
    expect(source.text.split('\n')).toHaveLength(3);
    expect(source.turnIds.size).toBe(2);
    expect(source.changes).toContain('repeated-turns: 1');
  });
});
