/**
 * What reads a page and finds claims: one interface, whoever reads. An executor sees delivered text and its tools,
 * nothing else; every tool call is checked and counted by the session behind it (design section 12).
 */
import type { AttentionDetails } from '../../../schema/attention.ts';
import type { Amounts } from '../../../schema/usage.ts';
import type { ClaimDraft } from '../../core/claim-draft.ts';

/** One source, or a fragment of it, as delivered to this pass. Offsets are characters of the whole rendered text. */
export interface EvidenceFragment {
  /** `kind:id@revision`. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
  /** Characters of the whole text; more follows while `end < length`. */
  readonly length: number;
  readonly text: string;
  /** The header of the turn that `text` begins in the middle of, where there is one. */
  readonly context?: string;
  readonly capturedAtMs: number;
}

export interface EvidencePage {
  readonly items: readonly EvidenceFragment[];
  /** More can be had by asking again. Never true on an empty page. */
  readonly hasMore: boolean;
  /** Nothing is left but what other passes hold. */
  readonly heldByOtherPasses?: true;
  /** The queue is closed to this pass: its time or its share is used up. */
  readonly deliveryClosed?: true;
  /** What to do now, in a sentence. */
  readonly note?: string;
}

export interface ReviewItem {
  readonly source: string;
  /** Read up to this character; absent: all that was delivered. */
  readonly through?: number;
  readonly claims?: readonly ClaimDraft[];
}

export interface ReviewAnswer {
  readonly reviewed: number;
  readonly claimsWritten: number;
  /** What was refused, item by item, each with its reason. The others stand. */
  readonly refused: readonly { readonly source: string; readonly reason: string; readonly message: string }[];
}

export interface AttentionPage {
  readonly items: readonly {
    /** Names it to `resolveAttention`, with the state that was seen. */
    readonly id: string;
    readonly state: string;
    readonly raisedAtMs: number;
    readonly details: AttentionDetails;
  }[];
  /** Why there are none, where another pass has them. */
  readonly note?: string;
}

export interface AttentionDecision {
  readonly id: string;
  readonly state: string;
  /** Declined: it is no question; closed for good unless its subject changes. */
  readonly decision: 'resolved' | 'declined';
  readonly because: string;
}

export interface AttentionAnswer {
  readonly decided: boolean;
  readonly note?: string;
}

export interface Tools {
  /** Leases and delivers the next sources; `limit` is at most the pass's page. */
  searchEvidence(request: { limit?: number }): Promise<EvidencePage>;
  /** Acknowledges what was read, with the claims found in it. Counts when the pass completes. */
  reviewEvidence(items: readonly ReviewItem[]): Promise<ReviewAnswer>;
  /** What needs a decision; none for a pass that does not own the scope's attention. */
  listAttention(): Promise<AttentionPage>;
  /** Decides or declines one. */
  resolveAttention(decision: AttentionDecision): Promise<AttentionAnswer>;
}

/** The provider cannot be asked now, whoever asks: quota, throttling that lasts, an outage. No source is to blame. */
export class ProviderAwayError extends Error {
  /** When it says that it can be asked again. */
  readonly untilMs: number | undefined;

  constructor(message: string, untilMs?: number) {
    super(message);
    this.name = 'ProviderAwayError';
    this.untilMs = untilMs;
  }
}

export interface ExecutorContext {
  /** Aborts when the pass must end; an executor that ignores it is left behind, and its tools refuse. */
  readonly signal: AbortSignal;
  /** Waits; for executors that must wait for something outside. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Counts what one call of a model took: told at each call, so that a pass that is killed is charged as well. */
  readonly spend: (amounts: Partial<Amounts>) => void;
}

export interface Executor {
  readonly name: string;
  run(tools: Tools, context: ExecutorContext): Promise<void>;
}
