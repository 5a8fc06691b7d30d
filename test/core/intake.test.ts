import { describe, expect, it } from 'vitest';
import { type PreparedSource, prepareSource } from '../../functions/core/intake.ts';
import { revisionOf } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';

const NOW_MS = Date.parse('2024-06-01T00:00:00Z');

function prepare(given: Record<string, unknown>): PreparedSource {
  const intake = prepareSource({ id: 'a', ...given }, NOW_MS);
  if (intake.kind === 'refused') throw new Error(intake.refusal.message);
  return intake.source;
}

function refusalOf(given: unknown): { code: string; message: string } {
  const intake = prepareSource(given, NOW_MS);
  if (intake.kind !== 'refused') throw new Error('it was taken');
  return intake.refusal;
}

const lines = (...turns: object[]) => turns.map((turn) => JSON.stringify(turn)).join('\n');
const TURN = { speaker: 'Maya', text: 'Hello.' };

describe('the format of a source', () => {
  it.each([
    ['JSON lines', {}, lines(TURN, TURN), 'turns'],
    ['JSON lines after empty lines and a byte order mark', {}, `\ufeff\r\n \r\n${lines(TURN)}\r\n`, 'turns'],
    ['JSON lines, said to be text', { format: 'text' }, lines(TURN), 'text'],
    ['an object that is no turn', {}, '{"a": 1}', 'text'],
    ['a turn further down', {}, `Log\n${lines(TURN)}`, 'text'],
    ['front matter', {}, '---\ntitle: x\n---\nBody', 'markdown'],
    ['a name ending in .md', { id: 'notes/a.md' }, 'Body', 'markdown'],
    ['neither', { id: 'notes/a.txt' }, 'Body', 'text'],
  ])('%s', (_, fields, text, format) => {
    expect(prepare({ ...fields, text }).format).toBe(format);
  });

  it('renders turns alike from the array and from JSON lines', () => {
    const turns = [{ ...TURN, at: '2024-05-03T10:00:00Z' }, TURN];
    const asLines = prepare({ text: lines(...turns) });
    expect(asLines.text).toBe('Maya (2024-05-03T10:00:00Z): Hello.\nMaya: Hello.');
    expect(prepare({ turns }).revision).toBe(asLines.revision);
  });

  it('normalises what an escape in JSON hides from the raw line', () => {
    const { text, changes } = prepare({ text: '{"speaker":"Maya","text":"a\\u0000b\\r\\ncafe\\u0301"}' });
    expect(text).toBe('Maya: ab\n  caf\u00e9');
    expect(changes).toEqual(['nul: 1', 'line-endings: 1', 'nfc']);
  });
});

describe('a source that is taken', () => {
  it('has the revision of its rendered text, and its size in code points', () => {
    const source = prepare({ text: 'Hi \u{1f600}\n' });
    expect(source).toMatchObject({ text: 'Hi \u{1f600}', length: 4, tokens: 1, changes: ['trailing-newlines: 1'] });
    expect(source.revision).toBe(revisionOf('Hi \u{1f600}'));
    expect(prepare({ text: 'abcde' }).tokens).toBe(2);
  });

  it('is the same revision however its line ends and accents are spelt', () => {
    expect(prepare({ text: '\ufeffcafe\u0301\r\n' }).revision).toBe(prepare({ text: 'caf\u00e9' }).revision);
  });

  it('takes its title from the call, else from front matter', () => {
    const text = '---\ntitle: Trip\n---\nBody';
    expect(prepare({ text }).title).toBe('Trip');
    expect(prepare({ text, title: 'Other' }).title).toBe('Other');
  });
});

describe('the captured time', () => {
  const turn = (at: string) => ({ ...TURN, at });
  const may = (day: number) => `2024-05-0${day}T00:00:00Z`;
  const frontMatter = '---\ndate: 2024-05-02\n---\nBody';
  it.each([
    ['the latest turn, in whatever order', { text: lines(turn(may(3)), turn(may(4)), turn(may(1))) }, may(4), 'turns'],
    ['a turn before the call', { text: lines(turn(may(1))), capturedAt: may(5) }, may(1), 'turns'],
    [
      'the call, when no turn has an offset',
      { text: lines(turn('2024-05-09T10:00')), capturedAt: may(5) },
      may(5),
      'call',
    ],
    ['front matter before the call', { text: frontMatter, capturedAt: may(5) }, may(2), 'front-matter'],
    ['the call before the file', { text: 'x', capturedAt: may(5), modifiedAt: may(6) }, may(5), 'call'],
    ['the file', { text: 'x', modifiedAt: may(6) }, may(6), 'inferred'],
    ['now', { text: 'x' }, '2024-06-01T00:00:00Z', 'inferred'],
  ])('is that of %s', (_, given, capturedAt, capturedFrom) => {
    const source = prepare(given);
    expect(source.capturedAtMs).toBe(Date.parse(capturedAt));
    expect(source.capturedFrom).toBe(capturedFrom);
  });
});

