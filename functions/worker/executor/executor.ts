/**
 * What reads a page and finds claims: one interface, whoever reads. An executor sees delivered text and its tools,
 * nothing else; every tool call is checked and counted by the session behind it (design section 12).
 */
import type { AttentionDetails } from '../../../schema/attention.ts';
import type { Amounts } from '../../../schema/usage.ts';
import type { ClaimDraft } from '../../core/claim-draft.ts';
import type { DraftRefusalReason } from '../../core/claim-plan.ts';
import type { ToolError, ToolErrorCode } from '../../core/tool-errors.ts';

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
  /** What stands before `text`, where another pass read up to it: the end of what is acknowledged, to be read on from. */
  readonly overlap?: string;
  /** Characters of that. */
  readonly reviewedChars?: number;
  readonly capturedAtMs: number;
  /** Found by a look-up: another pass holds the source now, and will acknowledge it. */
  readonly heldByOtherPass?: true;
  /** Found by a look-up: a session that still goes on. What it says now may not be what it comes to. */
  readonly unfinished?: true;
}

interface OfScope {
  /** Whose memory is meant; another scope than the pass's is refused. Absent: the pass's. */
  readonly scope?: string;
}

/** The next sources, leased for this pass; `limit` is at most its page. */
export interface QueueRequest extends OfScope {
  readonly limit?: number;
}

/** One exact fragment of a source, whoever holds it: `kind:id@revision`, or `kind:id` for its newest. */
export interface SourceRequest extends OfScope {
  readonly source: string;
  /** From this character; absent: from the beginning. */
  readonly start?: number;
  /** To this character, at most 16,000 from `start`; absent: 2,000 from it. */
  readonly end?: number;
}

/** Excerpts of the newest sources: at most 200, captured in `since..before` (ISO 8601, `before` not included). */
export interface QueryRequest extends OfScope {
  /** At most 8 words, each found as it stands in any case; absent: the newest sources as they begin. */
  readonly query?: string;
  readonly since?: string;
  readonly before?: string;
  /** Sources answered, at most 20. */
  readonly limit?: number;
}

export type SearchRequest = QueueRequest | SourceRequest | QueryRequest;

export interface EvidencePage {
  readonly items: readonly EvidenceFragment[];
  /** More can be had by asking again. Never true on an empty page. */
  readonly hasMore: boolean;
  /** Nothing is left but what other passes hold. */
  readonly heldByOtherPasses?: true;
  /** The queue is closed to this pass: its time or its share is used up. */
  readonly deliveryClosed?: true;
  /** A look-up: nothing of it was delivered, so nothing of it can be acknowledged or cited. */
  readonly lookUp?: true;
  /** A query looked at every source that was captured since then, and at none before (ISO 8601). */
  readonly searchedBack?: string;
  /** What to do now, in a sentence. */
  readonly note?: string;
  /** Why nothing was done. */
  readonly error?: ToolError;
}

export interface ReviewItem extends OfScope {
  readonly source: string;
  /** Read from this character; absent: from where it is acknowledged up to. What stands behind a gap waits for it. */
  readonly from?: number;
  /** Read up to this character, or to the end of this exact quote; absent: all that was delivered. */
  readonly through?: number | string;
  readonly claims?: readonly ClaimDraft[];
}

export interface ReviewAnswer {
  readonly reviewed: number;
  readonly claimsWritten: number;
  /** How far each item that was taken is acknowledged now, without a gap. */
  readonly progress: readonly { readonly source: string; readonly through: number; readonly length: number }[];
  /** What was refused, each with its reason: items that changed nothing, and claims of items that were taken. */
  readonly refused: readonly {
    readonly source: string;
    readonly reason: ToolErrorCode | DraftRefusalReason;
    readonly message: string;
  }[];
  /** Why nothing was done at all. */
  readonly error?: ToolError;
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
  /**
   * Leases and delivers the next sources; or looks one up, or searches the newest. A look-up takes no lease, is no delivery
   * and moves no cursor.
   */
  searchEvidence(request: SearchRequest): Promise<EvidencePage>;
  /** Acknowledges what was read, with the claims found in it: 1 to 50 items. Counts when the pass completes. */
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
