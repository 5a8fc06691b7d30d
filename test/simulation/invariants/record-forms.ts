/** What an executor asked and was answered, and how a pass would have to tell of it. */
import { NOTHING_LEFT } from '../../../functions/worker/empty-pages.ts';
import type { AttentionAnswer, EvidencePage, ReviewAnswer } from '../../../functions/worker/executor/executor.ts';
import type { Call } from '../../../schema/call-page.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PassCounters, PassItem } from '../../../schema/pass.ts';
import type { Amounts } from '../../../schema/usage.ts';

export interface HeardCall {
  readonly tool: 'search_evidence' | 'review_evidence' | 'attention_list' | 'resolve_attention';
  /** It asked for the next page. */
  readonly isQueue?: boolean;
  /** Sources that it named. */
  readonly asked?: number;
  /** Undefined: it is not answered. */
  outcome?: { readonly answer: object } | { readonly thrown: string };
  /** Its pass was ending when it was answered: it may have been left behind. */
  isLate?: boolean;
}

/** What came of the claims of one source. */
export interface Cited {
  misquotes: number;
  taken: number;
  through: number;
}

export interface Leased {
  /** How often it was leased before. */
  readonly attempts: number;
  /** Its version since. */
  readonly seq: number;
}

export interface Heard {
  readonly calls: HeardCall[];
  readonly spent: { -readonly [Name in keyof Amounts]: number };
  /** Evidence that the call which runs leased, and did not give back. */
  readonly leased: Map<string, Leased>;
  /** Source → where it was delivered from. */
  readonly starts: Map<string, number>;
  readonly cited: Map<string, Cited>;
  /** Since when the call that runs may run: it began then, or the one before it ended. */
  busySinceMs: number;
  /** It spent when its pass was ending: the terminal write may have been on its way. */
  hasSpentLate: boolean;
  /** By its own word. */
  hasEnded: boolean;
  /** Writes of what it read since it ended itself. */
  toldAfter: number;
}

const CLOSED: readonly string[] = ['SessionClosedError', 'PassLostError'];
const answersOf = (calls: readonly HeardCall[], tool: HeardCall['tool']): object[] =>
  calls.flatMap((call) =>
    call.tool === tool && call.outcome && 'answer' in call.outcome ? [call.outcome.answer] : [],
  );
export const thrownOf = ({ outcome }: HeardCall): string | undefined =>
  outcome && 'thrown' in outcome ? outcome.thrown : undefined;
const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, it) => all + of(it), 0);

/** Its end broke into a call, or came before one. */
export function isBroken({ calls }: Pick<Heard, 'calls'>): boolean {
  return calls.some((call) => !call.outcome || call.isLate || CLOSED.includes(thrownOf(call) ?? ''));
}

/**
 * How a pass that ended itself tells otherwise than it was. A call that its end broke into may be told or not, one that never
 * began because the passes held back could not be let go is not.
 */
export function faultsOfRecord(pass: PassItem, { calls, spent, hasSpentLate }: Heard, told: readonly Call[]): string[] {
  const { counters } = pass;
  const faults = (['tokensIn', 'tokensOut', 'costMicroUsd'] as const)
    .filter((name) => !hasSpentLate && counters[name] !== spent[name])
    .map((name) => `counts ${counters[name]} ${name}, and spent ${spent[name]}`);
  const hasFailed = calls.some((call) => thrownOf(call) !== undefined);
  if (isBroken({ calls })) return faults;
  faults.push(...faultsOfCounters(counters, calls, hasFailed));
  if (!hasFailed && pass.sawEmptyQueue !== calls.some(sawEmptyQueue)) faults.push('saw the end of the queue otherwise');
  const isCut = calls[0] && thrownOf(calls[0]) !== undefined;
  if (isCut) return faults;
  if (told.length !== calls.length) faults.push(`tells of ${told.length} calls, and made ${calls.length}`);
  const strange = told.find((call, k) => !isTold(call, calls[k]));
  if (strange) faults.push(`tells otherwise of its call ${strange.seq} (${strange.tool})`);
  return faults;
}

function faultsOfCounters(counters: PassCounters, calls: readonly HeardCall[], hasFailed: boolean): string[] {
  const pages = calls
    .filter(({ isQueue }) => isQueue)
    .flatMap(({ outcome }) => (outcome && 'answer' in outcome ? [outcome.answer as EvidencePage] : []));
  const given = pages.filter(({ items }) => items.length > 0);
  const reviews = answersOf(calls, 'review_evidence') as ReviewAnswer[];
  const decisions = answersOf(calls, 'resolve_attention') as AttentionAnswer[];
  const owed = {
    toolCalls: calls.length,
    pages: given.length,
    delivered: sum(given, ({ items }) => items.length),
    reviewed: sum(reviews, ({ reviewed }) => reviewed),
    claims: sum(reviews, ({ claimsWritten }) => claimsWritten),
    decided: decisions.filter(({ decided }) => decided).length,
  };
  const faults = Object.entries(owed).flatMap(([name, most]) => {
    const counted = counters[name as keyof typeof owed];
    return counted === most || (hasFailed && counted > most) ? [] : [`counts ${counted} ${name}, and had ${most}`];
  });
  return faults;
}

function sawEmptyQueue({ isQueue, outcome }: HeardCall): boolean {
  if (!isQueue || !outcome || !('answer' in outcome)) return false;
  const { note, heldByOtherPasses } = outcome.answer as EvidencePage;
  return note === NOTHING_LEFT.note || heldByOtherPasses === true;
}

function isTold({ tool, error, given = [], refused = [] }: Call, call: HeardCall | undefined): boolean {
  if (!call?.outcome || tool !== call.tool) return false;
  if ('thrown' in call.outcome) return error === call.outcome.thrown;
  const answer = call.outcome.answer as {
    items?: { source?: unknown }[];
    refused?: unknown[];
    error?: { code: string };
  };
  const items = (answer.items ?? []).filter(({ source }) => typeof source === 'string');
  const most = LIMITS.reviewItemsMax;
  const isWhole =
    given.length === Math.min(most, items.length) && refused.length === Math.min(most, answer.refused?.length ?? 0);
  return isWhole && error === answer.error?.code;
}
