/**
 * One claim slot as a reader sees it: which claim is current, which were superseded, by what and why. One function serves
 * reads of now, of another time (`asOf`) and of another state of knowledge (`knownAt`); design section 9.
 *
 * Citation rows are the truth, and this is a function of them alone, in whatever order they come.
 */
import type { EventTime } from '../../schema/citation.ts';
import { registerKeyOf, registerOf } from '../../schema/head.ts';
import { countingAt, fellAtMs, NOW, protects, type Retraction, retractionsOf, type SlotCitation } from './counting.ts';
import { currentRegister, topsOf } from './registers.ts';

/** `ended`: a claim of the empty value, which says that the claim slot is filled no longer. */
export type SlotClaimState = 'active' | 'superseded' | 'ended' | 'planned' | 'retracted';

/**
 * Why one claim took another's place: its event is later; its source was captured later; both were told at one time, and
 * the order of sources chose; or a person said so.
 */
export type ReplacedBecause = 'later_event' | 'captured_later' | 'same_time' | 'protected';

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
  readonly replacedBy?: { readonly claimId: string; readonly value: string; readonly because: ReplacedBecause };
  /** A person's word stands behind it. */
  readonly isProtected: boolean;
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
  readonly isDated: boolean;
  /** Event start, or captured time where none is known. */
  readonly atMs: number;
  readonly key: string;
}

function place<C extends SlotCitation>(citation: C): Placed<C> {
  const atMs = citation.event?.startMs ?? citation.capturedAtMs;
  return { citation, isDated: registerOf(citation) === 'dated', atMs, key: registerKeyOf(citation) };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of the slot's history. At one time the later captured comes last, and of those a dated one: it is current. */
function compareInTime<C extends SlotCitation>(a: Placed<C>, b: Placed<C>): number {
  return (
    a.atMs - b.atMs ||
    a.citation.capturedAtMs - b.citation.capturedAtMs ||
    Number(a.isDated) - Number(b.isDated) ||
    compareText(a.key, b.key)
  );
}

/** The citation that decides among those that count. */
function findCurrent<C extends SlotCitation>(counting: readonly C[], knownAtMs: number): C | undefined {
  const { dated, undated, protected: protecting } = topsOf(counting, knownAtMs);
  return currentRegister(dated, undated, protecting);
}

/** A plan stands from when it was told of, whenever it is for; a dated claim from its event; any other from its capture. */
function standsFromMs(citation: SlotCitation): number {
  return citation.planned ? citation.capturedAtMs : (citation.event?.startMs ?? citation.capturedAtMs);
}

interface History<C> {
  readonly knownAtMs: number;
  /** All citations that count and enter a register, in time. */
  readonly timeline: readonly Placed<C>[];
  readonly current: Placed<C> | undefined;
  readonly retractions: ReadonlyMap<string, Retraction>;
}

function whyReplaced<C extends SlotCitation>(
  own: Placed<C>,
  by: Placed<C>,
  { current, knownAtMs }: History<C>,
): ReplacedBecause {
  if (by === current && protects(by.citation, knownAtMs)) return 'protected';
  if (by.isDated && by.atMs > own.atMs) return 'later_event';
  const isOneTime =
    by.atMs === own.atMs && by.citation.capturedAtMs === own.citation.capturedAtMs && by.isDated === own.isDated;
  return isOneTime ? 'same_time' : 'captured_later';
}

/** A claim with citations in the history: since when, until when, replaced by what. */
function viewStanding<C extends SlotCitation>(
  claimId: string,
  counting: readonly Placed<C>[],
  history: History<C>,
): SlotClaim<C> {
  const { timeline, current, knownAtMs } = history;
  const isOwn = (one: Placed<C> | undefined): boolean => one?.citation.claimId === claimId;
  const isCurrent = isOwn(current);
  const last = isCurrent && current ? timeline.indexOf(current) : timeline.findLastIndex(isOwn);
  let first = last;
  while (first > 0 && isOwn(timeline[first - 1])) first--;
  const begin = timeline[first] as Placed<C>;
  const own = counting.map((one) => one.citation);
  const { value, entityName } = findCurrent(own, knownAtMs) as C;
  const claim = {
    claimId,
    value,
    entityName,
    sinceMs: begin.atMs,
    ...(begin.citation.event && { precision: begin.citation.event.precision }),
    isProtected: isCurrent && own.some((citation) => protects(citation, knownAtMs)),
    citations: own.toReversed(),
  };
  if (isCurrent || !current) return { ...claim, state: value === '' ? 'ended' : 'active' };
  const next = timeline[last + 1];
  // Without a next one in time, what replaced it is an older event told of later: from when that was told.
  const untilMs = next ? next.atMs : Math.max(begin.atMs, current.citation.capturedAtMs);
  const by = next ?? current;
  return {
    ...claim,
    state: value === '' ? 'ended' : 'superseded',
    untilMs,
    replacedBy: {
      claimId: by.citation.claimId,
      value: by.citation.value,
      because: whyReplaced(timeline[last] as Placed<C>, by, history),
    },
  };
}

/** A claim without one: only planned, or with no citation that counts. */
function viewAside<C extends SlotCitation>(
  claimId: string,
  of: readonly Placed<C>[],
  isRetracted: boolean,
  { knownAtMs, retractions }: History<C>,
): SlotClaim<C> {
  const begin = of[0] as Placed<C>;
  const { value, entityName } = (of.at(-1) as Placed<C>).citation;
  const untilMs = Math.max(...of.map((one) => fellAtMs(one.citation, knownAtMs, retractions.get(claimId))));
  return {
    claimId,
    value,
    entityName,
    state: isRetracted ? 'retracted' : 'planned',
    sinceMs: begin.atMs,
    ...(begin.citation.event && { precision: begin.citation.event.precision }),
    ...(isRetracted && { untilMs }),
    isProtected: false,
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
 * an end closes a claim. `knownAtMs` keeps what was recorded by then, and takes as withdrawn, undone, retracted and
 * lifted what was so by then; a retraction says that a claim was never true, whatever time is asked for.
 * A planned claim enters no register and stays planned, also when its time has come: what later sources say counts.
 */
export function viewSlot<C extends SlotCitation>(citations: readonly C[], options: ViewOptions = {}): SlotView<C> {
  const { asOfMs = NOW, knownAtMs = NOW } = options;
  const known = citations.filter(({ recordedAtMs }) => recordedAtMs <= knownAtMs);
  const counting = new Set(countingAt(known, knownAtMs));
  const placed = known
    .filter((citation) => !citation.retracts && standsFromMs(citation) <= asOfMs)
    .map(place)
    .sort(compareInTime);
  const counts = (one: Placed<C>): boolean => counting.has(one.citation);
  const timeline = placed.filter((one) => registerOf(one.citation) !== undefined && counts(one));
  const decides = findCurrent(
    timeline.map((one) => one.citation),
    knownAtMs,
  );
  const current = timeline.find((one) => one.citation === decides);
  const history: History<C> = { knownAtMs, timeline, current, retractions: retractionsOf(known, knownAtMs) };
  const claims = [...Map.groupBy(placed, (one) => one.citation.claimId)].map(([claimId, own]) => {
    const alive = own.filter(counts);
    if (alive.some((one) => registerOf(one.citation) !== undefined)) return viewStanding(claimId, alive, history);
    return alive.length > 0 ? viewAside(claimId, alive, false, history) : viewAside(claimId, own, true, history);
  });
  return { current: decides, claims: claims.sort(compareClaims) };
}
