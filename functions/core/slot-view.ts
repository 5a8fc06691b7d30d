/**
 * One claim slot as a reader sees it: which claim is current, which were superseded and by what. One function serves
 * reads of now, of another time (`asOf`) and of another state of knowledge (`knownAt`); design section 9.
 *
 * Citation rows are the truth, and this is a function of them alone, in whatever order they come.
 */
import type { Citation, EventTime } from '../../schema/citation.ts';
import { registerKeyOf, type RegisterName, registerOf } from '../../schema/head.ts';

export type SlotCitation = Citation & { readonly withdrawnAtMs?: number | undefined };

/** `ended`: a claim of the empty value, which says that the claim slot is filled no longer. */
export type SlotClaimState = 'active' | 'superseded' | 'ended' | 'planned' | 'retracted';

export interface SlotClaim<C> {
  readonly claimId: string;
  readonly value: string;
  readonly entityName: string;
  readonly state: SlotClaimState;
  /** Event time, or captured time where none is known, from which the claim was told without a break. */
  readonly sinceMs: number;
  /** Of `sinceMs`, when an event gave it. */
  readonly precision?: EventTime['precision'];
  /** When the next claim began, or this one was withdrawn. */
  readonly untilMs?: number;
  readonly replacedBy?: { readonly claimId: string; readonly value: string };
  /** Newest first. */
  readonly citations: readonly C[];
}

export interface SlotView<C> {
  /** The citation that decides; its value may be empty: then the claim slot is ended. */
  readonly current: C | undefined;
  /** The active one first, then the latest begun. */
  readonly claims: readonly SlotClaim<C>[];
}

export interface ViewOptions {
  /** What was true then, by all that is known. */
  readonly asOfMs?: number | undefined;
  /** By what was known then. */
  readonly knownAtMs?: number | undefined;
}

/** A citation with its place among the others, worked out once. */
interface Placed<C> {
  readonly citation: C;
  readonly register: RegisterName | undefined;
  /** Event start, or captured time where none is known. */
  readonly atMs: number;
  readonly key: string;
}

/** The dated register is current unless the undated one was captured later; used on heads and on citations alike. */
export function currentRegister<R extends { readonly capturedAtMs: number }>(
  dated: R | undefined,
  undated: R | undefined,
): R | undefined {
  if (!dated || !undated) return dated ?? undated;
  return undated.capturedAtMs > dated.capturedAtMs ? undated : dated;
}

