/**
 * Callers who do not read the manual, beside all that goes on: each call is refused by a code that says why, and what is
 * refused leaves nothing, or is taken in spite of its oddness and stands.
 */
import { HttpError } from '../../../functions/io/http.ts';
import type { CitationItem } from '../../../schema/citation.ts';
import { HTTP } from '../../../schema/edges.ts';
import type { Actor } from '../engine/actor.ts';
import type { Edges } from '../engine/edges.ts';
import { isEqual } from '../engine/expression.ts';
import { Random } from '../engine/random.ts';
import type { Asking, SloppyCall } from './sloppy-call.ts';
import { SLOPPY_CALLS } from './sloppy-calls.ts';
import { isOfTranscripts, type Said, SLOPPY_DEEDS, SLOPPY_IDS, type SloppyDeed } from './sloppy-deeds.ts';
import type { PlannedSlip } from '../plans/sloppy-plan.ts';
import { SLOPPY_READS } from './sloppy-reads.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

const SECOND_MS = 1000;
/** Of their calls; the others are to be refused. */
const DEED_SHARE = 0.25;
const READ_SHARE = 0.15;
const INVARIANT = 'a refused call leaves nothing';

/** What a refused call may leave: an Idempotency-Key stands for its refusal, so that the same call is answered alike. */
const mayStay = ({ pk }: Change, { role }: Actor): boolean => role === 'trigger' && pk.startsWith('TRIGGER#');

export class Sloppy {
  readonly #world: World;
  readonly #edges: () => Edges;
  readonly #again: Random;
  /** Executions of theirs → what each changed. */
  readonly #changed = new Map<Actor, string[]>();
  readonly #refused = new Set<Actor>();
  readonly #said = new Map<string, { readonly scope: string; readonly said: Said }>();
  /** Deeds that are not answered, with the scope of each. */
  readonly #open = new Map<PlannedSlip, string>();

  constructor(world: World, edges: () => Edges) {
    this.#world = world;
    this.#edges = edges;
    this.#again = new Random(world.plan.seed, 'sloppy');
  }

  get unanswered(): number {
    return this.#open.size;
  }
  /** Whether nothing of theirs by this name is under way. */
  isAnswered(scope: string, id: string): boolean {
    return !SLOPPY_IDS.includes(id) || ![...this.#open.values()].includes(scope);
  }

  start(): void {
    for (const slip of this.#world.plan.slips) this.#world.kernel.at(slip.atMs, () => this.#slip(slip));
  }

  /** What was drawn is drawn alike when it is sent again. */
  #slip(slip: PlannedSlip): void {
    const random = new Random(slip.draw, 'slip');
    const share = random.next();
    if (share < DEED_SHARE && this.#world.plan.erasing === undefined) return this.#do(slip, random.pick(this.#deeds));
    if (share > 1 - READ_SHARE) return this.#call(slip, random.pick(SLOPPY_READS), random);
    this.#call(slip, random.pick(SLOPPY_CALLS), random);
  }

  get #deeds(): readonly SloppyDeed[] {
    return this.#world.plan.sessions.length > 0 ? SLOPPY_DEEDS.filter((deed) => !isOfTranscripts(deed)) : SLOPPY_DEEDS;
  }

  #ask(actor: Actor, scope: string, random: Random): Asking {
    return { world: this.#world, edges: this.#edges(), actor, scope, random };
  }

  #call({ scope }: PlannedSlip, { name, role, codes, send }: SloppyCall, random: Random): void {
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role, scope, timeoutMs }, async (actor) => {
      this.#changed.set(actor, []);
      const isRefused = await this.#isRefused({ name, codes }, actor, () => send(this.#ask(actor, scope, random)));
      if (!isRefused && codes.length > 0) this.#world.kernel.fail('an odd call is refused', `${name}: taken`);
    });
  }

  /** Sent again until it is answered. */
  #do(slip: PlannedSlip, deed: SloppyDeed): void {
    const { kernel } = this.#world;
    const { scope } = slip;
    const { role } = deed;
    this.#open.set(slip, scope);
    const again = (): void => {
      kernel.after(this.#again.int(1, 20) * SECOND_MS, () => this.#do(slip, deed));
    };
    const onSuccess = (): void => void this.#open.delete(slip);
    const timeoutMs = HTTP.timeoutS * SECOND_MS;
    this.#world.spawn({ role, scope, timeoutMs, onFailure: again, onSuccess }, async (actor) => {
      // What it did before it was refused stands: one that does one thing after the other is no single call.
      const random = new Random(slip.draw, 'deed');
      await this.#isRefused(deed, actor, async () => {
        for (const said of await deed.send(this.#ask(actor, scope, random))) {
          this.#said.set(said.citationId, { scope, said });
        }
      });
    });
  }

  async #isRefused(
    { name, codes }: Pick<SloppyCall, 'name' | 'codes'>,
    actor: Actor,
    send: () => Promise<unknown>,
  ): Promise<boolean> {
    const { kernel } = this.#world;
    try {
      await send();
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      this.#world.count(`${name}: ${error.code}`);
      if (!codes.includes(error.code))
        kernel.fail('an odd call is refused', `${name}: with ${error.code}, not with ${codes.join(' or ')}`);
      this.#refused.add(actor);
      const [first] = this.#changed.get(actor) ?? [];
      if (first !== undefined) kernel.fail(INVARIANT, `${name}: ${error.code}, and it changed ${first}`);
      return true;
    }
    this.#world.count(`${name}: taken`);
    return false;
  }

  onChange(change: Change, actor: Actor | undefined): void {
    const changed = actor && this.#changed.get(actor);
    if (!changed || mayStay(change, actor)) return;
    changed.push(`${change.table} ${change.pk} ${change.sk}`);
    if (this.#refused.has(actor))
      this.#world.kernel.fail(INVARIANT, `${actor.label} was refused, and changes ${change.sk}`);
  }

  /** What was taken stands, as it was meant. */
  checkEnd(): void {
    const { tables, kernel } = this.#world;
    for (const [citationId, { scope, said }] of this.#said) {
      const rows = tables.list(tables.partitionOf(scope), 'CLAIM#') as unknown as CitationItem[];
      const row = rows.find((citation) => citation.citationId === citationId);
      if (!row) kernel.fail('memory', `${scope}: ${citationId} was taken from a sloppy caller, and is gone`);
      else if (!isEqual(row.event, said.event))
        kernel.fail(
          'memory',
          `${scope}: ${citationId} is of ${JSON.stringify(row.event)}, not of ${JSON.stringify(said.event)}`,
        );
    }
  }
}
