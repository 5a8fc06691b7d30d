/**
 * What a pass says of itself is what it did: its CALL rows, its counters and what it asks for, held against what its executor
 * asked and was answered. Looked at when a pass ends by its own word.
 */
import { countAsked } from '../../../functions/core/asked-count.ts';
import type {
  EvidencePage,
  Executor,
  ExecutorContext,
  ReviewAnswer,
  Tools,
} from '../../../functions/worker/executor/executor.ts';
import { type Call, callPrefix } from '../../../schema/call-page.ts';
import type { ScopeAddress } from '../../../schema/citation.ts';
import type { EvidenceItem } from '../../../schema/evidence.ts';
import { parseSourceRef, type SourceRef, sourceKeyOf } from '../../../schema/ids.ts';
import type { LedgerItem } from '../../../schema/ledger.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal, type PassItem, type PassStatus } from '../../../schema/pass.ts';
import { isDryRun } from '../../../schema/kind.ts';
import type { ReviewPage } from '../../../schema/review-page.ts';
import { textPartKey } from '../../../schema/text.ts';
import type { Actor } from '../engine/actor.ts';
import { ledgerIn, poolNumberOf } from './pools.ts';
import { faultsOfRecord, type Heard, type HeardCall, isBroken, type Leased, thrownOf } from './record-forms.ts';
import { miscountedIn, noteReview, noteStart, rejectedIn } from './review-forms.ts';
import type { Change } from '../engine/tables.ts';
import type { World } from '../engine/world.ts';

/** What a pass tells of what it read. */
const TOLD = /^(?:CLAIM|HEAD|ENTITY|ATTENTION)#/;

interface Asked {
  readonly limit: number | undefined;
  /** What was leased for it. */
  readonly leased: ReadonlyMap<string, Leased>;
}

/** `kind:id@revision` → its EVIDENCE row. */
function evidenceRowOf(source: string): string {
  return `EVIDENCE#incremental#${sourceKeyOf(parseSourceRef(source) as SourceRef)}`;
}

