/**
 * What a hostile executor asks for besides its work, each with how it must be answered: refused by a code that says why,
 * or, for a look-up, with nothing but the sources of its own scope.
 */
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import type { DraftRefusalReason } from '../../../functions/core/claim-plan.ts';
import { countCharacters, sliceCharacters } from '../../../functions/core/characters.ts';
import type { ToolErrorCode } from '../../../functions/core/tool-errors.ts';
import type {
  EvidenceFragment,
  EvidencePage,
  ReviewAnswer,
  ReviewItem,
  SearchRequest,
  Tools,
} from '../../../functions/worker/executor/executor.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Random } from '../engine/random.ts';

/** What it knows when it calls. */
export interface Known {
  readonly random: Random;
  readonly scope: string;
  /** Another scope, which may have sources or none. */
  readonly otherScope: string;
  /** Sources of its own scope with what they say, and names of those of all others. */
  readonly ownTexts: ReadonlyMap<string, string>;
  readonly ownSources: readonly string[];
  readonly otherSources: readonly string[];
  /** What this pass was given last, and how far it acknowledged each. */
  readonly given: ReadonlyMap<string, Given>;
}
export interface Given extends EvidenceFragment {
  readonly reviewedTo: number;
}

export interface HostileCall {
  readonly name: string;
  /** Sends it; answers what is wrong with the answer, if anything is. */
  readonly send: (tools: Tools) => Promise<string | undefined>;
}

type Refusal = ToolErrorCode | DraftRefusalReason;

/** Nothing was done, for one of these reasons. */
function judgeReview(answer: ReviewAnswer, codes: readonly Refusal[]): string | undefined {
  const { reviewed, claimsWritten, refused, error } = answer;
  if (reviewed > 0 || claimsWritten > 0) return `${reviewed} acknowledged and ${claimsWritten} claims written`;
  const reasons = error ? [error.code] : refused.map(({ reason }) => reason);
  if (reasons.length === 0) return 'taken';
  const strange = reasons.find((reason) => !codes.includes(reason));
  return strange && `refused with ${strange}, not with ${codes.join(' or ')}`;
}

const review = (name: string, items: readonly ReviewItem[], codes: readonly Refusal[]): HostileCall => ({
  name,
  send: async (tools) => judgeReview(await tools.reviewEvidence(items), codes),
});

function search(name: string, request: SearchRequest, judge: (page: EvidencePage) => string | undefined): HostileCall {
  return { name, send: async (tools) => judge(await tools.searchEvidence(request)) };
}

const refusedWith =
  (code: ToolErrorCode) =>
  ({ items, error }: EvidencePage): string | undefined => {
    if (items.length > 0) return `answered ${items.length} sources`;
    return error?.code === code ? undefined : `refused with ${error?.code ?? 'nothing'}, not with ${code}`;
  };

/** A look-up answers sources of the pass's own scope, word by word, and says that it is no delivery. */
const ownAlone =
  ({ ownTexts, otherSources }: Known) =>
  ({ items, lookUp, error }: EvidencePage): string | undefined => {
    if (error !== undefined && error.code !== 'unknown_source') return `refused with ${error.code}`;
    if (lookUp !== true) return 'answered as if it were delivered';
    const strange = items.find(({ source, start, end, text }) => {
      const whole = ownTexts.get(source);
      if (whole === undefined) return otherSources.includes(source);
      return text !== sliceCharacters(whole, start, end);
    });
    return strange && `answered ${strange.source}, or other text than its own`;
  };

/** As the deployed code has it, which no text here fills. */
const RESULT_CHARACTERS = LIMITS.lookUpResultCharacters;
const FABRICATED = 'Ann said that she had never been north.';
const HALF = '\ud83d';

