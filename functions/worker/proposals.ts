/** What a dry run would write: taken down in PROPOSAL rows of its own, and in no other row. */
import type { Citation } from '../../schema/citation.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassAddress } from '../../schema/pass.ts';
import { putProposalPage } from '../../schema/proposal.ts';
import type { WorkerDeps } from './deps.ts';
import { TriedRows } from './queue-position.ts';

/** As many citations as all rows of one dry run hold. */
const CITATIONS_MAX = LIMITS.proposalRowsMax * LIMITS.citationsPerProposalMax;

export class Proposals {
  readonly #deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>;
  readonly #address: PassAddress;
  readonly #known = new Set<string>();
  #unwritten: Citation[] = [];
  #rows = 0;
  /** Queue rows it was given: no lease of its own moves them out of its way, and a pass beside it may take them and give them back. */
  readonly read = new TriedRows(({ sk }) => sk);

  constructor(deps: Pick<WorkerDeps, 'store' | 'clock' | 'ids'>, address: PassAddress) {
    this.#deps = deps;
    this.#address = address;
  }

  /** Whether a further call's claims might find no room. */
  get isFull(): boolean {
    return this.#known.size + LIMITS.claimsPerCallMax > CITATIONS_MAX;
  }

  /** Takes one down, once; beyond the bound nothing is taken. */
  async add(citation: Citation): Promise<void> {
    const { citationId } = citation;
    if (this.#known.has(citationId) || this.#known.size >= CITATIONS_MAX) return;
    this.#known.add(citationId);
    this.#unwritten.push(citation);
    if (this.#unwritten.length >= LIMITS.citationsPerProposalMax) await this.flush();
  }

  /** Writes what is not written. A number is used up before its row is written. */
  async flush(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const citations = this.#unwritten.splice(0, LIMITS.citationsPerProposalMax);
      this.#rows++;
      const page = { n: this.#rows, citations, nowMs: this.#deps.clock.nowMs(), op: this.#deps.ids.fresh() };
      await this.#deps.store.write(putProposalPage(this.#address, page));
    }
  }
}