export class PassRecords {
  readonly #world: World;
  readonly #heard = new WeakMap<Actor, Heard>();
  /** Pass → when it was ended, by whomever. */
  readonly #endedAtMs = new Map<string, number>();
  /** Ledger → when it was last told that its provider is away, by whoever met that, however long before. */
  readonly #awayToldAtMs = new Map<string, number>();
  /** Passes whose worker asked for those that wait for it. */
  readonly #released = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  #passOf({ scope = '', generation, passId = '' }: Actor): PassItem | undefined {
    return this.#world.tables.peek(`SCOPE#${scope}#${generation}`, `PASS#${passId}`) as PassItem | undefined;
  }

  onTriggerSent({ role, passId }: Actor): void {
    if (role === 'worker' && passId !== undefined) this.#released.add(passId);
  }

  onChange({ table, pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (table !== 'control') return;
    if (sk === 'LEDGER') this.#onLedger(pk, before as LedgerItem | undefined, after as LedgerItem | undefined);
    if (sk.startsWith('PASS#') && before?.status === 'running' && after && isTerminal(after.status as PassStatus))
      this.#endedAtMs.set(String(after.passId), this.#world.kernel.nowMs);
    if (actor?.role !== 'worker') return;
    const heard = this.#heard.get(actor);
    if (!heard) return;
    if (TOLD.test(sk)) return this.#onTold(sk, heard, actor);
    if (sk.startsWith('EVIDENCE#'))
      return this.#onEvidence(heard, before as EvidenceItem | undefined, after as EvidenceItem | undefined, actor);
    if (sk !== `PASS#${actor.passId}` || !after || before?.status !== 'running') return;
    const pass = after as unknown as PassItem;
    if (!isTerminal(pass.status)) return;
    heard.hasEnded = true;
    this.#checkRecord(pass, heard);
  }

  #onLedger(pk: string, before: LedgerItem | undefined, after: LedgerItem | undefined): void {
    const { provider } = after ?? {};
    if (provider?.state === 'away' && provider.atMs !== before?.provider?.atMs)
      this.#awayToldAtMs.set(pk, this.#world.kernel.nowMs);
  }

  #onEvidence(
    heard: Heard,
    before: EvidenceItem | undefined,
    after: EvidenceItem | undefined,
    { passId }: Actor,
  ): void {
    const { leased } = heard;
    if (!before || !after) return;
    if (after.leasePass !== passId) leased.delete(after.sk);
    else if (before.leasePass !== passId) leased.set(after.sk, { attempts: before.attempts ?? 0, seq: after.seq });
  }

  /** What was on its way when the pass ended may come; nothing that was sent after, and no call that began after. */
  #onTold(sk: string, heard: Heard, actor: Actor): void {
    if (heard.hasEnded && heard.toldAfter++ > 0)
      this.#fail('who has ended writes nothing', `${actor.passId} ended itself, and wrote ${sk} after another write`);
    if (heard.busySinceMs > (this.#endedAtMs.get(actor.passId ?? '') ?? Number.POSITIVE_INFINITY))
      this.#fail('who has ended writes nothing', `${actor.passId} was over when it was asked to write ${sk}`);
  }

  #checkRecord(pass: PassItem, heard: Heard): void {
    const { passId, scope, generation, heldBack, counters } = pass;
    // Where the word that the provider answers was lost on its way, the schedule lets them go.
    const [first] = heard.calls;
    const isProving = first?.outcome !== undefined && !('thrown' in first.outcome);
    if (heldBack !== undefined && isProving && !this.#released.has(passId))
      this.#fail('who is held back is let go', `${passId} ended, and asked for none of the ${heldBack} it held back`);
    if (this.#world.plan.model && counters.toolCalls > 0) this.#checkProven(pass, heard);
    if (this.#world.plan.erasing) return;
    const rows = this.#world.tables.list(`SCOPE#${scope}#${generation}`, callPrefix(passId));
    const calls = rows.flatMap((row) => row.calls as Call[]);
    const [fault] = faultsOfRecord(pass, heard, calls);
    if (fault) this.#fail('a pass shows what it did', `${passId} ${fault}`);
    if (!this.#world.plan.hostile) this.#checkRejected(pass, heard);
    this.#world.count('a pass shows what it did');
  }

  /** Its first call was answered: by then its provider is proven, or away for longer than it ran, or told away since. */
  #checkProven({ passId, scope, startedAtMs = 0 }: PassItem, { calls }: Heard): void {
    const { plan } = this.#world;
    const [first] = calls;
    if (plan.deployment.mistake || !first?.outcome || 'thrown' in first.outcome) return;
    const pool = poolNumberOf(scope, plan.deployment.pools);
    const provider = ledgerIn(this.#world, pool)?.provider;
    if ((this.#awayToldAtMs.get(`POOL#${pool}`) ?? 0) > startedAtMs) return;
    if (provider?.state === 'proven' || (provider?.untilMs ?? 0) > startedAtMs - 2 * plan.skewMaxMs) return;
    this.#fail('the provider is known', `${passId} asked it, and nothing says that it answers`);
  }

  /** Who cites a source with nothing but what it does not say tells of it: that is counted against the source. */
  #checkRejected({ passId, scope, generation, reviewRows, kind }: PassItem, heard: Heard): void {
    if (isDryRun(kind) || isBroken(heard) || heard.calls.some((call) => thrownOf(call) !== undefined)) return;
    const rows = this.#world.tables.list(`SCOPE#${scope}#${generation}`, `PASS#${passId}#REVIEW#`);
    const pages = (rows as unknown as ReviewPage[]).filter(({ n }) => n <= reviewRows);
    const told = pages.flatMap(({ rejected = [] }) => rejected).sort();
    const owed = rejectedIn(heard)
      .map((source) => sourceKeyOf(parseSourceRef(source) as SourceRef))
      .sort();
    if (owed.length > 0) this.#world.count('a source is cited with what it does not say');
    const reviews = pages.flatMap((page) => page.reviews);
    const miscounted = miscountedIn(heard, reviews, this.#world.plan.fragments !== undefined);
    if (miscounted) this.#fail('a pass shows what it did', `${passId} ${miscounted}`);
    if (told.join() !== owed.join())
      this.#fail(
        'a pass shows what it did',
        `${passId} rejected ${owed.join() || 'none'}, and tells of ${told.join() || 'none'}`,
      );
  }

  /** The executor with an ear at all it asks and is answered. */
  listen(actor: Actor, executor: Executor): Executor {
    return {
      name: executor.name,
      run: (tools, context) => {
        const heard: Heard = {
          calls: [],
          spent: { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 },
          leased: new Map(),
          starts: new Map(),
          cited: new Map(),
          busySinceMs: 0,
          hasEnded: false,
          hasSpentLate: false,
          toldAfter: 0,
        };
        this.#heard.set(actor, heard);
        return executor.run(this.#toolsOf(actor, heard, tools, context.signal), hearing(context, heard));
      },
    };
  }

  #toolsOf(actor: Actor, heard: Heard, tools: Tools, signal: AbortSignal): Tools {
    /** Calls run one after another: the next runs from now on. */
    const goOn = (): void => {
      heard.busySinceMs = this.#world.kernel.nowMs;
      heard.leased.clear();
    };
    const take = async <T extends object>(
      call: HeardCall,
      ask: () => Promise<T>,
      look: (answer: T) => void = () => undefined,
    ): Promise<T> => {
      if (heard.calls.every(({ outcome }) => outcome !== undefined)) goOn();
      heard.calls.push(call);
      try {
        const answer = await ask();
        call.outcome = { answer };
        call.isLate = signal.aborted;
        look(answer);
        goOn();
        return answer;
      } catch (error) {
        call.outcome = { thrown: (error as Error).name };
        call.isLate = signal.aborted;
        if (call.outcome.thrown === 'PassLostError') this.#onLost(actor, heard);
        goOn();
        throw error;
      }
    };
    return {
      searchEvidence: (request) => {
        const isQueue = !('source' in request || 'query' in request || 'since' in request || 'before' in request);
        const limit = 'limit' in request ? request.limit : undefined;
        const look = (page: EvidencePage): void => {
          if (isQueue) for (const { source, start } of page.items) noteStart(heard, source, start);
          if (isQueue && page.items.length > 0) this.#checkPage(actor, page, { limit, leased: heard.leased });
        };
        return take({ tool: 'search_evidence', isQueue }, () => tools.searchEvidence(request), look);
      },
      reviewEvidence: (items) => {
        const look = (answer: ReviewAnswer): void => {
          const fault = this.#world.plan.erasing ? undefined : noteReview(heard, items, answer);
          if (fault) this.#fail('a pass shows what it did', `${actor.passId} ${fault}`);
        };
        return take({ tool: 'review_evidence', asked: items.length }, () => tools.reviewEvidence(items), look);
      },
      listAttention: () => take({ tool: 'attention_list' }, () => tools.listAttention()),
      resolveAttention: (decision) => take({ tool: 'resolve_attention' }, () => tools.resolveAttention(decision)),
    };
  }

  #checkPage(actor: Actor, { items }: EvidencePage, asked: Asked): void {
    const pass = this.#passOf(actor);
    if (!pass) return;
    const { limit, leased } = asked;
    const given = new Set(items.map(({ source }) => evidenceRowOf(source)));
    // Whose reply was lost, and whose row another moved before it was sent again, was not told that it won.
    const pk = `SCOPE#${pass.scope}#${pass.generation}`;
    const isAsLeased = (sk: string): boolean => this.#world.tables.peek(pk, sk)?.seq === leased.get(sk)?.seq;
    const kept = [...leased.keys()].find((sk) => !given.has(sk) && isAsLeased(sk));
    // Of what was erased the text may be gone.
    if (kept !== undefined && !this.#world.plan.erasing)
      this.#fail('what is leased is given', `${actor.passId} leased ${kept} for a page, and was not given it`);
    const most = countAsked(limit, pass.pageSources);
    const characters = items.reduce((sum, { start, end }) => sum + end - start, 0);
    const isAlone = [...leased.values()].some(({ attempts }) => attempts >= LIMITS.aloneFromAttempts);
    if (isAlone && leased.size > 1)
      this.#fail('suspects are read apart', `${actor.passId} was given ${leased.size}, one of which is read alone`);
    if (items.length > most)
      this.#fail('a page is no larger than asked', `${actor.passId} was given ${items.length} sources, of ${most}`);
    if (characters > pass.pageCharacters)
      this.#fail('a page is no larger than asked', `${actor.passId} was given ${characters} characters`);
  }

  #hasText(address: ScopeAddress, { kind, id, revision }: EvidenceItem): boolean {
    const { pk, sk } = textPartKey({ ...address, ref: { kind, id, revision } }, 0);
    return this.#world.tables.peek(pk, sk, 'text') !== undefined;
  }

  /** A page that was leased when the pass was over is given back before its executor is told so. */
  #onLost({ passId, scope = '', generation }: Actor, { leased }: Heard): void {
    const pk = `SCOPE#${scope}#${generation}`;
    for (const sk of leased.keys()) {
      const row = this.#world.tables.peek(pk, sk) as EvidenceItem | undefined;
      // What was erased has no text: its page was passed over, and another taken.
      if (row?.leasePass === passId && row?.state === 'pending' && this.#hasText({ scope, generation }, row))
        this.#fail('who is lost gives back its page', `${passId} is lost, and holds ${sk}`);
    }
  }
}

function hearing(context: ExecutorContext, heard: Heard): ExecutorContext {
  const { spent } = heard;
  return {
    signal: context.signal,
    sleep: (ms) => context.sleep(ms),
    spend: (amounts) => {
      heard.hasSpentLate ||= context.signal.aborted;
      for (const name of ['tokensIn', 'tokensOut', 'costMicroUsd'] as const) spent[name] += wholeOf(amounts[name]);
      context.spend(amounts);
    },
  };
}

/** What is no number is nothing. */
function wholeOf(told: number | undefined): number {
  const whole = Math.ceil(told ?? 0);
  return Number.isSafeInteger(whole) ? Math.max(0, whole) : 0;
}
