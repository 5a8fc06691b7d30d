/**
 * Goal: a citation taken back while it is being written leaves no head behind, and a rebuild that meets a raise reads again.
 * Method: the writes of one citation, with another deed or a death between any two of them.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildSlot, SlotTooLargeError } from '../../../functions/io/heads.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { type Citation, liftProtection, undoCitationPass, withdrawCitation } from '../../../schema/citation.ts';
import { headItemSchema, raiseRegister } from '../../../schema/head.ts';
import type { Write } from '../../../schema/request.ts';
import { cite, dayMs, onDay } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { clausesOf, withoutClause } from '../../support/without-clause.ts';
import { type ClaimScene, countRepairs, createClaimScene } from '../claim-scene.ts';

const [ME, OTHER] = [passIdAt(0), passIdAt(1)];
const AUSTIN = cite({ value: 'Austin', captured: '2024-03-01' });
const DENVER = cite({ value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') });

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

const write = (citation: Citation, passId: string | undefined = ME, store?: Store) =>
  recordCitation(scene.deps(store), { address: scene.address, citation, passId });
const head = () => headItemSchema.parse(scene.rowsOf('HEAD#')[0]);
const isRaise = (one: Write) => String(one.kind === 'update' && one.input.Key?.['sk']).startsWith('HEAD#');

/** Runs `deed` once, just before the first raise of a register. */
function interrupted(deed: () => Promise<unknown>, { isBlind = false } = {}): Store {
  let isDone = false;
  return {
    ...scene.store,
    async write(one) {
      if (!isDone && isRaise(one)) {
        isDone = true;
        await deed();
      }
      return scene.store.write(one);
    },
    async get(read) {
      const row = await scene.store.get(read);
      return isBlind && String(row?.['sk']).startsWith('CLAIM#') ? { ...row, withdrawnAtMs: undefined } : row;
    },
  };
}

const withdraw = async () => {
  await scene.store.write(
    withdrawCitation(scene.address, DENVER, { reason: 'erased', nowMs: scene.nowMs, op: 'withdraw' }),
  );
  await rebuildSlot(scene.deps(), scene.address, DENVER.slot);
};

describe('a citation that is taken back between its row and its register', () => {
  it('is not in the head', async () => {
    await write(AUSTIN);
    await write(DENVER, ME, interrupted(withdraw));
    expect(head()).toMatchObject({ undated: { value: 'Austin' } });
    expect(head()).not.toHaveProperty('dated');
    expect(await countRepairs(scene)).toBe(0);
  });

  it('twin: a writer that does not look again leaves it there, until a repair', async () => {
    await write(AUSTIN);
    await write(DENVER, ME, interrupted(withdraw, { isBlind: true }));
    expect(head()).toMatchObject({ dated: { value: 'Denver' } });
    expect(await countRepairs(scene)).toBe(1);
    expect(head()).not.toHaveProperty('dated');
  });
});

describe('a head that was raised to what stands no more, by a writer that died before it looked again', () => {
  const SAID = { ...cite({ value: 'Oslo', captured: '2024-07-01' }), protects: true as const };
  const lift = async () => {
    await scene.store.write(liftProtection(scene.address, SAID, { nowMs: scene.nowMs, op: 'lift' }));
    await rebuildSlot(scene.deps(), scene.address, SAID.slot);
  };
  /** Runs `deed` just before the register is raised; the process dies when that is done. */
  const dying = (register: string, deed: () => Promise<unknown>): Store => ({
    ...scene.store,
    async write(one) {
      const isMeant = clausesOf(one).some((clause) => clause.includes(`#${register}Key`));
      if (isMeant) await deed();
      const outcome = await scene.store.write(one);
      if (isMeant) throw new Error('dies');
      return outcome;
    },
  });
  /** Sees no head. */
  const blind = (): Store => ({
    ...scene.store,
    get: async (read) => (String(read.input.Key?.sk).startsWith('HEAD#') ? undefined : scene.store.get(read)),
  });

  it.each([
    ['withdrawn: is mended by the next to write the same', 'dated', 0],
    ['twin: who does not ask the head leaves it', 'dated', 1],
    ['lifted: is mended by the call that is sent again', 'protected', 0],
    ['twin: who does not ask the head leaves it', 'protected', 1],
  ] as const)('%s', async (_, register, repairs) => {
    const [citation, passId, deed] =
      register === 'dated' ? ([DENVER, ME, withdraw] as const) : ([SAID, undefined, lift] as const);
    await write(AUSTIN);
    await expect(
      recordCitation(scene.deps(dying(register, deed)), { address: scene.address, citation, passId }),
    ).rejects.toThrow('dies');
    expect(head()[register]?.value).toBe(citation.value);
    await recordCitation(scene.deps(repairs === 0 ? undefined : blind()), { address: scene.address, citation, passId });
    expect(head()[register]?.value).toBe(repairs === 0 ? undefined : citation.value);
    expect(await countRepairs(scene)).toBe(repairs);
  });
});

