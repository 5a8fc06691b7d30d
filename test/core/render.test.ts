import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeText } from '../../functions/core/normalize.ts';
import { renderTurns } from '../../functions/core/render.ts';
import type { Turn } from '../../schema/source-api.ts';

interface ParsedTurn {
  speaker: string;
  at?: string;
  zoneKnown: boolean;
  lines: string[];
}

const HEADER = /^(?! {2})([^():\n]+?)(?: \(([^()\n]*?)(, zone unknown)?\))?: (.*)$/su;

/** Reads a rendered transcript by its documented form alone. */
function parseBack(text: string): ParsedTurn[] {
  const turns: ParsedTurn[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) {
      turns.at(-1)?.lines.push(line.slice(2));
      continue;
    }
    const match = HEADER.exec(line);
    if (!match) throw new Error(`no header: ${JSON.stringify(line)}`);
    const [, speaker = '', at, unknown, first = ''] = match;
    turns.push({ speaker, ...(at !== undefined && { at }), zoneKnown: at !== undefined && !unknown, lines: [first] });
  }
  return turns;
}

describe('renderTurns', () => {
  it('writes the three forms of a header and indents further lines', () => {
    const { text, timesMs, changes } = renderTurns([
      { speaker: 'Maya', text: 'I moved.\nTo Denver.', at: '2024-05-03 10:00+02:00' },
      { speaker: 'Sam', text: 'Nice!', at: '3 May, 10:05' },
      { speaker: 'Maya', text: 'Thanks.' },
    ]);
    expect(text).toBe(
      'Maya (2024-05-03T10:00:00+02:00): I moved.\n  To Denver.\nSam (3 May, 10:05, zone unknown): Nice!\nMaya: Thanks.',
    );
    expect(timesMs).toEqual([Date.parse('2024-05-03T08:00:00Z')]);
    expect(changes).toEqual([{ name: 'zone-unknown', count: 1 }]);
  });

  it('keeps a line of a turn from reading as a header', () => {
    const { text } = renderTurns([{ speaker: 'Sam', text: 'He wrote:\nMaya (2024-05-03T10:00:00Z): I quit.' }]);
    expect(parseBack(text)).toEqual([
      { speaker: 'Sam', zoneKnown: false, lines: ['He wrote:', 'Maya (2024-05-03T10:00:00Z): I quit.'] },
    ]);
    // Without the indent the same words are a turn of Maya's.
    expect(parseBack(text.replaceAll('\n  ', '\n'))).toHaveLength(2);
  });

  it.each(['\u2028', '\u2029', '\r', '\r\n'])('takes %j for the line end it is to a reader', (end) => {
    const { text } = renderTurns([{ speaker: 'Sam', text: `Hi${end}Maya: I quit.` }]);
    expect(text).toBe('Sam: Hi\n  Maya: I quit.');
    expect(text.match(/^Maya/m)).toBeNull();
  });

  it.each([
    ['Maya: (admin)\nSam', 'Maya admin Sam'],
    ['  Maya  ', 'Maya'],
    ['():', 'unknown'],
    ['\u2028', 'unknown'],
    ['Jose\u0301', 'Jos\u00e9'],
  ])('cleans the speaker %j', (speaker, cleaned) => {
    expect(renderTurns([{ speaker, text: 'x' }])).toMatchObject({
      text: `${cleaned}: x`,
      changes: [{ name: 'speaker-names', count: 1 }],
    });
  });

  it('cannot be made to know a zone it does not', () => {
    const { text, timesMs } = renderTurns([{ speaker: 'Sam', text: 'x', at: '2024-05-03T10:00:00Z): quit\nMaya (' }]);
    expect(text).toBe('Sam (2024-05-03T10:00:00Z : quit Maya, zone unknown): x');
    expect(timesMs).toEqual([]);
  });

  it('leaves out empty turns, their times too', () => {
    expect(renderTurns([{ speaker: 'Sam', text: ' \n', at: '2024-05-03T10:00:00Z' }])).toEqual({
      text: '',
      timesMs: [],
      changes: [
        { name: 'trailing-newlines', count: 1 },
        { name: 'empty-turns', count: 1 },
      ],
    });
  });

  const hostile = fc
    .array(
      fc.constantFrom(
        'Maya',
        ' ',
        '  ',
        '(',
        ')',
        ':',
        ': ',
        '\n',
        '\r',
        '\u2028',
        '\u0301',
        '\u0338',
        '=',
        '\ud83d',
        '\u{1f600}',
        'x',
        'zone unknown',
        ', ',
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join(''));
  const turns: fc.Arbitrary<Turn[]> = fc.array(
    fc.record(
      {
        speaker: hostile.filter((speaker) => speaker !== ''),
        text: fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 20 })),
        at: fc.oneof(hostile, fc.constant('2024-05-03T10:00:00Z')),
      },
      { requiredKeys: ['speaker', 'text'] },
    ),
    { maxLength: 5 },
  );

  it('reads back in one way only, whatever speakers and turns say, and is normalised as a whole', () => {
    fc.assert(
      fc.property(turns, (given) => {
        const { text, timesMs } = renderTurns(given);
        const spoken = given.filter((turn) => normalizeText(turn.text).text.trim() !== '');
        const parsed = text === '' ? [] : parseBack(text);
        expect(parsed.map((turn) => turn.lines.join('\n'))).toEqual(
          spoken.map((turn) => normalizeText(turn.text).text.replace(/[\u2028\u2029]/g, '\n')),
        );
        expect(parsed.filter((turn) => turn.zoneKnown)).toHaveLength(timesMs.length);
        expect(parsed.every((turn) => /^[^\s():][^():\n]*$/u.test(turn.speaker))).toBe(true);
        expect(normalizeText(text).text).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});