describe('front matter', () => {
  const capturedOf = (yaml: string) => {
    const { capturedAtMs, capturedFrom, changes } = prepare({ text: `---\n${yaml}\n---\nBody` });
    return { at: capturedFrom === 'front-matter' ? new Date(capturedAtMs).toISOString() : undefined, changes };
  };
  it.each([
    ['date: 2024-05-02', '2024-05-02T00:00:00.000Z'],
    ['date: 2024-05-02T10:00:00+02:00', '2024-05-02T08:00:00.000Z'],
    ['captured: "2024-05-02 10:00"', '2024-05-02T10:00:00.000Z'],
    ['created: 2024-05-01\ndate: 2024-05-02', '2024-05-02T00:00:00.000Z'],
    ['date: soon\ncreated: 2024-05-01', '2024-05-01T00:00:00.000Z'],
    ['date: 2024', undefined],
    ['tags: [a, b]', undefined],
    ['# nothing but a comment', undefined],
  ])('%j', (yaml, at) => {
    expect(capturedOf(yaml)).toEqual({ at, changes: [] });
  });

  it.each([
    ['no YAML', 'date: [2024-05-02'],
    ['a list', '- date: 2024-05-02'],
    ['an alias, the way to expand a little into much', 'a: &a [x]\ndate: *a'],
    ['more than a page', `date: 2024-05-02\nnote: ${'x'.repeat(20_000)}`],
  ])('that is %s costs nothing but itself', (_, yaml) => {
    expect(capturedOf(yaml)).toEqual({ at: undefined, changes: ['front-matter-unreadable'] });
    expect(prepare({ text: `---\n${yaml}\n---\nBody` }).text).toBe(`---\n${yaml}\n---\nBody`);
  });

  it('that never ends is text', () => {
    expect(prepare({ text: '---\ndate: 2024-05-02\nBody' })).toMatchObject({
      capturedFrom: 'inferred',
      changes: ['front-matter-unreadable'],
    });
  });
});

describe('our own words', () => {
  it.each([
    ['a speaker', { turns: [TURN, { speaker: 'nightjar:pass', text: 'x' }] }],
    ['a speaker in JSON lines', { text: lines({ speaker: ' Nightjar: memory', text: 'x' }) }],
    ['an author in front matter', { text: '---\nauthor: nightjar:memory\n---\nx' }],
    ['an author in quotes', { text: '---\nauthor: " nightjar:memory" \n---\nx' }],
    ['an author that is not even YAML', { text: '---\nauthor: nightjar: memory\n---\nx' }],
  ])('are refused by %s', (_, given) => {
    expect(refusalOf({ id: 'a', ...given }).code).toBe('own_memory');
  });

  it.each(['nightjar', 'Nightjar fan', 'about nightjar: a bird'])('are not those of "%s"', (speaker) => {
    expect(prepare({ turns: [{ speaker, text: 'x' }] }).format).toBe('turns');
  });

  const block = '<nightjar-memory>\nMaya lives in Austin.\n</nightjar-memory>';
  it.each([
    ['in a text', { text: `Before\n${block}\nAfter` }, 'Before\nAfter', ['memory-blocks: 1']],
    ['at the end', { text: `Before\n${block}\n` }, 'Before', ['trailing-newlines: 1', 'memory-blocks: 1']],
    ['twice', { text: `${block}\nBetween\n${block}` }, 'Between', ['memory-blocks: 2']],
    ['with attributes', { text: `A\n<nightjar-memory scope="x">\ny\n</nightjar-memory>` }, 'A', ['memory-blocks: 1']],
    [
      'in a block',
      { text: `A\n<nightjar-memory>\n${block}\ninner\n</nightjar-memory>\nB` },
      'A\nB',
      ['memory-blocks: 1'],
    ],
    ['in a turn', { turns: [{ speaker: 'Sam', text: `A\n${block}\nB` }] }, 'Sam: A\n  B', ['memory-blocks: 1']],
    ['cut short', { text: 'A\n<nightjar-memory>\nB' }, 'A', ['memory-blocks: 1', 'memory-block-unclosed']],
    ['named in prose', { text: 'We use <nightjar-memory> tags.\nB' }, 'We use <nightjar-memory> tags.\nB', []],
  ])('are cut as a block %s', (_, given, text, changes) => {
    expect(prepare(given)).toMatchObject({ text, changes });
  });

  it('do not reach from one turn into the next', () => {
    const turns = [
      { speaker: 'Tool', text: 'A\n<nightjar-memory>\nB' },
      { speaker: 'Maya', text: 'C' },
    ];
    expect(prepare({ turns }).text).toBe('Tool: A\nMaya: C');
  });

  it('alone are an empty text', () => {
    expect(refusalOf({ id: 'a', text: block }).code).toBe('empty_text');
  });
});

