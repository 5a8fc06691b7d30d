/**
 * The forms in which clients send a text: plain, with the noise of editors and tools, as markdown, as turns. And bodies
 * that are no source, which are refused one by one and leave nothing. Each revision keeps its captured time.
 */
import { prepareSource, type PreparedSource } from '../../../functions/core/intake.ts';
import { Random } from '../engine/random.ts';

/** A revision, and how it is sent. */
export interface SentSource {
  readonly id: string;
  readonly text: string;
  readonly capturedAtMs: number;
  readonly completed: boolean;
  readonly isPlain?: boolean;
}

type Form = (source: SentSource, iso: string, random: Random) => Record<string, unknown>;

const HOUR_MS = 60 * 60_000;
/** Times that a turn may carry: with an offset, of a day alone, without a zone, impossible, or of no form at all. */
const ODD_TIMES = [
  '2025-03-01T10:00:00+02:00',
  '2025-03-01',
  '2025-03-01T10:00',
  '2025-13-41',
  'soon',
  '2024-02-29T23:59:59.5-09:30',
];

/** Times that are nearly one. */
const ODDER_TIMES = [
  '2025-03-01T10:00:00+24:00',
  '2025-03-01T10:00:00+09:60',
  '2025-03-01T10:00:00+09',
  '2025-03-01 10:00 -0330',
  '2025-02-30T10:00:00Z',
  '2025-03-01T24:00:00Z',
  '0000-03-01T10:00:00Z',
  '0001-01-01T00:00:00+12:00',
];

function turnsOf({ text, capturedAtMs }: SentSource, iso: string, random: Random): Record<string, unknown>[] {
  const earlier = new Date(capturedAtMs - random.int(1, 48) * HOUR_MS).toISOString();
  const odd = random.pick(ODD_TIMES);
  const lines = text.split('\n');
  return [
    { speaker: 'Ann', text: 'Good morning.', at: earlier },
    { speaker: ' Ben\n', text: 'Morning, all.', ...(random.chance(0.5) && { at: odd }) },
    { speaker: 'Ann', text: lines.join('\n'), at: iso },
  ];
}

const FORMS: readonly Form[] = [
  ({ text }) => ({ text, format: 'text' }),
  ({ text }) => ({ text: `\uFEFF${text.replaceAll('\n', '\r\n')}\r\n\r\n`, format: 'text' }),
  ({ text }) => ({ text: `${text}\u0000\nCafe\u0301 and half a character: \ud83d.\n`, format: 'text' }),
  ({ text }) => ({
    text: `${text}\nA family \u{1F468}\u200D\u{1F469}\u200D\u{1F467} and e${'\u0301'.repeat(40)}.`,
    format: 'text',
  }),
  ({ text }) => ({ text: `<nightjar-memory>\nAnn lives nowhere.\n</nightjar-memory>\n${text}`, format: 'text' }),
  ({ text }) => ({ text: `${text}\n<nightjar-memory>\nAnn lives nowhere.`, format: 'text' }),
  ({ text }, iso) => ({
    text: `---\ndate: ${iso}\ntitle: What was said\nauthor: "Ann"\n---\n${text}`,
    format: 'markdown',
  }),
  ({ text }) => ({ text: `---\ndate: [unclosed\n---\n${text}`, format: 'markdown' }),
  ({ text }) => ({ text: `---\n- a list\n---\n${text}`, format: 'markdown', title: 'A list' }),
  ({ text }) => ({ text: `---\nnever closed\n${text}` }),
  (source, iso, random) => ({ turns: turnsOf(source, iso, random) }),
  (source, iso, random) => ({
    text: [...turnsOf(source, iso, random).map((turn) => JSON.stringify(turn)), '{"speaker": "Ben", "te'].join('\n'),
    format: random.pick(['turns', undefined]),
  }),
];

const BLOCKS = '<nightjar-memory>\na\n<nightjar-memory>\nb\n</nightjar-memory>\nc\n</nightjar-memory>';
const noise = (count: number): string => Array.from({ length: count }, (_, k) => `{"speaker": ${k}`).join('\n');

