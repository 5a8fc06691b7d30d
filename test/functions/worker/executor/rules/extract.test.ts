/** What the extractor reads of a rendered text, and what it must survive. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';

const { extractClaims } = await loadRules();
const AT = '2024-06-12T18:20:00-06:00';

const extract = (text: string, context?: string) =>
  extractClaims(context === undefined ? { text, baseOffset: 0 } : { text, baseOffset: 0, context });
const values = (text: string, context?: string) =>
  extract(text, context).map(({ entity, attribute, value }) => `${entity}|${attribute}|${value}`);
const slice = (text: string, quote: { start: number; end: number }) =>
  Array.from(text).slice(quote.start, quote.end).join('');

describe('whose words are read', () => {
  it('skips machines in any case and reads the person beside them', () => {
    for (const machine of ['assistant', 'Assistant', 'SYSTEM', 'tool', 'agent', 'bot', 'Nightjar']) {
      expect(values(`${machine} (${AT}): I live in Austin.\n  I work at Acme.\nMaya (${AT}): I live in Oslo.`)).toEqual(
        ['Maya|lives_in|Oslo'],
      );
    }
  });

  it('reads the further lines of a turn, but no quoted line, code or claim line', () => {
    const text = `Maya (${AT}): Hello\n  I live in Oslo.\n  > I live in Rome.\n  @claim Maya | lives_in | Bonn\n  \`\`\`\n  I live in Paris.\n  \`\`\`\n  I love tea.`;
    expect(values(text)).toEqual(['Maya|lives_in|Oslo', 'Maya|likes|tea']);
  });

  it('gives nothing for a fragment that begins inside a turn, until its context says whose turn it is', () => {
    const text = `  I live in Oslo.\nJonas (${AT}): I love tea.`;
    expect(values(text)).toEqual(['Jonas|likes|tea']);
    expect(values(text, `Maya (${AT}): `)).toEqual(['Maya|lives_in|Oslo', 'Jonas|likes|tea']);
    expect(values(text, `assistant (${AT}): `)).toEqual(['Jonas|likes|tea']);
  });

  it('never takes the middle of a source without a header for a document', () => {
    const text = 'I live in Oslo.\n';
    expect(extractClaims({ text, baseOffset: 65_536 })).toEqual([]);
    expect(extractClaims({ text, baseOffset: 65_536, context: '---\nauthor: Priya\n---\n' })).toMatchObject([
      { entity: 'Priya', attribute: 'lives_in', quote: { start: 65_536, end: 65_551 } },
    ]);
    expect(values(text)).toEqual(['user|lives_in|Oslo']);
  });

  it('reads long speaker names and unindented lines as parts of a transcript', () => {
    const speaker = `The ${'very '.repeat(30)}long one`;
    expect(values(`${speaker} (${AT}): I live in Oslo.\nassistant (${AT}): Fine.\nI live in Rome.`)).toEqual([
      `${speaker}|lives_in|Oslo`,
    ]);
    expect(values(`unknown (${AT}): I live in Oslo.`)).toEqual([]);
  });

  it('takes the person and the time of a document from its front matter', () => {
    const body = 'We moved to Oslo last week.\n';
    expect(extract(`---\nauthor: Priya\ndate: ${AT}\n---\n\n${body}`)).toMatchObject([
      { entity: 'Priya', attribute: 'lives_in', value: 'Oslo', event: { precision: 'day', from: 'text' } },
    ]);
    expect(values(body)).toEqual(['user|event|moved to Oslo last week']);
  });

  it('knows a named third person only when the text has introduced one', () => {
    expect(values(`Maya (${AT}): Jonas likes tea.`)).toEqual([]);
    expect(values(`Maya (${AT}): My friend Jonas called. Jonas likes tea.`)).toEqual(['Jonas|likes|tea']);
    // What only a person does introduces one.
    expect(values(`Maya (${AT}): Jonas lives in Oslo. Kafka lives in Docker now.`)).toEqual(['Jonas|lives_in|Oslo']);
  });
});

describe('times', () => {
  it('anchors nothing on a turn whose zone is unknown', () => {
    for (const header of ['Maya (2024-06-12T18:20:00, zone unknown): ', 'Maya: ']) {
      expect(extract(`${header}I just moved to Oslo.`)).toMatchObject([{ attribute: 'event', value: 'moved to Oslo' }]);
      expect(extract(`${header}We moved to Oslo yesterday.`)[0]).not.toHaveProperty('event');
      expect(extract(`${header}We moved to Oslo in May 2023.`)).toMatchObject([
        { attribute: 'lives_in', event: { startMs: Date.UTC(2023, 4), endMs: Date.UTC(2023, 5) } },
      ]);
    }
    expect(extract(`Maya (${AT}): I just moved to Oslo.`)).toMatchObject([{ attribute: 'lives_in' }]);
  });

  it('takes a change told again with "just" for the same change', () => {
    const text = `Maya (${AT}): I just lost my job. Yes, I just lost my job.`;
    expect(extract(text).map(({ attribute }) => attribute)).toEqual(['works_at', 'event']);
  });
});

describe('whom "he" and "she" mean', () => {
  it('is the one kin the turn has named, and nobody once another person came up', () => {
    const at = (words: string) => values(`Maya (${AT}): ${words}`);
    expect(at('My sister lives in Oslo. She is a nurse.')).toContain("Maya's sister|works_as|nurse");
    expect(at('My sister lives in Oslo. He is a nurse.')).toEqual(["Maya's sister|lives_in|Oslo"]);
    expect(at('My sister met a doctor. She is a nurse.')).toEqual([]);
    expect(at('My sister and my aunt live in Oslo. She is a nurse.')).not.toContain("Maya's sister|works_as|nurse");
  });

  it('does not reach into the next turn', () => {
    const text = `Maya (${AT}): My sister lives in Oslo.\nMaya (${AT}): She is a nurse.`;
    expect(values(text)).toEqual(["Maya's sister|lives_in|Oslo"]);
  });

  it('gives kin one name in the whole text when it has one', () => {
    const one = `Maya (${AT}): My wife Ana called.\nMaya (${AT}): My wife lives in Oslo.`;
    expect(values(one)).toContain('Ana|lives_in|Oslo');
    const two = `${one}\nMaya (${AT}): My wife Rita called.`;
    expect(values(two)).toContain("Maya's wife|lives_in|Oslo");
  });
});

describe('scenes', () => {
  const lines = (first: string) => values(`Maya (${AT}): ${first}\n  I live in Oslo.\nMaya (${AT}): I love tea.`);

  it('hold to the end of the turn that sets them', () => {
    for (const stage of [
      'Imagine this.',
      'Translate this:',
      'Please proofread:',
      "Let's say the following.",
      'Act as me.',
    ]) {
      expect(lines(stage)).toEqual(['Maya|likes|tea']);
    }
    expect(lines('Hello there.')).toEqual(['Maya|lives_in|Oslo', 'Maya|likes|tea']);
  });

  it('end what was said before "just kidding", and not what comes after', () => {
    expect(values(`Maya (${AT}): I live in Rome. Just kidding! I live in Oslo.`)).toEqual(['Maya|lives_in|Oslo']);
  });
});

describe('quotes', () => {
  it('counts code points and adds the base offset', () => {
    const text = `Maya (${AT}): 🏔️👩‍👩‍👧 Hello. I live in Zürich 🎉 I love tea.`;
    const shifted = extractClaims({ text, baseOffset: 1000 });
    expect(extract(text).map(({ quote }) => slice(text, quote))).toEqual(['I live in Zürich', 'I love tea.']);
    expect(shifted[0]?.quote.start).toBe((extract(text)[0]?.quote.start ?? 0) + 1000);
  });

  it('does not let the context shift them', () => {
    const text = '  I live in Oslo.';
    const [claim] = extract(text, `Maya (${AT}): 🎉 I love tea.`);
    expect(claim && slice(text, claim.quote)).toBe('I live in Oslo.');
  });

  it('equal their slice in any text', () => {
    const piece = fc.constantFrom(
      'I live in ',
      'Oslo',
      'we moved to ',
      'my sister Ana',
      ' in May 2024',
      '. ',
      '? ',
      '"',
      '\n',
      '\n  ',
      '🎉',
      'I’m ',
      'a nurse',
      ' and ',
      ', ',
      `Maya (${AT}): `,
      'assistant: ',
      'I love ',
      'tea',
      "I don't ",
      'my dog ',
      '---\n',
      '> ',
      '\u00a0',
      'if ',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const length = Array.from(text).length;
        for (const { quote } of extract(text)) {
          expect(quote.start).toBeGreaterThanOrEqual(0);
          expect(quote.end).toBeGreaterThan(quote.start);
          expect(quote.end).toBeLessThanOrEqual(length);
          expect(slice(text, quote)).toBe(slice(text, quote).trim());
        }
      }),
      { numRuns: 300, seed: 20240612 },
    );
  });
});

describe('a line', () => {
  const MOST = 400_000;
  const fill = (unit: string) => unit.repeat(Math.ceil(MOST / unit.length));
  // CPU time of this process, as the wall clock of a shared machine measures its neighbours.
  const cpuMs = (line: string): number => {
    const started = process.cpuUsage();
    extract(`Maya (${AT}): ${line}`);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1_000;
  };
  it.each([
    ['sentences', fill('I live in Austin and I love hiking. ')],
    ['one sentence without end', fill('I moved to Denver in May 2024 and ')],
    ['letters without a space', fill('a')],
    ['hyphens', fill('a-')],
    ['quotation marks', fill('"I ')],
    ['kin', fill('my sister Ana, ')],
    ['names', `I live in ${fill('Ana ')}`],
    ['items', `I love ${fill('hiking, ')}`],
    ['dates', `I moved to ${fill('May 3 2024 ')}`],
    ['brackets', `Maya ${fill('(')}`],
  ])('of 400 KB of %s costs no more than in proportion', (_name, body) => {
    const quarterMs = cpuMs(body.slice(0, MOST / 4));
    // Four times as much, and twice that for what the machine does besides; in the square it would be sixteen times.
    expect(cpuMs(body)).toBeLessThan(Math.max(8 * quarterMs, 500));
  });
});
