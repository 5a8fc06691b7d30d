/** When a source was captured: the time by which its revisions are ordered and its undated claims are weighed. */
import type { CapturedFrom } from '../../schema/source.ts';

/** What is known, all in epoch milliseconds. */
export interface CaptureEvidence {
  /** Times of the turns that name an offset. */
  readonly turnTimesMs: readonly number[];
  readonly frontMatterMs: number | undefined;
  /** The call's own word. */
  readonly capturedAtMs: number | undefined;
  /** The file's time. */
  readonly modifiedAtMs: number | undefined;
  readonly nowMs: number;
}

export interface Capture {
  readonly capturedAtMs: number;
  readonly capturedFrom: CapturedFrom;
}

/**
 * The best that is known: the latest turn, else front matter, else the call. The file's time and the moment of ingest
 * say when the text was last touched, not when it was said: they are marked `inferred`.
 */
export function captureOf(known: CaptureEvidence): Capture {
  const { turnTimesMs, frontMatterMs, capturedAtMs, modifiedAtMs, nowMs } = known;
  if (turnTimesMs.length > 0) {
    return { capturedAtMs: turnTimesMs.reduce((a, b) => Math.max(a, b)), capturedFrom: 'turns' };
  }
  if (frontMatterMs !== undefined) return { capturedAtMs: frontMatterMs, capturedFrom: 'front-matter' };
  if (capturedAtMs !== undefined) return { capturedAtMs, capturedFrom: 'call' };
  return { capturedAtMs: modifiedAtMs ?? nowMs, capturedFrom: 'inferred' };
}
