/**
 * A person who says two things of one time, of which no order can choose: an attention that wakes its scope, also an idle
 * one, and that a model decides.
 */
import { correctClaim } from '../../../functions/curator/state-claim.ts';
import { HttpError } from '../../../functions/io/http.ts';
import type { AttentionItem } from '../../../schema/attention.ts';
import type { CitationItem } from '../../../schema/citation.ts';
import { HTTP } from '../../../schema/edges.ts';
import { correctBodySchema } from '../../../schema/memory-api.ts';
import { scopeKey, type ScopeItem } from '../../../schema/scope.ts';
import type { PlannedDispute } from '../plans/dispute-plan.ts';
import { START_MS } from '../engine/kernel.ts';
import { Random } from '../engine/random.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
const VALUES = ['Oslo', 'Rome'];
/** No source speaks of her. */
const ENTITY = 'Zoe';
const SAID_AT = new Date(START_MS - 3_600_000).toISOString();

/** Said by the person, and not by any source. */
export const isDisputed = ({ slot }: Pick<CitationItem, 'slot'>): boolean => slot.entity === ENTITY.toLowerCase();

export class Dispute {
  readonly #world: World;
  readonly #planned: PlannedDispute;
  readonly #random: Random;
  /** What they were answered that it stands. */
  readonly #answered = new Set<string>();
  unanswered = VALUES.length;

  constructor(world: World, planned: PlannedDispute) {
    this.#world = world;
    this.#planned = planned;
    this.#random = new Random(world.plan.seed, 'person');
  }

  start(): void {
    for (const value of VALUES) this.#world.kernel.at(this.#planned.atMs, () => this.#say(value));
  }

  /** Sent again until it is answered. */
  #say(value: string): void {
    const { kernel } = this.#world;
    const { scope } = this.#planned;
    const body = { entity: ENTITY, attribute: 'home', value, event: '2025-05', protect: false, at: SAID_AT };
    const again = (): void => {
      kernel.after(this.#random.int(1, 20) * SECOND_MS, () => this.#say(value));
    };
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role: 'curator', scope, timeoutMs, onFailure: again }, async (actor) => {
      try {
        await correctClaim(this.#world.curatorDeps(actor), scope, correctBodySchema.parse(body));
        this.#answered.add(value);
      } catch (error) {
        // Nothing was ever given to the scope: there is no memory to correct yet.
        if (!(error instanceof HttpError) || error.code !== 'unknown_scope') throw error;
      }
      this.unanswered--;
    });
  }

  /** When all is at rest: what they said stands, and nobody waits for a decision in a scope where nobody looks. */
  check(): void {
    const { tables, kernel } = this.#world;
    const { scope } = this.#planned;
    const { pk, sk } = scopeKey(scope);
    const row = tables.peek(pk, sk) as ScopeItem | undefined;
    const partition = tables.partitionOf(scope);
    const said = (tables.list(partition, 'CLAIM#') as unknown as CitationItem[]).filter(isDisputed);
    const missing = [...this.#answered].filter((value) => !said.some((citation) => citation.value === value));
    const isErased = (row?.generation ?? 1) > 1;
    if (missing.length > 0 && !isErased)
      kernel.fail('memory', `${scope}: a person said ${missing.join()}, and it is gone`);
    if (!row?.workPartition.startsWith('idle')) return;
    const open = (tables.list(partition, 'ATTENTION#') as unknown as AttentionItem[]).filter(
      ({ kind, resolvedAtMs }) => kind === 'contested' && resolvedAtMs === undefined,
    );
    const names = open.map(({ subject }) => subject).join(', ');
    if (open.length > 0) kernel.fail('an attention wakes its scope', `${scope} is idle, and ${names} is open`);
  }
}