/** The same, odder still. A time without a zone is taken as UTC. */
const ODDER_FORMS: readonly Form[] = [
  ({ text }) => ({
    text: `${BLOCKS}\n${text}\n  <nightjar-memory kind="none"> is no block, nor </nightjar-memory>`,
    format: 'text',
  }),
  ({ text }) => ({ text: `Not at the beginning <nightjar-memory>\n${text}`, format: 'text' }),
  ({ text }) => ({ text: `---\n---\n${text}`, format: 'markdown', title: 'Nothing said' }),
  ({ text }) => ({ text: `No front matter.\n---\n${text}`, format: 'markdown' }),
  ({ text }, iso, random) => ({
    text: `---\ndate: ${random.pick(['2024-02-30', '0000-05-01', 'soon'])}\ncaptured: 7\ncreated: ${iso.replace('Z', '')}\n---\n${text}`,
    format: 'markdown',
  }),
  ({ text }) => ({ text: `---\nauthor: Ann: who else\n---\n${text}`, format: 'markdown' }),
  ({ text }, iso) => ({ text: `---\ndate: ${iso}\ntitle: ''\nauthor: ''\n...\n${text}`, format: 'markdown' }),
  ({ text }, iso, random) => ({
    turns: [
      { speaker: 'Ann', text: ' ', at: iso },
      { speaker: '():', text: 'Who am I?', at: random.pick(ODDER_TIMES) },
      { id: 't1', speaker: 'Ben', text: 'Twice.' },
      { id: 't1', speaker: 'Ben', text: 'Twice.' },
      { speaker: 'Ann', text: BLOCKS },
      { speaker: 'Ann', text, at: iso },
    ],
  }),
  (source, iso, random) => ({
    text: [
      noise(random.pick([2, 9])),
      '{"speaker": "Ann"}',
      '',
      ...turnsOf(source, iso, random).map((turn) => JSON.stringify(turn)),
    ].join('\n'),
    format: 'turns',
  }),
  ({ text }, iso) => ({
    text,
    format: undefined,
    modifiedAt: iso,
    title: `What\u0000\r\nwas said ${'and so on '.repeat(25)}`,
  }),
];

/** A quarter of the seeds, none of the corpus: the others send plain text, so that what once failed stays what it was. */
const isOdd = (seed: number): boolean => seed % 4 === 1;
/** An eighth, none of the corpus either. */
const isOdder = (seed: number): boolean => seed % 8 === 7;

/** The body of one element of a call's `sources`. The same seed and source give the same body. */
export function bodyOf(seed: number, source: SentSource): Record<string, unknown> {
  const random = new Random(seed, `form of ${source.id} ${source.capturedAtMs}`);
  const { id, capturedAtMs, completed } = source;
  const capturedAt = new Date(capturedAtMs).toISOString();
  const [plain] = FORMS;
  const forms = isOdd(seed) ? FORMS : isOdder(seed) ? ODDER_FORMS : FORMS.slice(0, 1);
  const form = source.isPlain ? plain : random.pick(forms);
  return { kind: 'note', id, ...form?.(source, capturedAt, random), capturedAt, completed };
}

/** Bodies that are refused, whatever else the call holds. */
const REFUSED: readonly (readonly [code: string, body: unknown])[] = [
  ['empty_text', { kind: 'note', id: 'bad', text: ' \n\t' }],
  ['own_memory', { kind: 'note', id: 'bad', turns: [{ speaker: 'nightjar: worker', text: 'Ann moved.' }] }],
  ['own_memory', { kind: 'note', id: 'bad', text: '---\nauthor: nightjar: me\n---\nAnn moved.', format: 'markdown' }],
  ['invalid_source', { kind: 'note', id: 'bad', text: 'Ann moved.', capturedAt: 'yesterday' }],
  ['invalid_source', { kind: 'note', id: 'bad', text: 'Ann moved.', modifiedAt: '2025-02-30T00:00:00Z' }],
  ['invalid_source', { kind: 'novel', id: 'bad', text: 'Ann moved.' }],
  ['invalid_source', { kind: 'note', id: 'bad \ud800', text: 'Ann moved.' }],
  ['invalid_source', { kind: 'note', id: 'bad', format: 'text', turns: [{ speaker: 'Ann', text: 'I moved.' }] }],
  ['invalid_turns', { kind: 'note', id: 'bad', text: 'no turns at all', format: 'turns' }],
  [
    'turn_differs',
    {
      kind: 'note',
      id: 'bad',
      turns: [
        { id: 't1', speaker: 'Ann', text: 'I moved.' },
        { id: 't1', speaker: 'Ann', text: 'I stayed.' },
      ],
    },
  ],
];

