/** Reads the passes that run, with what they hold: from the ledger, which lists them, and their own rows. */
import type { LedgerItem } from '../../schema/ledger.ts';
import { getPass, passItemSchema, type PassStatus } from '../../schema/pass.ts';
import type { ReaderDeps } from './deps.ts';
import { isoOf } from './iso-time.ts';

export interface RunningPassBody {
  readonly passId: string;
  readonly kind: string;
  readonly slotNumber: number;
  readonly admittedAt: string;
  /** Owns the scope's attention. */
  readonly attention?: true;
  /** Terminal ones are being settled. Absent: its row is about to be written. */
  readonly status?: PassStatus;
  readonly heartbeatAt?: string;
  readonly deadlineAt?: string;
  /** Sources given to it, and those it has acknowledged; what it holds is released or settled at its end. */
  readonly delivered?: number;
  readonly reviewed?: number;
}

/** The passes of a scope, by slot number: one read each, 16 at most. */
export async function readRunning(
  { store }: Pick<ReaderDeps, 'store'>,
  ledger: LedgerItem,
  scope: string,
): Promise<RunningPassBody[]> {
  const own = Object.entries(ledger.passes)
    .filter(([, entry]) => entry.scope === scope)
    .sort(([a, left], [b, right]) => left.slotNumber - right.slotNumber || (a < b ? -1 : 1));
  return await Promise.all(
    own.map(async ([passId, { generation, kind, slotNumber, admittedAtMs, attention }]) => {
      const pass = passItemSchema.safeParse(await store.get(getPass({ scope, generation, passId }))).data;
      return {
        passId,
        kind,
        slotNumber,
        admittedAt: isoOf(admittedAtMs),
        ...(attention && { attention }),
        ...(pass && {
          status: pass.status,
          ...(pass.heartbeatAtMs !== undefined && { heartbeatAt: isoOf(pass.heartbeatAtMs) }),
          ...(pass.deadlineAtMs !== undefined && { deadlineAt: isoOf(pass.deadlineAtMs) }),
          delivered: pass.counters.delivered,
          reviewed: pass.counters.reviewed,
        }),
      };
    }),
  );
}
