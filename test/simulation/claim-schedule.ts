/**
 * Runs one schedule of deeds on claims: every deed by executions of its own, under the faults that its seed draws, each
 * sent again until it is answered; a write also once more after all, as a late copy of a pass does. When all are
 * answered, the head and the attentions must be what the citations say, and the citations what the deeds say.
 *
 * One thing a head cannot know: a raise that is on its way while its process dies may arrive after a rebuild, and nobody
 * is left to look again. Then it names a citation that does not count, which readers see, and a repair mends it. So every
 * other seed draws no writes that are on their way for long, and has to end with heads that are right; the others have to
 * end with heads whose errors show.
 */
import { findContests } from '../../functions/core/contests.ts';
import { countingAt, protects } from '../../functions/core/counting.ts';
import { holdsRegisters, registersOf } from '../../functions/core/registers.ts';
import { SlotBusyError } from '../../functions/io/heads.ts';
import { attentionItemSchema } from '../../schema/attention.ts';
import { citationItemSchema, type CitationItem } from '../../schema/citation.ts';
import { type HeadItem, headItemSchema, REGISTERS } from '../../schema/head.ts';
import { markScopeDue } from '../../schema/scope.ts';
import { act, type Deed, drawDeeds, waitsFor } from './claim-deeds.ts';
import { isEqual } from './expression.ts';
import type { Violation } from './kernel.ts';
import type { Mutant } from './mutant.ts';
import { drawPlan } from './plan.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const SCOPE = 'a';
const ADDRESS = { scope: SCOPE, generation: 1 };
const PARTITION = `SCOPE#${SCOPE}#1`;
const SECOND_MS = 1_000;
/** Deeds begin within so long: requests take milliseconds, so they meet. */
const SPREADS_MS = [4, 12, 40];
const STORM_MS = 60 * SECOND_MS;
const END_MS = 10 * STORM_MS;

export interface ClaimScheduleResult {
  readonly violation: Violation | undefined;
  readonly crashes: number;
  readonly trace: readonly string[] | undefined;
}

class ClaimSchedule {
  readonly world: World;
  readonly #deeds: readonly Deed[];
  readonly #answered = new Set<number>();
  readonly #random: Random;
  readonly #isExact: boolean;
  readonly #spreadMs: number;

