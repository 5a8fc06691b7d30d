/** Goal: what lowers a memory, and what a person says to it, is fenced. Method: each guard with its negative twin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addCitationPass,
  type Citation,
  citationItemSchema,
  getCitation,
  liftProtection,
  putCitation,
  recaptureCitation,
  restoreCitation,
  undoCitationPass,
  withdrawCitation,
} from '../../schema/citation.ts';
import { flagContest, getHead, headItemSchema, raiseRegister, rebuildHead, registerKeyOf } from '../../schema/head.ts';
import { createTestTables, TABLES_TIMEOUT_MS, type TestTables } from '../support/tables.ts';
import { itRefuses, itSurvivesLostReply, winAll } from './guards.ts';
import { freshOp, freshScope, GENERATION, ME, NOW_MS, OTHER, sampleCitation } from './samples.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTestTables();
}, TABLES_TIMEOUT_MS);
afterAll(() => tables.close());
const open = () => tables;

const freshAddress = () => ({ scope: freshScope(), generation: GENERATION });
type Address = ReturnType<typeof freshAddress>;
const SAMPLE = sampleCitation();

async function cited(change: Partial<Citation> = {}): Promise<Address> {
  const address = freshAddress();
  await winAll(tables, [putCitation(address, sampleCitation(change), ME, freshOp())]);
  return address;
}
const undo = (address: Address, passId = ME, nowMs = NOW_MS + 5) =>
  undoCitationPass(address, SAMPLE, { passId, nowMs, op: freshOp() });
const withdraw = (address: Address, reason = 'erased', nowMs = NOW_MS + 5) =>
  withdrawCitation(address, SAMPLE, { reason, nowMs, op: freshOp() });
const lift = (address: Address, nowMs = NOW_MS + 5) => liftProtection(address, SAMPLE, { nowMs, op: freshOp() });

describe('recaptureCitation', () => {
  const recapture = (address: Address, capturedAtMs: number) =>
    recaptureCitation(address, sampleCitation({ capturedAtMs }), freshOp());

  it('raises the captured time, and leaves who said it and when it was recorded', async () => {
    const address = await cited({ planned: true });
    await winAll(tables, [recapture(address, NOW_MS + 5)]);
    const row = citationItemSchema.parse(await tables.store.get(getCitation(address, SAMPLE)));
    expect(row).toMatchObject({
      capturedAtMs: NOW_MS + 5,
      planned: false,
      recordedAtMs: NOW_MS,
      passes: { [ME]: NOW_MS },
    });
  });

  itSurvivesLostReply(open, 'recaptureCitation', {
    recognisedBy: 'op',
    arrange: async () => recapture(await cited(), NOW_MS + 5),
  });

  itRefuses(open, 'recaptureCitation', [
    {
      refuses: 'an earlier captured time than the one that stands',
      clause: '#capturedAtMs < :captured',
      arrange: async () => recapture(await cited(), NOW_MS - 5),
      broken: (after) => after['capturedAtMs'] === NOW_MS - 5,
    },
  ]);

  it('makes no row where there is none', async () => {
    expect(await tables.store.write(recapture(freshAddress(), NOW_MS))).toEqual({ kind: 'held', stored: undefined });
  });
});

describe('undoCitationPass', () => {
  it('takes back the word of one pass, and leaves that of the others', async () => {
    const address = await cited();
    await winAll(tables, [
      addCitationPass(address, SAMPLE, { passId: OTHER, nowMs: NOW_MS + 1, op: freshOp() }),
      undo(address),
    ]);
    const row = citationItemSchema.parse(await tables.store.get(getCitation(address, SAMPLE)));
    expect(row).toMatchObject({ passes: { [ME]: NOW_MS, [OTHER]: NOW_MS + 1 }, undone: { [ME]: NOW_MS + 5 } });
  });

  itSurvivesLostReply(open, 'undoCitationPass', { recognisedBy: 'op', arrange: async () => undo(await cited()) });

  itRefuses(open, 'undoCitationPass', [
    {
      refuses: 'a pass that never said so',
      clause: 'attribute_exists(#passes.#pass)',
      arrange: async () => undo(await cited(), OTHER),
      broken: (after) => OTHER in ((after['undone'] ?? {}) as object),
    },
    {
      refuses: 'a second undoing: the time of the first stays',
      clause: 'attribute_not_exists(#undone.#pass)',
      arrange: async () => {
        const address = await cited();
        await winAll(tables, [undo(address)]);
        return undo(address, ME, NOW_MS + 9);
      },
      broken: (after) => (after['undone'] as Record<string, number>)[ME] === NOW_MS + 9,
    },
  ]);
});

describe('withdrawCitation', () => {
  itSurvivesLostReply(open, 'withdrawCitation', { recognisedBy: 'op', arrange: async () => withdraw(await cited()) });

  itRefuses(open, 'withdrawCitation', [
    {
      refuses: 'a citation that is not there',
      clause: 'attribute_exists(#pk)',
      arrange: async () => withdraw(freshAddress()),
      broken: (after) => after['withdrawnAtMs'] !== undefined && after['claimId'] === undefined,
    },
    {
      refuses: 'a second withdrawal: the first reason stays',
      clause: 'attribute_not_exists(#withdrawnAtMs)',
      arrange: async () => {
        const address = await cited();
        await winAll(tables, [withdraw(address)]);
        return withdraw(address, 'another', NOW_MS + 9);
      },
      broken: (after) => after['withdrawnFor'] === 'another',
    },
  ]);
});

describe('liftProtection', () => {
  itSurvivesLostReply(open, 'liftProtection', {
    recognisedBy: 'op',
    arrange: async () => lift(await cited({ protects: true })),
  });

  itRefuses(open, 'liftProtection', [
    {
      refuses: 'a citation that protects nothing',
      clause: 'attribute_exists(#protects)',
      arrange: async () => lift(await cited()),
      broken: (after) => after['protectionLiftedAtMs'] !== undefined,
    },
    {
      refuses: 'a second lifting: the time of the first stays',
      clause: 'attribute_not_exists(#protectionLiftedAtMs)',
      arrange: async () => {
        const address = await cited({ protects: true });
        await winAll(tables, [lift(address)]);
        return lift(address, NOW_MS + 9);
      },
      broken: (after) => after['protectionLiftedAtMs'] === NOW_MS + 9,
    },
  ]);
});

describe('restoreCitation', () => {
  const fate = { passes: { [ME]: NOW_MS }, passCount: 1, undone: { [ME]: NOW_MS + 1 } };
  const restore = (address: Address) => restoreCitation(address, { ...SAMPLE, ...fate }, freshOp());

  it('writes a citation with what became of it', async () => {
    const address = freshAddress();
    await winAll(tables, [restore(address)]);
    expect(citationItemSchema.parse(await tables.store.get(getCitation(address, SAMPLE)))).toMatchObject(fate);
  });

  itSurvivesLostReply(open, 'restoreCitation', { recognisedBy: 'op', arrange: async () => restore(freshAddress()) });

  itRefuses(open, 'restoreCitation', [
    {
      refuses: 'a citation that stands: what became of it stays',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => restore(await cited()),
      broken: (after) => ME in ((after['undone'] ?? {}) as object),
    },
  ]);
});

describe('heads', () => {
  const denver = sampleCitation({ claimId: 'claim-denver', value: 'Denver', capturedAtMs: NOW_MS + 1 });
  const raise = (address: Address, citation = SAMPLE) => raiseRegister(address, citation, 'undated', freshOp());
  const rebuild = (address: Address, seenVersion: number | undefined, citation = SAMPLE) => {
    const { claimId, citationId, value, capturedAtMs } = citation;
    const undated = { claimId, citationId, value, capturedAtMs };
    const registers = { undatedKey: registerKeyOf(citation), undated };
    return rebuildHead(address, SAMPLE.slot, { registers, seenVersion, op: freshOp() });
  };
  const head = async (address: Address) => headItemSchema.parse(await tables.store.get(getHead(address, SAMPLE.slot)));

  it('a rebuild lowers a register, takes out what is no longer there, and counts a version', async () => {
    const address = freshAddress();
    await winAll(tables, [raise(address, denver)]);
    const { version } = await head(address);
    await winAll(tables, [rebuild(address, version)]);
    expect(await head(address)).toMatchObject({ undated: { value: 'Austin' }, version: version + 1 });
    const empty = { registers: {}, seenVersion: version + 1, op: freshOp() };
    await winAll(tables, [rebuildHead(address, SAMPLE.slot, empty)]);
    expect(await head(address)).not.toHaveProperty('undated');
  });

  it('a raise tells what it displaced', async () => {
    const address = freshAddress();
    await winAll(tables, [raise(address)]);
    const outcome = await tables.store.write(raise(address, denver));
    expect(outcome).toMatchObject({ kind: 'won', item: { undatedWas: registerKeyOf(SAMPLE) } });
  });

  itSurvivesLostReply(open, 'rebuildHead', {
    recognisedBy: 'op',
    arrange: async () => {
      const address = freshAddress();
      await winAll(tables, [raise(address, denver)]);
      return rebuild(address, (await head(address)).version);
    },
  });

  itRefuses(open, 'rebuildHead', [
    {
      refuses: 'a head that was raised since its citations were read',
      clause: '#version = :seen',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [raise(address)]);
        const { version } = await head(address);
        await winAll(tables, [raise(address, denver)]);
        return rebuild(address, version);
      },
      broken: (after) => (after['undated'] as { value: string }).value === 'Austin',
    },
    {
      refuses: 'a head that came to be since there was none',
      clause: 'attribute_not_exists(#pk)',
      arrange: async () => {
        const address = freshAddress();
        await winAll(tables, [raise(address, denver)]);
        return rebuild(address, undefined);
      },
      broken: (after) => (after['undated'] as { value: string }).value === 'Austin',
    },
  ]);

  itRefuses(open, 'raiseRegister', [
    {
      refuses: 'a person’s earlier word that came later',
      clause: 'attribute_not_exists(#protectedKey) OR #protectedKey < :key',
      arrange: async () => {
        const address = freshAddress();
        const protect = (citation: Citation) => raiseRegister(address, citation, 'protected', freshOp());
        await winAll(tables, [protect(denver)]);
        return protect(SAMPLE);
      },
      broken: (after) => (after['protected'] as { value: string }).value === 'Austin',
    },
    {
      refuses: 'a claim that a person retracted after its source was captured',
      clause: 'attribute_not_exists(#retracted.#claim) OR #retracted.#claim < :captured',
      arrange: async () => {
        const address = freshAddress();
        const registers = { retracted: { [SAMPLE.claimId]: NOW_MS } };
        await winAll(tables, [rebuildHead(address, SAMPLE.slot, { registers, seenVersion: undefined, op: freshOp() })]);
        return raise(address);
      },
      broken: (after) => after['undated'] !== undefined,
    },
  ]);

  it('a retracted claim rises again by a source that was captured later', async () => {
    const address = freshAddress();
    const registers = { retracted: { [SAMPLE.claimId]: NOW_MS } };
    await winAll(tables, [
      rebuildHead(address, SAMPLE.slot, { registers, seenVersion: undefined, op: freshOp() }),
      raise(address, sampleCitation({ capturedAtMs: NOW_MS + 1 })),
    ]);
  });

  itSurvivesLostReply(open, 'flagContest', {
    recognisedBy: 'condition',
    arrange: async () => {
      const address = freshAddress();
      await winAll(tables, [raise(address)]);
      return flagContest(address, SAMPLE.slot, freshOp());
    },
  });

  itRefuses(open, 'flagContest', [
    {
      refuses: 'a claim slot without a head',
      clause: 'attribute_exists(#pk)',
      arrange: async () => flagContest(freshAddress(), SAMPLE.slot, freshOp()),
      broken: (after) => after['contested'] === true && after['version'] === undefined,
    },
  ]);
});
