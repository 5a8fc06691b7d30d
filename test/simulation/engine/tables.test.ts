import { describe, expect, it } from 'vitest';
import type { Item, Outcome, Write } from '../../../schema/request.ts';
import { createTestStore } from '../../support/tables.ts';
import { compileCondition } from './expression.ts';
import { START_MS } from './kernel.ts';
import { LaggingIndex } from './lagging-index.ts';
import { Random } from './random.ts';
import { createCommands } from './random-commands.ts';
import { Tables } from './tables.ts';

const COMMANDS = 4000;

function createTables(lagsMaxMs: readonly [number, number] = [0, 0]): Tables {
  return new Tables((plan) => new LaggingIndex(plan, new Random(1, plan.name), lagsMaxMs));
}

/** As `functions/io/dynamo.ts` answers. */
function send(tables: Tables, write: Write): Outcome {
  const outcome = tables.apply(write, START_MS);
  const stored = outcome.kind === 'held' ? outcome.stored : undefined;
  return stored && write.isMine(stored) ? { kind: 'won', item: stored } : outcome;
}

const identityOf = ({ pk, sk }: Item): string => `${String(pk)} ${String(sk)}`;
const sorted = (items: readonly Item[]): Item[] => [...items].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
/** The engine's own items carry bytes as base64. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_name, inner: unknown) =>
      inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
    ),
  );

describe('the simulated tables', () => {
  it(`answer ${COMMANDS} random commands as the embedded engine does, and hold the same items after`, {
    timeout: 120_000,
  }, async () => {
    const engine = createTestStore();
    const tables = createTables();
    const random = new Random(20_260_101, 'differential');
    const commands = createCommands(random);
    const seen = { won: 0, held: 0, rows: 0 };
    for (let k = 0; k < COMMANDS; k++) {
      if (random.chance(0.3)) {
        const query = commands.query();
        const [ours, theirs] = [tables.query(query, START_MS), await engine.store.query(query)];
        expect(plain(ours), JSON.stringify(query.input)).toEqual(plain(theirs));
        seen.rows += ours.items.length;
      } else {
        const write = commands.write();
        const ours = send(tables, write);
        expect(plain(ours), JSON.stringify(write.input)).toEqual(plain(await engine.store.write(write)));
        seen[ours.kind]++;
      }
    }
    for (const table of ['control', 'text'] as const) {
      expect(plain(sorted(tables.items(table)))).toEqual(plain(sorted(engine.items(table))));
    }
    engine.close();
    // It would prove little if most commands failed, or none did.
    expect(seen.won).toBeGreaterThan(COMMANDS / 10);
    expect(seen.held).toBeGreaterThan(COMMANDS / 10);
    expect(seen.rows).toBeGreaterThan(COMMANDS / 10);
  });

  it('refuse an expression outside the subset', () => {
    expect(() => compileCondition('size(#a) > :b')).toThrow(/is no operand/);
    expect(() => compileCondition('contains(#a, :b)')).toThrow();
    expect(() => compileCondition('#a = :b #c')).toThrow(/goes on after its end/);
  });

  it('show an index late, and each item of it in the order of its changes', () => {
    const tables = createTables([5000, 30_000]);
    const random = new Random(7, 'lag');
    const commands = createCommands(random);
    let stale = 0;
    for (let k = 0; k < 3000; k++) {
      const nowMs = START_MS + 100 * k;
      tables.apply(commands.write(), nowMs);
      const query = commands.query();
      for (const row of tables.query(query, nowMs).items) {
        const base = tables.peek(row.pk as string, row.sk as string);
        if (query.input.IndexName && base?.seq !== row.seq) stale++;
        expect((row.seq as number | undefined) ?? 0).toBeLessThanOrEqual((base?.seq as number | undefined) ?? 0);
      }
    }
    // It would prove little if none was.
    expect(stale).toBeGreaterThan(30);
  });
});
