/**
 * Appends turns to a session. The whole text is written anew under its revision and the SOURCE row moves on from the one
 * that was read; whoever loses that race reads again and appends to what stands then, so that of two calls at once
 * nothing is lost. A turn that is known is passed over, so a call may be sent again at any point.
 */
import type { AppendBody } from '../../schema/source-api.ts';
import { getScope, type ScopeItem, scopeItemSchema } from '../../schema/scope.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getSource, type SourceItem } from '../../schema/source.ts';
import type { prepareAppend, Session } from '../core/append.ts';
import { judgeStanding } from '../core/standing.ts';
import { markBacklog } from '../io/backlog-mark.ts';
import { HttpError } from '../io/http.ts';
import { describeOutcome, type IngestResult } from './answer.ts';
import { callOf, type IngestCall, loadLiveSettings } from './call.ts';
import type { AppendDeps, IngestDeps } from './deps.ts';
import { dropLeftover, dropLost } from './leftovers.ts';
import { makeUpForMark } from './missed-mark.ts';
import { addressOf, loadStanding, parseSource, tryToStand, writeText, type WrittenSource } from './source-writes.ts';
import { readStoredText, readTurnIds } from './stored-text.ts';

export interface AppendRequest {
  readonly scope: string;
  readonly id: string;
  readonly body: AppendBody;
}

export interface AppendAnswer extends IngestResult {
  /** Turns that are new now, and turns that were known before. */
  readonly added: number;
  readonly known: number;
}

/** Throws an HttpError for what cannot be appended: nothing is written then. */
export async function appendTurns(deps: AppendDeps, request: AppendRequest): Promise<AppendAnswer> {
  const { scope, body } = request;
  const nowMs = deps.clock.nowMs();
  const stored = await deps.store.get(getScope(scope));
  const seen = stored && scopeItemSchema.parse(stored);
  const live = await loadLiveSettings(deps, !body.completed);
  const callWith = (row: ScopeItem | undefined) => callOf(deps, { scope, nowMs, live }, row);
  const before = callWith(seen);
  const session = await loadSession(deps, before, request.id);
  const first = prepare(deps, request, session, nowMs);
  if (session?.source.revision === first.source.revision) {
    const standing = await loadStanding(deps, before, first.source);
    const outcome = judgeStanding(first.source, standing);
    if (standing.source && outcome === 'unchanged') {
      await makeUpForMark(deps, before, seen, [standing.source]);
      return describe(first, { outcome, stands: standing.source });
    }
  }
  const marked = await markBacklog(deps, scope, seen);
  const call = callWith(marked);
  const isSame = call.generation === before.generation;
  const written = await appendInTurn(deps, call, request, isSame ? session : await loadSession(deps, call, request.id));
  await markBacklog(deps, scope, marked);
  deps.log.count('sourcesIngested', written.outcome === 'unchanged' ? 0 : 1);
  return written;
}

type Prepared = Extract<ReturnType<typeof prepareAppend>, { kind: 'prepared' }>;

/** Codes of a refusal that another call may not meet: what stands contradicts this one. */
const CONFLICTS: ReadonlySet<string> = new Set(['turn_differs', 'not_turns']);

function prepare(
  { decide }: AppendDeps,
  { id, body }: AppendRequest,
  session: Session | undefined,
  nowMs: number,
): Prepared {
  const append = decide.prepareAppend({ ...body, id }, session, nowMs);
  if (append.kind === 'prepared') return append;
  const { code, message } = append.refusal;
  throw new HttpError(CONFLICTS.has(code) ? 409 : 422, code, message);
}

async function loadSession(deps: IngestDeps, call: IngestCall, id: string): Promise<Session | undefined> {
  const address = addressOf(call, { kind: 'transcript', id });
  return await openSession(deps, call, parseSource(await deps.store.get(getSource(address))));
}

async function openSession(
  deps: IngestDeps,
  { scope, generation }: IngestCall,
  source: SourceItem | undefined,
): Promise<Session | undefined> {
  if (source === undefined) return undefined;
  const address = { scope, generation, ref: source };
  const [text, ids] = await Promise.all([
    readStoredText(deps, address, source.length),
    readTurnIds(deps, address, source),
  ]);
  return { source, text, ids };
}

async function appendInTurn(
  deps: AppendDeps,
  call: IngestCall,
  request: AppendRequest,
  first: Session | undefined,
): Promise<AppendAnswer> {
  let session = first;
  const lost = new Map<string, string>();
  for (let round = 0; round < LIMITS.commitRoundsMax; round++) {
    const prepared = await prepareAgain(deps, call, { request, session, lost });
    const { source } = prepared;
    const address = addressOf(call, source);
    if (session?.source.revision !== source.revision) {
      await Promise.all([writeText(deps, call, source), dropLeftover(deps, address, session?.source)]);
    }
    const attempt = await tryToStand(deps, call, source, { seen: session?.source, wasKnown: false });
    if (attempt.kind === 'stands') {
      const { stands } = attempt.written;
      lost.delete(stands.revision);
      await dropLost(deps, address, lost);
      return describe(prepared, attempt.written);
    }
    lost.set(source.revision, attempt.queuedAs);
    session = await openSession(deps, call, attempt.seen);
  }
  await dropLost(deps, addressOf(call, { kind: 'transcript', id: request.id }), lost);
  throw new Error(`a session was appended to ${LIMITS.commitRoundsMax} times in one moment: send the call again`);
}

interface Again {
  readonly request: AppendRequest;
  readonly session: Session | undefined;
  /** Revisions that this call queued and that did not come to stand, with the place that each was queued with. */
  readonly lost: Map<string, string>;
}

/**
 * Prepares the call for what stands by now. When that contradicts it, what it had queued leaves the queue before it is
 * refused: its turns are part of no revision, and would be read all the same.
 */
async function prepareAgain(deps: AppendDeps, call: IngestCall, { request, session, lost }: Again): Promise<Prepared> {
  try {
    return prepare(deps, request, session, call.nowMs);
  } catch (error) {
    if (session) lost.delete(session.source.revision);
    await dropLost(deps, addressOf(call, { kind: 'transcript', id: request.id }), lost);
    throw error;
  }
}

function describe({ source, added, known }: Prepared, { outcome, stands }: WrittenSource): AppendAnswer {
  return { ...describeOutcome(source, outcome, stands), added, known };
}