/** Drafts that must be refused, whatever the source says; each but for one thing as the source would have it. */
function badDrafts({ random, given }: Known, { start, text }: Given): readonly [ClaimDraft, DraftRefusalReason][] {
  const quote = { text: text.slice(0, 6), start, end: start + 6 };
  const sound: ClaimDraft = { entity: 'Ann', attribute: 'home', cardinality: 'one', value: 'north', quote };
  const other = random.pick([...given.values()]);
  const event = { startMs: 2, endMs: 1, precision: 'day' } as const;
  const odd = `north${random.pick([HALF, '\u0000', '\u001b[2J', '\u0085'])}`;
  return [
    [{ ...sound, quote: { text: FABRICATED, start, end: start + FABRICATED.length } }, 'quote_mismatch'],
    [{ ...sound, quote: { ...quote, text: `${other.text.slice(7, 12)}#` } }, 'quote_mismatch'],
    [{ ...sound, quote: { ...quote, start: start + 1_000_000, end: start + 1_000_006 } }, 'quote_not_delivered'],
    [{ ...sound, quote: { ...quote, start: -6, end: start } }, 'invalid_draft'],
    [{ ...sound, quote: { ...quote, end: Number.NaN } }, 'invalid_draft'],
    [{ ...sound, value: 'n'.repeat(10_000) }, 'invalid_draft'],
    [{ ...sound, value: odd }, 'invalid_draft'],
    [{ ...sound, entity: odd }, 'invalid_draft'],
    [{ ...sound, value: ' \n\t' }, 'invalid_draft'],
    [{ ...sound, attribute: 'CLAIM#Ann' }, 'invalid_draft'],
    [{ ...sound, event }, 'invalid_draft'],
    [{ ...sound, ends: 'north' }, 'invalid_draft'],
  ];
}

/** Claims handed over with nothing acknowledged: what is refused of them leaves no trace, what is taken would. */
function forgeClaims(known: Known, source: Given): HostileCall {
  const { random } = known;
  const drafts = badDrafts(known, source);
  const [draft, reason] = random.pick(drafts);
  const place = { source: source.source, from: source.reviewedTo, through: source.reviewedTo };
  const many = random.chance(0.1) ? LIMITS.claimsPerCallMax + 1 : 1;
  const claims = Array.from({ length: many }, () => draft);
  const quotes = ['quote_mismatch', 'quote_not_delivered'] as const;
  const codes = [...(reason === 'invalid_draft' ? [reason] : quotes), 'too_many_claims'] as const;
  return review(`claims that are refused with ${reason}`, [{ ...place, claims }], codes);
}

/** About a source that it was given and may still acknowledge. */
const ABOUT_GIVEN: readonly ((known: Known, source: Given) => HostileCall)[] = [
  forgeClaims,
  forgeClaims,
  ({ otherScope }, { source }) =>
    review('an acknowledgement for another scope', [{ source, scope: otherScope }], ['scope_mismatch']),
  ({ random, otherSources }, { source }) => {
    const revision = random.pick([...otherSources, '@0123456789abcdef']).replace(/^.*@/, '@');
    const named = source.replace(/@[^@]*$/, revision);
    return review('another revision than the one delivered', [{ source: named }], ['source_changed']);
  },
  ({ random }, { source }) =>
    review(
      'up to words that are not there',
      [{ source, through: random.pick([FABRICATED, '', HALF, 'x'.repeat(10_000)]) }],
      ['quote_not_found'],
    ),
  ({ random }, { source, end, length }) => {
    const beyond = random.pick([end + 1, length + 1, 1e300, Number.NaN, Number.POSITIVE_INFINITY, end - 0.5]);
    const range = random.pick([{ through: beyond }, { from: -1 }, { from: Number.NaN }, { from: end + 1 }]);
    return review('beyond what was delivered', [{ source, ...range }], ['offset_out_of_range']);
  },
];

const ABOUT_DONE = ({ source }: Given): HostileCall => review('the same once more', [{ source }], ['already_reviewed']);

