/** Turns joined to those that are known by their ids: which are new, which were sent before, which contradict. */
import type { Turn } from '../../schema/source-api.ts';
import { LIMITS } from '../../schema/limits.ts';
import { turnEntryOf, type TurnIds } from '../../schema/turn-ids.ts';
import { normalizeText } from './normalize.ts';
import { shortenReason } from './reasons.ts';

export type JoinedTurns =
  | {
      readonly kind: 'joined';
      /** In the order given, without those that are known. */
      readonly fresh: readonly Turn[];
      readonly known: number;
      readonly ids: TurnIds;
    }
  | { readonly kind: 'refused'; readonly code: 'turn_differs' | 'too_many_turns'; readonly message: string };

/** What makes two sendings of one id the same turn: the words as they are stored, who said them and when. */
function contentOf({ speaker, text, at = '' }: Turn): string {
  return JSON.stringify([speaker, normalizeText(text).text, at].map((part) => part.normalize('NFC')));
}

/**
 * Joins turns to the known ones. The same id with the same content is passed over; with other content nothing is taken and
 * the ids are named: a turn that was read is quoted, so it is not changed under its readers' eyes.
 */
export function joinTurns(known: TurnIds, given: readonly Turn[]): JoinedTurns {
  const ids = new Map(known);
  const fresh: Turn[] = [];
  const differing = new Set<string>();
  for (const turn of given) {
    if (turn.id === undefined) {
      fresh.push(turn);
      continue;
    }
    const [key, content] = turnEntryOf(turn.id, contentOf(turn));
    const before = ids.get(key);
    if (before === undefined) {
      ids.set(key, content);
      fresh.push(turn);
    } else if (before !== content) differing.add(turn.id);
  }
  if (differing.size > 0) return { kind: 'refused', code: 'turn_differs', message: describeDiffering([...differing]) };
  if (ids.size > LIMITS.turnIdsMax) {
    const message = `the session would hold ${ids.size} turns with ids; at most ${LIMITS.turnIdsMax} are taken: begin another id`;
    return { kind: 'refused', code: 'too_many_turns', message };
  }
  return { kind: 'joined', fresh, known: given.length - fresh.length, ids };
}

function describeDiffering(ids: readonly string[]): string {
  const most = LIMITS.refusalReasonsMax;
  const named = ids.slice(0, most).map((id) => `"${shortenReason(id)}"`);
  const more = ids.length > most ? ` and ${ids.length - most} more` : '';
  const which = ids.length === 1 ? `turn ${named[0]} is known` : `turns ${named.join(', ')}${more} are known`;
  return `${which} with other words, speaker or time: a turn does not change; send what is new under an id of its own`;
}
