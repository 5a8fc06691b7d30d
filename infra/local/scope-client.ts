/** The HTTP routes of one scope, as any user of a deployment has them: nothing here knows that it runs on one machine. */
import type { PartTold } from '../../functions/core/upload-assembly.ts';
import type { IngestAnswer, IngestResult } from '../../functions/ingest/answer.ts';
import type { AppendAnswer } from '../../functions/ingest/append-turns.ts';
import type { ClaimBody } from '../../functions/reader/claim-body.ts';
import type { ClaimsAnswer } from '../../functions/reader/read-claims.ts';
import type { PassesAnswer } from '../../functions/reader/read-passes.ts';
import type { SourceAnswer } from '../../functions/reader/read-source.ts';
import type { ScopeStatus } from '../../functions/reader/read-status.ts';
import type { ApiError } from '../../schema/api.ts';
import type { SourceKind } from '../../schema/ids.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TriggerOutcome } from '../../schema/trigger.ts';

/** An answer that refuses: its message is for people. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: ApiError['error']) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type DrainAnswer =
  | ({ readonly kind: 'accepted'; readonly triggerId: string } & Partial<TriggerOutcome>)
  /** Nothing was admitted, for this reason. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** An answer takes 10 s at most; loading a function's code may come on top. */
const ANSWER_TIMEOUT_MS = 30_000;
/** All routes are safe to call again: 500 and 503 of a function that failed or was ended are worth it. */
const ATTEMPTS_MAX = 3;

export class ScopeClient {
  readonly baseUrl: string;

  constructor(url: string, scope: string) {
    this.baseUrl = `${url}/v1/scopes/${scope}`;
  }

  /** Sends a body of sources, as JSON text. */
  putSources(body: string): Promise<IngestAnswer> {
    return this.#call<IngestAnswer>('POST', 'sources', body);
  }

  /** Where a source stands. */
  source(kind: SourceKind, id: string): Promise<SourceAnswer> {
    return this.#call<SourceAnswer>('GET', pathOf(kind, id));
  }

  /** Appends turns to a transcript, as JSON text. */
  appendTurns(id: string, body: string): Promise<AppendAnswer> {
    return this.#call<AppendAnswer>('POST', `${pathOf('transcript', id)}/turns`, body);
  }

  /** Sends one part of a source that no single call takes. */
  putPart({ kind, id, sha256 }: Upload, part: number, bytes: Uint8Array): Promise<PartTold> {
    return this.#call<PartTold>('PUT', `${pathOf(kind, id)}/revisions/${sha256}/parts/${part}`, bytes);
  }

  /** Takes in what was sent in parts; `about` as JSON text. */
  completeUpload({ kind, id, sha256 }: Upload, about: string): Promise<IngestResult> {
    return this.#call<IngestResult>('POST', `${pathOf(kind, id)}/revisions/${sha256}/complete`, about);
  }

  /** Asks for this many passes now. */
  async drain(parallel: number): Promise<DrainAnswer> {
    try {
      const body = JSON.stringify({ parallel });
      const answer = await this.#call<{ triggerId: string } & Partial<TriggerOutcome>>('POST', 'dream/drain', body);
      return { kind: 'accepted', ...answer };
    } catch (error) {
      if (!(error instanceof ApiFailure) || ![409, 429, 503].includes(error.status)) throw error;
      return { kind: 'refused', code: error.code, message: error.message };
    }
  }

  status(): Promise<ScopeStatus> {
    return this.#call<ScopeStatus>('GET', 'status');
  }

  /** The newest passes. */
  passes(limit: number): Promise<PassesAnswer> {
    return this.#call<PassesAnswer>('GET', `passes?limit=${limit}`);
  }

  /** Every claim of the scope, in whatever state, page by page. */
  async claims(): Promise<ClaimBody[]> {
    const claims: ClaimBody[] = [];
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `claims?state=all&limit=${LIMITS.claimRowsPerPageMax}${from}`;
      const page = await this.#call<ClaimsAnswer>('GET', path);
      claims.push(...page.claims);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return claims;
  }

  async #call<Answer>(method: 'GET' | 'POST' | 'PUT', path: string, body?: string | Uint8Array): Promise<Answer> {
    // API Gateway hands on text as text, which would spoil bytes that are cut within a character.
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${this.baseUrl}/${path}`, {
        method,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
        ...(body !== undefined && { body: new Blob([body]), headers: { 'content-type': type } }),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Answer;
      const error = readError(text);
      // A 503 with our own shape is a refusal of the scheduler, such as a provider that is away.
      const isWorthwhile = response.status >= 500 && (error === undefined || error.code === 'internal');
      if (isWorthwhile && attempt < ATTEMPTS_MAX) continue;
      throw new ApiFailure(response.status, error ?? { code: 'unknown', message: `${method} ${path}: ${text}` });
    }
  }
}

export interface Upload {
  readonly kind: SourceKind;
  readonly id: string;
  /** Of the file's bytes. */
  readonly sha256: string;
}

function pathOf(kind: SourceKind, id: string): string {
  return `sources/${kind}/${encodeURIComponent(id)}`;
}

function readError(text: string): ApiError['error'] | undefined {
  try {
    return (JSON.parse(text) as Partial<ApiError>).error;
  } catch {
    return undefined;
  }
}