/** About anything else. */
const ABOUT_OTHERS: readonly ((known: Known) => HostileCall)[] = [
  ({ random, ownSources, given }) => {
    const strange = ownSources.filter((source) => !given.has(source));
    const source = strange.length > 0 ? random.pick(strange) : 'note:nobody@0123456789abcdef';
    return review(
      'a source that was not delivered',
      [{ source }],
      ['not_delivered', 'source_changed', 'unknown_source'],
    );
  },
  ({ random, otherSources }) =>
    review(
      'a source of another scope',
      [{ source: random.pick([...otherSources, 'gibberish', `note:${HALF}`, 'x'.repeat(10_000)]) }],
      ['unknown_source'],
    ),
  ({ ownSources: [source = ''] }) =>
    review(
      'too many items',
      Array.from({ length: LIMITS.reviewItemsMax + 1 }, () => ({ source })),
      ['too_many_items'],
    ),
  () => review('no items', [], ['no_items']),
  ({ otherScope, random }) =>
    search(
      "another scope's queue",
      { scope: otherScope, ...random.pick([{}, { query: 'Source' }, { source: 'note:s0' }]) },
      refusedWith('scope_mismatch'),
    ),
  ({ random, otherSources }) =>
    search(
      "a look at another scope's source",
      { source: random.pick([...otherSources, 'note:nobody', 'gibberish']) },
      refusedWith('unknown_source'),
    ),
  (known) => {
    const { random, ownSources } = known;
    const start = random.pick([undefined, 0, 3]);
    return search(
      'a look-up',
      { source: random.pick(ownSources), ...(start !== undefined && { start }) },
      ownAlone(known),
    );
  },
  (known) => {
    const limit = known.random.pick([undefined, 1, Number.NaN, -5, 1e300]);
    const query = known.random.pick(['Source', 'told Ann', HALF, '(.*)', '']);
    return search('a query', { query, ...(limit !== undefined && { limit }) }, ownAlone(known));
  },
  ({ random }) =>
    search('a time that is none', { since: random.pick(['yesterday', '', HALF]) }, refusedWith('invalid_time')),
  ({ random }) => ({
    name: 'a decision on what it was not shown',
    send: async (tools) => {
      const { items } = await tools.listAttention();
      const shown = items[0];
      const id = shown && random.chance(0.5) ? shown.id : `contested:${random.pick(['ann#home', 'nothing', HALF])}`;
      const because = `so${HALF}`.repeat(random.pick([1, 5_000]));
      const { decided } = await tools.resolveAttention({ id, state: 'never so', decision: 'resolved', because });
      return decided ? 'decided' : undefined;
    },
  }),
];

/** Where an answer holds little, so that texts are longer than that. */
const ABOUT_LONG: readonly ((known: Known) => HostileCall)[] = [
  ({ random }) =>
    review(
      'a source that is no name',
      [{ source: random.pick([7, null, undefined, { source: 'x'.repeat(300) }]) as never }],
      ['unknown_source'],
    ),
  (known) => {
    const [source, whole] = known.random.pick([...known.ownTexts]);
    const end = countCharacters(whole);
    const isLong = end > LIMITS.lookUpResultCharacters;
    return search('the whole of a long source', { source, start: 0, end }, (page) =>
      page.error?.code === 'unknown_source' || !isLong
        ? ownAlone(known)(page)
        : refusedWith('offset_out_of_range')(page),
    );
  },
  (known) => {
    const query = known.random.pick(['on', '\u{1F1F3}', HALF, 'day. Nobody', 'a b c d e f g h i j', '降']);
    const since = known.random.pick([undefined, '2020-01-01T00:00:00Z']);
    const before = known.random.pick([undefined, '2030-01-01T00:00:00+01:00', '2019-01-01T00:00:00Z']);
    const times = { ...(since !== undefined && { since }), ...(before !== undefined && { before }) };
    return search('a query of long texts', { query, limit: known.random.pick([1, 20]), ...times }, ownAlone(known));
  },
  ({ random }) =>
    search('a time before all', { before: random.pick(['soon', 'x'.repeat(300)]) }, refusedWith('invalid_time')),
];

/** One call that must come to nothing. */
export function drawCall(known: Known): HostileCall {
  const { random, given } = known;
  const all = [...given.values()];
  const done = all.filter((it) => it.reviewedTo >= it.end);
  const open = all.filter((it) => it.reviewedTo < it.end);
  if (done.length > 0 && random.chance(0.2)) return ABOUT_DONE(random.pick(done));
  if (open.length > 0 && random.chance(0.5)) return random.pick(ABOUT_GIVEN)(known, random.pick(open));
  const areLong = known.ownTexts.size > 0 && LIMITS.lookUpResultCharacters < RESULT_CHARACTERS;
  return random.pick(areLong ? [...ABOUT_OTHERS, ...ABOUT_LONG] : ABOUT_OTHERS)(known);
}
