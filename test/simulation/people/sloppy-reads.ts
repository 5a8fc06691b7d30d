/**
 * Odd questions to what reads: views of a day, a preview of drafts that hold all a draft may, recall of several names, and
 * plans of a snapshot as another release or deployment has it.
 */
import { planAdmissions, withdrawPasses } from '../../../functions/core/admission.ts';
import { previewTick } from '../../../functions/core/plan-preview.ts';
import { tickSnapshotSchema, type TickSnapshot } from '../../../functions/core/tick-snapshot.ts';
import { parseOr400 } from '../../../functions/io/http.ts';
import { readClaims } from '../../../functions/reader/read-claims.ts';
import { readHistory } from '../../../functions/reader/read-history.ts';
import { readPreview } from '../../../functions/reader/read-preview.ts';
import { readRecall } from '../../../functions/reader/read-recall.ts';
import { readSnapshot } from '../../../functions/reader/read-snapshot.ts';
import { claimsQuerySchema } from '../../../schema/api.ts';
import { triggerIdOf } from '../../../schema/ids.ts';
import { KINDS, type PassKind } from '../../../schema/kind.ts';
import { historyQuerySchema, previewBodySchema, recallQuerySchema } from '../../../schema/memory-api.ts';
import { refuse } from '../../../schema/refusal.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../schema/settings.ts';
import type { Random } from '../engine/random.ts';
import { type Asking, reader, type SloppyCall } from './sloppy-call.ts';
import { SLOPPY_ENTITY } from './sloppy-lines.ts';

/** Has the scope to itself; no release has such a kind yet. */
const EXCLUSIVE: PassKind = { name: 'exclusive', shares: false, parallelMax: 1, lane: 'incremental' };
const DAY_MS = 86_400_000;

/** A snapshot of another deployment, or one that a later release took. */
function strange(snapshot: TickSnapshot, random: Random): unknown {
  const { executor: _, provider: __, maxModelConcurrency: ___, ...bare } = snapshot;
  const [first] = snapshot.scopes;
  const entry = {
    scope: first?.scope ?? 'nowhere',
    generation: 1,
    kind: 'exclusive',
    slotNumber: 0,
    triggerId: triggerIdOf(snapshot.takenAtMs, 'strange'),
    origin: 'whoever',
    admittedAtMs: snapshot.takenAtMs,
    op: 'op',
  };
  const waiting = { sources: 2, tokens: 9_000, capped: false, continuations: true, held: false };
  const scopes = snapshot.scopes.map((scope, k) => ({
    ...scope,
    settings: {},
    backlog: k === 0 ? waiting : scope.backlog,
    attentionSinceMs: snapshot.takenAtMs - k,
    ...(random.chance(0.5) && {
      budget: { passes: 0, tightest: 'budgetPasses', resetAtMs: snapshot.takenAtMs + DAY_MS },
    }),
  }));
  const all = scopes.length > 0 ? scopes : [{ ...emptyScope(snapshot), backlog: waiting }];
  return random.pick([
    bare,
    { ...snapshot, running: [...snapshot.running, { passId: 'strange', entry }], scopes: all },
    { ...snapshot, scopes: all },
    {
      ...snapshot,
      scopes: [...all, { ...emptyScope(snapshot), scope: 'other', attentionSinceMs: snapshot.takenAtMs }],
    },
    { ...snapshot, provider: { kind: 'away', untilMs: snapshot.takenAtMs + 1_000 }, scopes: all },
    { ...snapshot, provider: { kind: 'canary' }, scopes: all, maxConcurrentPasses: 0 },
    { ...snapshot, provider: { kind: 'proven' }, scopes: all, unknown: true },
  ]);
}

function emptyScope({ takenAtMs }: TickSnapshot) {
  return {
    scope: 'elsewhere',
    generation: 1,
    settings: {},
    dueAtMs: takenAtMs,
    waitingSinceMs: takenAtMs - DAY_MS,
    paused: false,
    backlog: { sources: 0, tokens: 0, capped: false, continuations: false, held: true },
  };
}

/** A plan of the same snapshot in which people ask for kinds and numbers that the schedule never asks for. */
function planWithKinds(
  { world, random }: Asking,
  { takenAtMs, pausedAll, running, executor, scopes }: TickSnapshot,
): void {
  const kind = random.pick(['exclusive', 'dry-run', 'incremental']);
  const kinds = [...KINDS, EXCLUSIVE];
  const parallel = random.pick([undefined, 1, 4]);
  const candidates = scopes.map((scope, k) => ({
    ...scope,
    backOffUntilMs: scope.backOffUntilMs,
    haltedAtMs: scope.haltedAtMs,
    settings: { ...DEFAULT_SETTINGS, ...scope.settings, maxPassesPerScope: 4 } as Settings,
    request: { triggerId: triggerIdOf(takenAtMs, `kinds ${k}`), origin: 'drain', kind, parallel } as const,
  }));
  const limits = { maxConcurrentPasses: random.int(1, 6) };
  const plan = planAdmissions({ pausedAll, running, candidates, executor }, limits, takenAtMs, kinds);
  for (const { candidate, admitted, refused } of plan.verdicts) {
    const beside = running.filter(({ entry }) => entry.scope === candidate.scope && entry.kind !== 'dry-run');
    if (kind === 'exclusive' && admitted.length > (beside.length > 0 ? 0 : 1))
      world.kernel.fail(
        'an exclusive pass is alone',
        `${admitted.length} beside ${beside.length} in ${candidate.scope}`,
      );
    if (admitted.length === 0 && refused.length === 0)
      world.kernel.fail('a refusal says why', `${candidate.scope} is given nothing, for no reason`);
  }
  const [given] = plan.admitted;
  if (!given) return;
  const withdrawn = withdrawPasses(plan, new Set([given.passId]), refuse('budget'));
  if (withdrawn.admitted.length !== plan.admitted.length - 1)
    world.kernel.fail('a refusal says why', 'another pass than the one meant was taken out of a plan');
}