describe('a citation found written', () => {
  it('raises its register by what its row says of when it was captured', async () => {
    await write(DENVER);
    await write({ ...DENVER, capturedAtMs: dayMs('2024-03-01') }, OTHER);
    expect(head().dated?.capturedAtMs).toBe(dayMs('2024-06-01'));
    expect(await countRepairs(scene)).toBe(0);
  });

  it('is told apart: new, known, withdrawn', async () => {
    expect(await write(DENVER)).toBe('new');
    expect(await write(DENVER, OTHER)).toBe('known');
    await withdraw();
    expect(await write(DENVER, passIdAt(2))).toBe('withdrawn');
  });

  it('of an undone pass stands again when another pass says it', async () => {
    await write(DENVER);
    await scene.store.write(undoCitationPass(scene.address, DENVER, { passId: ME, nowMs: scene.nowMs, op: 'undo' }));
    await rebuildSlot(scene.deps(), scene.address, DENVER.slot);
    expect(head()).not.toHaveProperty('dated');
    expect(await write(DENVER, ME)).toBe('withdrawn');
    expect(await write(DENVER, OTHER)).toBe('known');
    expect(head().dated?.value).toBe('Denver');
  });
});

describe('a rebuild', () => {
  const SEEN = '#version = :seen';
  /** Sends a rebuild's write; its process dies when that was taken, before it looks again. */
  const sendAndDie: Store['write'] = async (one) => {
    const outcome = await scene.store.write(one);
    if (outcome.kind === 'won') throw new Error('dies');
    return outcome;
  };
  const rebuildAndDie = (store: Store, slot: Citation['slot']) =>
    expect(rebuildSlot(scene.deps(store), scene.address, slot)).rejects.toThrow('dies');

  /** Something newer is written between a rebuild's reading and its write. */
  const overtaking = (change: (one: Write) => Write): Store => {
    let isDone = false;
    return {
      ...scene.store,
      async write(one) {
        if (!clausesOf(one).includes(SEEN)) return scene.store.write(one);
        if (!isDone) await write(DENVER);
        isDone = true;
        return sendAndDie(change(one));
      },
    };
  };

  it.each([
    ['reads again when a register was raised meanwhile', (one: Write) => one, 'Denver'],
    ['twin: not conditional on the version, it writes over that', (one: Write) => withoutClause(one, SEEN), undefined],
  ])('%s', async (_, change, dated) => {
    await write(AUSTIN);
    await scene.store.write(raiseRegister(scene.address, cite({ value: 'X', captured: '2030-01-01' }), 'undated', 'x'));
    await rebuildAndDie(overtaking(change), AUSTIN.slot);
    expect(head().dated?.value).toBe(dated);
    expect(await countRepairs(scene)).toBe(dated === undefined ? 1 : 0);
  });

  /** Answers every rebuild as won, and sends none. */
  const silent = (): Store => ({
    ...scene.store,
    write: async (one) => (clausesOf(one).includes(SEEN) ? { kind: 'won', item: undefined } : scene.store.write(one)),
  });

  it.each([
    [
      'does not lower what another pass said meanwhile, though the head stands as it stood',
      () => scene.store,
      'Denver',
      0,
    ],
    ['twin: a pass that finds its register raised and says nothing is overlooked', silent, undefined, 1],
  ] as const)('%s', async (_, storeOf, dated, repairs) => {
    await write(AUSTIN);
    await write(DENVER);
    const undo = { passId: ME, nowMs: scene.nowMs, op: 'undo' };
    await scene.store.write(undoCitationPass(scene.address, DENVER, undo));
    let isDone = false;
    const slow: Store = {
      ...scene.store,
      async write(one) {
        if (!clausesOf(one).includes(SEEN)) return scene.store.write(one);
        if (!isDone) await write(DENVER, OTHER, storeOf());
        isDone = true;
        return sendAndDie(one);
      },
    };
    const rebuilding = rebuildSlot(scene.deps(slow), scene.address, DENVER.slot);
    if (repairs > 0) await expect(rebuilding).rejects.toThrow('dies');
    else await rebuilding;
    expect(head().dated?.value).toBe(dated);
    expect(await countRepairs(scene)).toBe(repairs);
  });

  /** A rebuild lowers the head from its top; just before its write, one comes in between that loses to the top. */
  const losing = (between: Citation, isBlind: boolean): Store => {
    let seen: Awaited<ReturnType<Store['query']>> | undefined;
    let isDone = false;
    return {
      ...scene.store,
      async write(one) {
        if (!isDone && clausesOf(one).includes(SEEN)) {
          isDone = true;
          await write(between);
        }
        return scene.store.write(one);
      },
      async query(read) {
        if (isBlind && seen) return seen;
        seen = await scene.store.query(read);
        return seen;
      },
    };
  };

  it.each([
    ['looks again after its write: what came meanwhile lost to the register it lowered', false, 'Boston', 0],
    ['twin: by one reading, what came meanwhile is not in the head', true, 'Austin', 1],
  ] as const)('%s', async (_, isBlind, undated, repairs) => {
    const top = cite({ value: 'Chicago', captured: '2024-09-01' });
    await write(AUSTIN);
    await write(top);
    const withdrawal = { reason: 'erased', nowMs: scene.nowMs, op: 'withdraw' };
    await scene.store.write(withdrawCitation(scene.address, top, withdrawal));
    const between = cite({ value: 'Boston', captured: '2024-06-01' });
    await rebuildSlot(scene.deps(losing(between, isBlind)), scene.address, top.slot, { isChanged: true });
    expect(head().undated?.value).toBe(undated);
    expect(await countRepairs(scene)).toBe(repairs);
  });

  it('mends a head that names a claim nobody made', async () => {
    await write(AUSTIN);
    await scene.store.write(raiseRegister(scene.address, DENVER, 'dated', 'phantom'));
    expect(head().dated?.value).toBe('Denver');
    expect(await rebuildSlot(scene.deps(), scene.address, AUSTIN.slot)).toBe(true);
    expect(head()).not.toHaveProperty('dated');
    expect(await rebuildSlot(scene.deps(), scene.address, AUSTIN.slot)).toBe(false);
  });

  it('makes a head that is missing', async () => {
    await write(DENVER);
    const [row] = scene.rowsOf('HEAD#');
    await scene.store.write({
      kind: 'delete',
      table: 'control',
      isMine: () => true,
      input: { Key: { pk: row?.['pk'], sk: row?.['sk'] } },
    });
    expect(await rebuildSlot(scene.deps(), scene.address, DENVER.slot)).toBe(true);
    expect(head().dated?.value).toBe('Denver');
  });

  it('gives up when it is overtaken every time, and says that calling again is safe', async () => {
    await write(AUSTIN);
    await scene.store.write(raiseRegister(scene.address, DENVER, 'dated', 'phantom'));
    const overtaken: Store = {
      ...scene.store,
      write: async (one) => (isRaise(one) ? { kind: 'held', stored: undefined } : scene.store.write(one)),
    };
    const rebuilding = rebuildSlot(scene.deps(overtaken), scene.address, AUSTIN.slot);
    await expect(rebuilding).rejects.toThrow('send this again');
  });

  it('refuses a claim slot that it cannot see whole', async () => {
    await write(AUSTIN);
    const row = scene.rowsOf('CLAIM#')[0] ?? {};
    const endless: Store = {
      ...scene.store,
      query: async () => ({ items: Array.from({ length: 5_000 }, () => row), lastKey: { pk: 'p', sk: 's' } }),
    };
    const rebuilding = rebuildSlot(scene.deps(endless), scene.address, AUSTIN.slot);
    await expect(rebuilding).rejects.toThrow(SlotTooLargeError);
  });
});
