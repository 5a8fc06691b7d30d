/** Sources made for the bench: all different, all of one length, captured a minute apart. */
import { LIMITS } from '../../../schema/limits.ts';

export interface Load {
  readonly sources: number;
  /** Characters of each. */
  readonly characters: number;
}

const FIRST_CAPTURED_MS = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
const FILLER = 'The kettle was on, the window was open, and nobody had much to say about the weather. ';

/** Bodies of POST sources, as JSON text. */
export function* makeBodies({ sources, characters }: Load): Generator<string, void> {
  for (let first = 0; first < sources; first += LIMITS.ingestSourcesMax) {
    const size = Math.min(LIMITS.ingestSourcesMax, sources - first);
    yield JSON.stringify({ sources: Array.from({ length: size }, (_, k) => makeSource(first + k, characters)) });
  }
}

function makeSource(index: number, characters: number) {
  const opening = `Note ${index}. `;
  const text = `${opening}${FILLER.repeat(Math.ceil(characters / FILLER.length))}`.slice(0, characters - 1);
  return {
    kind: 'document',
    id: `note-${String(index).padStart(6, '0')}.txt`,
    format: 'text',
    // It ends with a stop, so that its length survives the trimming at the door.
    text: `${text}.`,
    capturedAt: new Date(FIRST_CAPTURED_MS + index * MINUTE_MS).toISOString(),
  };
}