function place<C extends SlotCitation>(citation: C): Placed<C> {
  const atMs = citation.event?.startMs ?? citation.capturedAtMs;
  // Two spellings of one value in one source tie in the register; the citation's id settles which one is shown.
  const key = `${registerKeyOf(citation)}|${citation.citationId}`;
  return { citation, register: registerOf(citation), atMs, key };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of the slot's history. At one time the later captured comes last, and of those a dated one: it is current. */
function compareInTime<C extends SlotCitation>(a: Placed<C>, b: Placed<C>): number {
  return (
    a.atMs - b.atMs ||
    a.citation.capturedAtMs - b.citation.capturedAtMs ||
    Number(a.register === 'dated') - Number(b.register === 'dated') ||
    compareText(a.key, b.key)
  );
}

function highest<C>(placed: readonly Placed<C>[], register: RegisterName): Placed<C> | undefined {
  return placed
    .filter((one) => one.register === register)
    .reduce<Placed<C> | undefined>((top, one) => (top && top.key >= one.key ? top : one), undefined);
}

/** The citation that decides among those that enter a register. */
function findCurrent<C extends SlotCitation>(placed: readonly Placed<C>[]): Placed<C> | undefined {
  const dated = highest(placed, 'dated');
  const undated = highest(placed, 'undated');
  const current = currentRegister(dated?.citation, undated?.citation);
  return current === undefined || current === dated?.citation ? dated : undated;
}

/** A plan stands from when it was told of, whenever it is for; a dated claim from its event; any other from its capture. */
function standsFromMs(citation: SlotCitation): number {
  return citation.planned ? citation.capturedAtMs : (citation.event?.startMs ?? citation.capturedAtMs);
}

interface History<C> {
  /** All live citations that enter a register, in time. */
  readonly timeline: readonly Placed<C>[];
  readonly current: Placed<C> | undefined;
}

/** A claim with citations in the history: since when, until when, replaced by what. */
function viewStanding<C extends SlotCitation>(
  claimId: string,
  live: readonly Placed<C>[],
  history: History<C>,
): SlotClaim<C> {
  const { timeline, current } = history;
  const isOwn = (one: Placed<C> | undefined): boolean => one?.citation.claimId === claimId;
  const isCurrent = isOwn(current);
  const last = isCurrent && current ? timeline.indexOf(current) : timeline.findLastIndex(isOwn);
  let first = last;
  while (first > 0 && isOwn(timeline[first - 1])) first--;
  const begin = timeline[first] as Placed<C>;
  const shown = findCurrent(live) as Placed<C>;
  const { value, entityName } = shown.citation;
  const claim = {
    claimId,
    value,
    entityName,
    sinceMs: begin.atMs,
    ...(begin.citation.event && { precision: begin.citation.event.precision }),
    citations: live.map((one) => one.citation).toReversed(),
  };
  if (isCurrent || !current) return { ...claim, state: value === '' ? 'ended' : 'active' };
  const next = timeline[last + 1];
  // Without a next one in time, what replaced it is an older event told of later: from when that was told.
  const untilMs = next ? next.atMs : Math.max(begin.atMs, current.citation.capturedAtMs);
  const by = (next ?? current).citation;
  return {
    ...claim,
    state: value === '' ? 'ended' : 'superseded',
    untilMs,
    replacedBy: { claimId: by.claimId, value: by.value },
  };
}

/** A claim without one: only planned, or with every citation withdrawn. */
function viewAside<C extends SlotCitation>(
  claimId: string,
  of: readonly Placed<C>[],
  isRetracted: boolean,
): SlotClaim<C> {
  const begin = of[0] as Placed<C>;
  const { value, entityName } = (of.at(-1) as Placed<C>).citation;
  return {
    claimId,
    value,
    entityName,
    state: isRetracted ? 'retracted' : 'planned',
    sinceMs: begin.atMs,
    ...(begin.citation.event && { precision: begin.citation.event.precision }),
    ...(isRetracted && { untilMs: Math.max(...of.map((one) => one.citation.withdrawnAtMs ?? one.atMs)) }),
    citations: of.map((one) => one.citation).toReversed(),
  };
}

const STATE_ORDER: readonly SlotClaimState[] = ['active', 'ended', 'planned', 'superseded', 'retracted'];

function compareClaims<C>(a: SlotClaim<C>, b: SlotClaim<C>): number {
  return (
    Number(b.state === 'active') - Number(a.state === 'active') ||
    b.sinceMs - a.sinceMs ||
    STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
    compareText(a.claimId, b.claimId)
  );
}

/**
 * The view of one claim slot from all its citations.
 *
 * `asOfMs` keeps what had begun by then: an event's interval is its precision, not its validity, so only a later claim or
 * an end closes a claim. `knownAtMs` keeps what was recorded by then, and takes as withdrawn what was withdrawn by then.
 * A planned claim enters no register and stays planned, also when its time has come: what later sources say counts.
 */
export function viewSlot<C extends SlotCitation>(citations: readonly C[], options: ViewOptions = {}): SlotView<C> {
  const { asOfMs = Number.POSITIVE_INFINITY, knownAtMs = Number.POSITIVE_INFINITY } = options;
  const placed = citations
    .filter((citation) => citation.recordedAtMs <= knownAtMs && standsFromMs(citation) <= asOfMs)
    .map(place)
    .sort(compareInTime);
  const isLive = ({ citation: { withdrawnAtMs } }: Placed<C>): boolean =>
    withdrawnAtMs === undefined || withdrawnAtMs > knownAtMs;
  const timeline = placed.filter((one) => one.register !== undefined && isLive(one));
  const history: History<C> = { timeline, current: findCurrent(timeline) };
  const claims = [...Map.groupBy(placed, (one) => one.citation.claimId)].map(([claimId, own]) => {
    const live = own.filter(isLive);
    if (live.some((one) => one.register !== undefined)) return viewStanding(claimId, live, history);
    return live.length > 0 ? viewAside(claimId, live, false) : viewAside(claimId, own, true);
  });
  return { current: history.current?.citation, claims: claims.sort(compareClaims) };
}