describe('what a refusal tells', () => {
  it('is five reasons and how many more there are, however many there were', () => {
    const { code, message } = refusalOf({ id: 'a', turns: Array.from({ length: 19_999 }, () => 1) });
    expect(code).toBe('invalid_source');
    expect(message).toMatch(/^turns\.0: .*; turns\.4: [^;]*; and 19994 more$/);
    expect(message.length).toBeLessThan(1_100);
  });

  const long = 'x'.repeat(100_000);
  it.each([
    ['a field nobody knows', { id: 'a', text: 'x', [long]: 1 }],
    [
      'very many of them',
      { id: 'a', text: 'x', ...Object.fromEntries(Array.from({ length: 9_999 }, (_, k) => [k, 1])) },
    ],
    ['a time that is none', { id: 'a', text: 'x', capturedAt: `0000-01-01T00:00:00.${'0'.repeat(100_000)}Z` }],
    ['a speaker of ours', { id: 'a', turns: [{ speaker: `nightjar:${'x'.repeat(150)}`, text: 'x' }] }],
    ['a turn that is none', { id: 'a', format: 'turns', text: lines({ speaker: 'x'.repeat(100_000) }) }],
    ['a format that is none', { id: 'a', text: 'x', format: long }],
  ])('is short for %s', (_, given) => {
    expect(refusalOf(given).message.length).toBeLessThan(1_400);
  });
});

describe('the length of an id', () => {
  it('is judged of its normal form', () => {
    // One character of its own, which is three when it is composed.
    expect(refusalOf({ id: '\ufb2c'.repeat(512), text: 'x' }).message).toContain('id: ');
    expect(prepare({ id: '\ufb2c'.repeat(170), text: 'x' }).id).toHaveLength(510);
    expect(prepare({ id: 'e\u0301'.repeat(512), text: 'x' }).id).toBe('\u00e9'.repeat(512));
    expect(refusalOf({ id: 'e\u0301'.repeat(513), text: 'x' }).message).toContain('id: ');
  });
});

describe('a source that is refused', () => {
  it.each([
    [
      'a line that is not JSON, strictly',
      { id: 'a', format: 'turns', text: `${lines(TURN)}\n\n{"speaker"`, strict: true },
      'invalid_turns',
      'line 3: it is not JSON; each line is',
    ],
    [
      'a line without text, strictly',
      { id: 'a', text: lines(TURN, { speaker: 'Sam' }), strict: true },
      'invalid_turns',
      'line 2: it is not a turn (text: ',
    ],
    [
      'turns of which no line is one',
      { id: 'a', format: 'turns', text: '{"speaker"\nnull' },
      'invalid_turns',
      'line 1: it is not JSON, and no line is',
    ],
    [
      'turns of which more lines are none than are taken',
      { id: 'a', format: 'turns', text: `${lines(TURN)}\n${'-\n'.repeat(LIMITS.badLinesMax + 1)}` },
      'invalid_turns',
      `line ${LIMITS.badLinesMax + 2}: it is not JSON, as ${LIMITS.badLinesMax} lines before it`,
    ],
    [
      'one id with two contents',
      {
        id: 'a',
        turns: [
          { ...TURN, id: 't-1' },
          { ...TURN, id: 't-1', text: 'other' },
        ],
      },
      'turn_differs',
      'turn "t-1" is known with other words',
    ],
    ['white space', { id: 'a', text: ' \n\t' }, 'empty_text', 'at least one word'],
    ['turns that say nothing', { id: 'a', turns: [{ speaker: 'Sam', text: '' }] }, 'empty_text', 'at least one word'],
    ['neither text nor turns', { id: 'a' }, 'invalid_source', 'either text or turns'],
    ['both', { id: 'a', text: 'x', turns: [TURN] }, 'invalid_source', 'either text or turns'],
    ['turns as markdown', { id: 'a', format: 'markdown', turns: [TURN] }, 'invalid_source', 'format is "markdown"'],
    ['no id', { text: 'x' }, 'invalid_source', 'id: '],
    ['half a character in the id', { id: 'a\ud83d', text: 'x' }, 'invalid_source', 'lone surrogate'],
    ['a field nobody knows', { id: 'a', text: 'x', colour: 'red' }, 'invalid_source', 'colour'],
    [
      'a time without an offset',
      { id: 'a', text: 'x', capturedAt: '2024-05-03T10:00:00' },
      'invalid_source',
      'with an offset',
    ],
    [
      'a time no key can carry',
      { id: 'a', text: 'x', modifiedAt: '0000-05-03T10:00:00Z' },
      'invalid_source',
      'modifiedAt',
    ],
    ['a word', 'a', 'invalid_source', 'object'],
    [
      'more than one call takes',
      { id: 'a', text: 'x'.repeat(LIMITS.sourceCharactersMax + 1) },
      'text_too_long',
      '16000001 characters',
    ],
  ])('%s', (_, given, code, says) => {
    const refusal = refusalOf(given);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(says);
  });
});
