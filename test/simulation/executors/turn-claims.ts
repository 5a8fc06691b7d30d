/** What the executor of the simulation finds in a fragment: its `@claim` lines, those of a transcript said when their turn was. */
import { countCharacters } from '../../../functions/core/characters.ts';
import type { ClaimDraft } from '../../../functions/core/claim-draft.ts';
import { findClaimLines } from '../../../functions/worker/executor/claim-lines.ts';
import type { EvidenceFragment } from '../../../functions/worker/executor/executor.ts';

/** The header of a rendered turn, with its time if it has one (`functions/core/render.ts`). */
const HEADER = /^[^\s:()][^:()]*(?: \(([^()]*)\))?:(?: |$)/;

/** Claims in the first `text` of a fragment. A turn that the fragment begins in the middle of is told by its context. */
export function claimsIn(
  { source, start, context = '' }: Pick<EvidenceFragment, 'source' | 'start' | 'context'>,
  text: string,
): ClaimDraft[] {
  if (!source.startsWith('transcript:')) return findClaimLines(text, start);
  let header = HEADER.exec(context);
  let offset = start;
  return text.split('\n').flatMap((line) => {
    header = HEADER.exec(line) ?? header;
    const saidAtMs = Date.parse(header?.[1] ?? '');
    const drafts = findClaimLines(line, offset);
    offset += countCharacters(line) + 1;
    return Number.isNaN(saidAtMs) ? drafts : drafts.map((draft) => ({ ...draft, saidAtMs }));
  });
}
