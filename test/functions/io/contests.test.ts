/**
 * Goal: what is contested is told with both quotes, in whatever order it was said and also after a crash; and nothing is
 * that is none. Method: the citations of one claim slot in each order, and the attentions that are open then.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findContests } from '../../../functions/core/contests.ts';
import { rebuildSlot, settleContests } from '../../../functions/io/heads.ts';
import type { Store } from '../../../functions/io/ports.ts';
import { recordCitation } from '../../../functions/io/record-citation.ts';
import { attentionItemSchema } from '../../../schema/attention.ts';
import { type Citation, withdrawCitation } from '../../../schema/citation.ts';
import type { Write } from '../../../schema/request.ts';
import { cite, dayMs, onDay } from '../../core/citation-samples.ts';
import { passIdAt } from '../../schema/samples.ts';
import { type ClaimScene, createClaimScene, outcomeOf } from '../claim-scene.ts';

const [ME, OTHER] = [passIdAt(0), passIdAt(1)];
const DENVER = cite({ value: 'Denver', captured: '2024-06-01', event: onDay('2024-05-01') });

let scene: ClaimScene;
beforeEach(async () => {
  scene = await createClaimScene(dayMs('2025-01-01'));
});
afterEach(() => scene.close());

const write = (citation: Citation, passId: string | undefined = ME, store?: Store) =>
  recordCitation(scene.deps(store), { address: scene.address, citation, passId });
const attentions = () => scene.rowsOf('ATTENTION#').map((row) => attentionItemSchema.parse(row));
const isRaise = (one: Write) => String(one.kind === 'update' && one.input.Key?.['sk']).startsWith('HEAD#');

describe('contested claims', () => {
  const SAME = cite({ value: 'Boston', captured: '2024-06-01', event: onDay('2024-05-01'), in: 'other' });
  const LATER = cite({ value: 'Oslo', captured: '2024-07-01', event: onDay('2024-06-01') });

  it.each([
    ['one order', [DENVER, SAME]],
    ['the other', [SAME, DENVER]],
  ])('two values told at one time raise an attention with both quotes, in %s', async (_, order) => {
    for (const citation of order) await write(citation);
    expect(attentions()).toMatchObject([{ kind: 'contested', details: { because: 'same_time' } }]);
    const { sides } = attentions()[0]?.details ?? { sides: [] };
    expect(sides.map(({ value, quote }) => `${value}: ${quote}`).sort()).toEqual(['Boston: Boston', 'Denver: Denver']);
  });

  it('no attention for one value told twice, nor for two told at different times', async () => {
    await write(DENVER);
    await write(cite({ value: 'DENVER', captured: '2024-06-01', event: onDay('2024-05-01'), in: 'other' }));
    await write(LATER);
    expect(attentions()).toEqual([]);
  });

  it('is cleared by what comes after, and raised again when that is taken back', async () => {
    for (const citation of [DENVER, SAME, LATER]) await write(citation);
    expect(attentions()[0]?.resolution).toBe('no longer contested');
    await scene.store.write(
      withdrawCitation(scene.address, LATER, { reason: 'erased', nowMs: scene.nowMs, op: 'withdraw' }),
    );
    await rebuildSlot(scene.deps(), scene.address, LATER.slot);
    expect(attentions()).toMatchObject([{ kind: 'contested' }]);
    expect(attentions()[0]).not.toHaveProperty('resolution');
  });

  it('is found by whoever writes the same again, when its finder died before it could tell', async () => {
    await write(DENVER);
    const dying: Store = {
      ...scene.store,
      async write(one) {
        const outcome = await scene.store.write(one);
        if (isRaise(one)) throw new Error('died');
        return outcome;
      },
    };
    await expect(write(SAME, ME, dying)).rejects.toThrow('died');
    expect(attentions()).toEqual([]);
    await write(SAME, OTHER);
    expect(attentions()).toHaveLength(1);
  });

  it('an explicit contradiction of a claim that stands raises one, whatever their times', async () => {
    await write(DENVER);
    await write({ ...LATER, contradicts: DENVER.claimId });
    expect(attentions()).toMatchObject([
      { details: { because: 'contradiction', sides: [{ value: 'Oslo' }, { value: 'Denver' }] } },
    ]);
  });

  /** What is open after these, in that order, under the given rule of who looks at the attentions. */
  async function openAfter(order: readonly Citation[], store?: Store): Promise<string[]> {
    for (const citation of order) await write(citation, ME, store);
    return attentions().flatMap(({ resolvedAtMs, details }) =>
      resolvedAtMs === undefined ? [details.sides.map(({ value }) => value).join(' against ')] : [],
    );
  }
  const ACCUSING = { ...LATER, contradicts: DENVER.claimId };
  /** Between the two: later than what is called wrong, earlier than what calls it so. */
  const BETWEEN = cite({ value: 'Rome', captured: '2024-06-15', event: onDay('2024-05-15') });
  /** Hides that the claim slot was contested once. */
  const forgetful = (): Store => ({
    ...scene.store,
    async write(one) {
      const outcome = await scene.store.write(one);
      const hide = (row: Record<string, unknown> | undefined) => row && { ...row, contested: undefined };
      return outcome.kind === 'won'
        ? { kind: 'won', item: hide(outcome.item) }
        : { kind: 'held', stored: hide(outcome.stored) };
    },
  });

  it.each([
    ['superseded before it was called wrong', [DENVER, BETWEEN, ACCUSING]],
    ['superseded after, by what lost against the one that calls it wrong', [DENVER, ACCUSING, BETWEEN]],
    ['told of after all others', [ACCUSING, BETWEEN, DENVER]],
  ])('a contradicted claim that a third superseded is history, and no question: %s', async (_, order) => {
    expect(await openAfter(order)).toEqual([]);
  });

  it('twin: with raises that look only when they win, the question stays open in that order alone', async () => {
    expect(await openAfter([DENVER, ACCUSING, BETWEEN], forgetful())).toEqual(['Oslo against Denver']);
  });

  it.each([
    ['a claim that nobody made', [ACCUSING]],
    ['a plan', [cite({ value: 'Denver', captured: '2024-06-01', event: onDay('2024-09-01') }), ACCUSING]],
    ['a claim that stands, by a plan', [DENVER, { ...ACCUSING, planned: true }]],
  ])('no attention where what is called wrong is %s', async (_, order) => {
    expect(await openAfter(order)).toEqual([]);
  });

  it('a contradiction that comes before what it calls wrong, and loses against it, is told as well', async () => {
    const accusing = { ...cite({ value: 'Oslo', captured: '2024-01-01' }), contradicts: DENVER.claimId };
    expect(await openAfter([accusing, DENVER])).toEqual(['Oslo against Denver']);
  });

  it('three at one time: the same two sides in every order', async () => {
    const third = cite({ value: 'Rome', captured: '2024-06-01', event: onDay('2024-05-01'), in: 'third' });
    const seen = new Set<string>();
    for (const order of [
      [DENVER, SAME, third],
      [third, SAME, DENVER],
      [SAME, third, DENVER],
    ]) {
      const other = await createClaimScene(scene.nowMs);
      for (const citation of order) {
        await recordCitation(other.deps(), { address: other.address, citation, passId: ME });
      }
      seen.add(JSON.stringify((outcomeOf(other) as { attention: object }).attention));
      other.close();
    }
    expect(seen.size).toBe(1);
    expect([...seen][0]).toContain('same_time');
  });

  it('settling twice changes nothing', async () => {
    for (const citation of [DENVER, SAME]) await write(citation);
    const before = attentions();
    await settleContests(scene.deps(), scene.address, DENVER.slot);
    expect(attentions()).toEqual(before);
    expect(findContests(DENVER.slot, scene.citations())).toHaveLength(1);
  });
});