const own = (author: string): string => `---\nauthor: ${author}\n---\nAnn moved.`;
const turnLine = (text: string): string => JSON.stringify({ speaker: 'Ann', text });
const differing = Array.from({ length: 7 }, (_, k) =>
  ['I moved.', 'I stayed.'].map((text) => ({ id: `t${k}`, speaker: 'Ann', text })),
);

/** More of them, odder still; sent by callers who mind nothing. */
export const TURNED_DOWN: typeof REFUSED = [
  ...REFUSED,
  ['own_memory', { kind: 'note', id: 'bad', text: own(`"nightjar: ${'me '.repeat(40)}"`), format: 'markdown' }],
  ['own_memory', { kind: 'note', id: 'bad', text: own('nightjar: [me'), format: 'markdown' }],
  ['own_memory', { id: 'bad', text: JSON.stringify({ speaker: 'nightjar:', text: 'I moved.' }) }],
  ['empty_text', { kind: 'note', id: 'bad', text: '<nightjar-memory>\nAnn moved.\n</nightjar-memory>\n' }],
  ['empty_text', { kind: 'note', id: 'bad', turns: [{ speaker: 'Ann', text: ' ' }] }],
  ['empty_text', { kind: 'note', id: 'bad', turns: [] }],
  ['invalid_source', { kind: 'note', id: 'bad', text: 'Ann moved.', capturedAt: '0000-01-01T00:00:00Z' }],
  ['invalid_source', { kind: 'note', id: 'bad', text: 'Ann moved.', modifiedAt: '0001-01-01T00:00:00+23:00' }],
  ['invalid_source', { kind: 'note', id: 'bad' }],
  ['invalid_source', { kind: 'note', id: 'bad', text: 'Ann moved.', turns: [] }],
  ['invalid_source', { kind: 'note', text: 7, title: 'long '.repeat(100), strict: 'no', completed: 1, more: true }],
  ['invalid_source', 'Ann moved.'],
  ['invalid_source', null],
  [
    'invalid_turns',
    { kind: 'note', id: 'bad', text: `${turnLine('I moved.')}\nand so on`, format: 'turns', strict: true },
  ],
  ['invalid_turns', { kind: 'note', id: 'bad', text: '{"speaker": "Ann"}\n[]\n{}', format: 'turns' }],
  ['invalid_turns', { kind: 'note', id: 'bad', text: `${'no turn\n'.repeat(1_002)}`, format: 'turns' }],
  ['turn_differs', { kind: 'note', id: 'bad', turns: differing.flat() }],
  ['turn_differs', { kind: 'note', id: 'bad', turns: differing.slice(0, 2).flat() }],
];

/** What a call sends besides its sources, and the code with which each is refused. */
export function refusedBodies(seed: number, call: number): typeof REFUSED {
  if (!isOdd(seed)) return [];
  const random = new Random(seed, `refused ${call}`);
  return random.chance(0.3) ? [random.pick(REFUSED)] : [];
}

const prepared = new WeakMap<SentSource, PreparedSource>();

/** What is stored of a source: what its body is read as at the door. */
export function storedOf(seed: number, source: SentSource): PreparedSource {
  const known = prepared.get(source);
  if (known) return known;
  const intake = prepareSource(bodyOf(seed, source), 0);
  if (intake.kind !== 'prepared') throw new Error(`a planned source is refused: ${intake.refusal.message}`);
  prepared.set(source, intake.source);
  return intake.source;
}
