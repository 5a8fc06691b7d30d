/** Turns appended to a session: the text that comes of what stands and of what is new. */
import type { AppendBody } from '../../schema/source-api.ts';
import { revisionOf } from '../../schema/ids.ts';
import { newestKeyOf, type SourceItem } from '../../schema/source.ts';
import type { TurnIds } from '../../schema/turn-ids.ts';
import { countCharacters } from './characters.ts';
import { captureOf } from './capture.ts';
import { findEmptyOrLong, type PreparedSource, refuseOwn, type SourceRefusal, tokensOf } from './intake.ts';
import { isOwnAuthor } from './memory-block.ts';
import { formatChange } from './normalize.ts';
import { renderTurns } from './render.ts';
import { joinTurns } from './turn-join.ts';

/** A transcript as it stands. */
export interface Session {
  readonly source: SourceItem;
  readonly text: string;
  readonly ids: TurnIds;
}

export type Append =
  | { readonly kind: 'prepared'; readonly source: PreparedSource; readonly added: number; readonly known: number }
  | { readonly kind: 'refused'; readonly refusal: SourceRefusal | { code: 'not_turns'; message: string } };

/**
 * The session with its new turns, in the order given, after all that stands. The same turns give the same text, and none
 * that is new gives the text that stands. Nothing is taken when one of them contradicts what is known.
 */
export function prepareAppend(
  { id, turns, completed, title }: AppendBody & { readonly id: string },
  session: Session | undefined,
  nowMs: number,
): Append {
  const stands = session?.source;
  if (stands && stands.format !== 'turns') {
    const message = `the transcript is stored as ${stands.format}, not as turns: send it whole, or append under another id`;
    return { kind: 'refused', refusal: { code: 'not_turns', message } };
  }
  const own = turns.find(({ speaker }) => isOwnAuthor(speaker));
  if (own) return { kind: 'refused', refusal: refuseOwn(own.speaker) };
  const joined = joinTurns(session?.ids ?? new Map(), turns);
  if (joined.kind === 'refused') return { kind: 'refused', refusal: joined };
  const rendered = renderTurns(joined.fresh);
  const text = [session?.text ?? '', rendered.text].filter((part) => part !== '').join('\n');
  const length = countCharacters(text);
  const refusal = findEmptyOrLong(text, length);
  if (refusal) return { kind: 'refused', refusal };
  const revision = revisionOf(text);
  const { capturedAtMs, capturedFrom } = captureAppended(rendered.timesMs, stands, nowMs);
  const named = title ?? stands?.title;
  const source: PreparedSource = {
    kind: 'transcript',
    id,
    revision,
    text,
    length,
    tokens: tokensOf(length),
    format: 'turns',
    ...(named !== undefined && { title: named }),
    capturedAtMs,
    capturedFrom,
    newestKey: newestKeyOf({ capturedAtMs, ingestedAtMs: nowMs, revision }),
    completed,
    changes: rendered.changes.map(formatChange),
    warnings: [],
    turnIds: joined.ids,
  };
  return { kind: 'prepared', source, added: joined.fresh.length, known: joined.known };
}

/**
 * The latest turn of all that bears a time; where none does, when this came in. Never before what stands, which has its
 * time from the call or from when it came in: what is appended would be taken for history, and its turns be lost.
 */
function captureAppended(
  timesMs: readonly number[],
  stands: SourceItem | undefined,
  nowMs: number,
): Pick<PreparedSource, 'capturedAtMs' | 'capturedFrom'> {
  const statedAtMs = stands && (stands.statedAtMs ?? stands.capturedAtMs);
  const before = statedAtMs !== undefined && stands?.capturedFrom === 'turns' ? [statedAtMs] : [];
  const capture = captureOf({
    turnTimesMs: [...before, ...timesMs],
    frontMatterMs: undefined,
    capturedAtMs: undefined,
    modifiedAtMs: undefined,
    nowMs,
  });
  if (stands === undefined || statedAtMs === undefined || capture.capturedAtMs >= statedAtMs) return capture;
  return { capturedAtMs: statedAtMs, capturedFrom: stands.capturedFrom };
}