  constructor(seed: number, mutant: Mutant | undefined, keepTrace: boolean) {
    const drawn = drawPlan(seed);
    const plan = mutant?.direct?.(drawn) ?? drawn;
    const { pauseWrite: _, ...quick } = plan.faults;
    this.#isExact = seed % 2 === 0;
    this.world = new World({ ...plan, faults: this.#isExact ? quick : plan.faults }, { mutant, keepTrace });
    this.#random = new Random(seed, 'claim schedule');
    this.#spreadMs = this.#random.pick(SPREADS_MS);
    this.#deeds = drawDeeds(new Random(seed, 'deeds'));
  }

  async run(): Promise<void> {
    const { kernel, tables } = this.world;
    const startMs = kernel.nowMs;
    tables.apply(markScopeDue({ scope: SCOPE, nowMs: startMs, op: 'mark' }), startMs);
    for (const position of this.#deeds.keys()) this.#begin(position);
    await kernel.run(startMs + STORM_MS);
    this.world.calmDown();
    await kernel.run(startMs + END_MS, () => this.#answered.size === this.#deeds.length);
    if (kernel.violation) return;
    if (this.#answered.size < this.#deeds.length) return kernel.fail('claims liveness', 'a deed was never answered');
    // Late copies of what passes and people sent, all at once.
    const copies = this.#deeds.filter(({ kind }) => (kind === 'write' || kind === 'say') && this.#random.chance(0.3));
    for (const deed of copies) this.#send(deed, () => undefined);
    await kernel.run(kernel.nowMs + STORM_MS);
    if (!kernel.violation) this.#check();
  }

  /** Starts a deed when all it waits for was answered; looks again until then. */
  #begin(position: number): void {
    const { kernel } = this.world;
    const deed = this.#deeds[position] as Deed;
    const isReady = (): boolean =>
      this.#deeds.every((other, k) => !waitsFor(deed, other) || this.#answered.has(k) || k === position);
    const look = (): void => {
      if (!isReady()) return void kernel.after(this.#random.int(1, 6), look);
      this.#send(deed, () => this.#answered.add(position));
    };
    kernel.after(this.#random.int(0, this.#spreadMs), look);
  }

  #send(deed: Deed, onSuccess: () => void): void {
    const again = (): void => void this.world.kernel.after(this.#random.int(50, 2 * SECOND_MS), attempt);
    const attempt = (): void => {
      const execution = {
        role: 'worker',
        scope: SCOPE,
        timeoutMs: 10 * SECOND_MS,
        onSuccess,
        onFailure: again,
      } as const;
      this.world.spawn(execution, async (actor) => {
        try {
          await act(this.world.ingestDeps(actor), ADDRESS, deed);
        } catch (error) {
          // Both ask to be sent again.
          if (!(error instanceof SlotBusyError)) throw error;
          again();
        }
      });
    };
    attempt();
  }

  #check(): void {
    const { kernel, tables } = this.world;
    const rows = tables.list(PARTITION, 'CLAIM#').map((row) => citationItemSchema.parse(row));
    this.#checkRows(rows);
    const [first] = rows;
    if (!first) return;
    const head = tables.list(PARTITION, 'HEAD#').map((row) => headItemSchema.parse(row))[0];
    const registers = registersOf(rows);
    if (!holdsRegisters(head, registers) && (this.#isExact || !this.#shows(head, rows))) {
      return kernel.fail('heads', 'a head is not what its citations say');
    }
    const open = tables
      .list(PARTITION, 'ATTENTION#')
      .map((row) => attentionItemSchema.parse(row))
      .filter(({ resolvedAtMs }) => resolvedAtMs === undefined)
      .map(({ subject, subjectKey }) => `${subject} ${subjectKey}`);
    const wanted = findContests(first.slot, rows).map(({ subject, subjectKey }) => `${subject} ${subjectKey}`);
    if (!isEqual(open.sort(), wanted.sort())) kernel.fail('attention', `open is ${open.join()}, not ${wanted.join()}`);
  }

  /** Whether a reader who looks the head's citations up sees that it is wrong. */
  #shows(head: HeadItem | undefined, rows: readonly CitationItem[]): boolean {
    const counting = new Map(countingAt(rows).map((row) => [row.citationId, row]));
    return REGISTERS.some((name) => {
      const register = head?.[name];
      const row = register && counting.get(register.citationId);
      return register !== undefined && (row === undefined || (name === 'protected' && !protects(row)));
    });
  }

  /** Every citation that was said is there, with just the passes that said it, and what was taken back is. */
  #checkRows(rows: readonly CitationItem[]): void {
    const { kernel } = this.world;
    const fail = (found: string): void => kernel.fail('citations', found);
    const deedsOf = (kind: Deed['kind'], id: string): Deed[] =>
      this.#deeds.filter((deed) => deed.kind === kind && 'citation' in deed && deed.citation.citationId === id);
    const undone = new Set(this.#deeds.flatMap((deed) => (deed.kind === 'undo' ? [deed.passId] : [])));
    const ids = new Set(this.#deeds.flatMap((deed) => ('citation' in deed ? [deed.citation.citationId] : [])));
    if (rows.length !== ids.size) fail(`${rows.length} rows of ${ids.size} citations`);
    for (const row of rows) {
      const passes = new Set(deedsOf('write', row.citationId).map((deed) => (deed as { passId: string }).passId));
      if (!isEqual(Object.keys(row.passes).sort(), [...passes].sort())) fail(`a row forgot who said it`);
      const own = [...passes].filter((passId) => undone.has(passId));
      if (!isEqual(Object.keys(row.undone).sort(), own.sort())) fail('a row forgot which passes were undone');
      const isGone = deedsOf('withdraw', row.citationId).length > 0;
      if ((row.withdrawnAtMs !== undefined) !== isGone) fail('a row forgot that it was withdrawn');
      const isLifted = deedsOf('lift', row.citationId).length > 0;
      if ((row.protectionLiftedAtMs !== undefined) !== isLifted) fail('a row forgot that it was lifted');
    }
  }
}

export async function runClaimSchedule(
  seed: number,
  { mutant, keepTrace = false }: { readonly mutant?: Mutant; readonly keepTrace?: boolean } = {},
): Promise<ClaimScheduleResult> {
  await new Promise((resolve) => setImmediate(resolve));
  const schedule = new ClaimSchedule(seed, mutant, keepTrace);
  await schedule.run();
  const { kernel, crashes } = schedule.world;
  return { violation: kernel.violation, crashes, trace: kernel.trace };
}