const quote = { text: 'Quirk likes tea.', start: 0, end: 16 };
const draft = { entity: SLOPPY_ENTITY, attribute: 'likes', cardinality: 'many', value: 'tea', quote };
const DRAFTS = [
  { ...draft, confidence: 0.5, rule: 'by hand@1' },
  { ...draft, value: '', ends: 'tea' },
  { ...draft, cardinality: 'one', contradicts: 'coffee' },
  { ...draft, saidAtMs: Date.parse('2024-05-01T00:00:00Z'), entityType: 'pet' },
  { ...draft, entityType: 'alien', attribute: 'Likes', confidence: 2 },
  {
    ...draft,
    quote: {
      ...quote,
      text: 'Quirk likes coffee, and nothing else in the world, as far as anybody here could ever tell.',
    },
  },
  {},
  null,
];

/** What answers; a question that is odder than that is refused as malformed. */
export const SLOPPY_READS: readonly SloppyCall[] = [
  {
    name: 'a view of a day',
    role: 'reader',
    codes: [],
    send: (asking) => {
      const { random, scope } = asking;
      const day = random.pick(['2024-05-01', '2099-12-31']);
      const query = { ...random.pick([{ asOf: day }, { knownAt: day }, {}]), detail: 'full', state: 'all' };
      return readClaims(reader(asking), scope, parseOr400(claimsQuerySchema, query, 'query'));
    },
  },
  {
    name: 'the history of one of many values',
    role: 'reader',
    codes: [],
    send: (asking) => {
      const { random, scope } = asking;
      const value = random.pick(['tea', 'v'.repeat(250)]);
      const query = { entity: SLOPPY_ENTITY, attribute: random.pick(['likes', 'home']), value };
      return readHistory(reader(asking), scope, parseOr400(historyQuerySchema, query, 'query'));
    },
  },
  {
    name: 'a question about several',
    role: 'reader',
    codes: [],
    send: (asking) => {
      const { random, scope } = asking;
      const q = random.pick([
        'Do Ben and Ann live in the north?',
        'Quirk, Ann: home and job',
        'Ann Ben Quirk north east',
      ]);
      return readRecall(reader(asking), scope, parseOr400(recallQuerySchema, { q, tokens: '400' }, 'query'));
    },
  },
  {
    name: 'malformed: a question',
    role: 'reader',
    codes: ['invalid_request'],
    send: async ({ random }) => {
      const query = random.pick([
        { limit: '0', cursor: 'c'.repeat(3_000) },
        { limit: 'many', state: 'odd', asOf: 'May', knownAt: '2024-13-01' },
        { entity: 'e'.repeat(300), detail: 'most' },
        { page: '2' },
      ]);
      return parseOr400(claimsQuerySchema, query, 'query');
    },
  },
  {
    name: 'a preview of all that a draft may hold',
    role: 'reader',
    codes: [],
    send: (asking) => {
      const { random, scope } = asking;
      const claims = Array.from({ length: random.int(1, 5) }, () => random.pick(DRAFTS));
      const body = { source: { id: 'preview' }, text: `${quote.text}\r\n`, claims };
      return readPreview(reader(asking), scope, parseOr400(previewBodySchema, body, 'body'));
    },
  },
  {
    name: 'a plan of a strange snapshot',
    role: 'reader',
    codes: [],
    send: async (asking) => {
      const { world, random } = asking;
      asking.actor.scope = undefined;
      const taken = await readSnapshot(reader(asking));
      // As the plan reads it: from a file.
      const snapshot = tickSnapshotSchema.parse(JSON.parse(JSON.stringify(strange(taken, random))));
      const lines = previewTick(
        snapshot,
        random.pick([{}, { maxConcurrentPasses: 3 }, { batchTokens: 0, maxWaitMs: 0 }]),
      );
      const wordless = lines.find(({ verdict, because }) => verdict !== 'admitted' && because.length === 0);
      if (wordless) world.kernel.fail('a refusal says why', `${wordless.scope}: ${wordless.verdict}, for no reason`);
      planWithKinds(asking, snapshot);
    },
  },
];
